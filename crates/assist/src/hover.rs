//! Hover information for a position.

use std::ops::Range;
use std::sync::Arc;

use super::complete::{body_of, exports_at};
use super::cursor::{Cursor, Spot};
use super::index::{Declared, ModuleIndex, OUTPUT, PARAM};
use super::name_uses::{NameUse, Names, slice, unquoted};
use super::resolve::Found;
use super::scope::SchemaContext;
use super::template::{TemplateSpot, spot, text_before};
use super::workspace::{Workspace, declared_in, floor, to_usize_range};
use crate::language::{expression, template};
use crate::sdk::registry::ResourceType;
use crate::syntax::{ExpressionKind, Item};
use crate::types::schema::{ExportField, Field};
use converge_source::Source;

/// The hover information for a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hover {
    /// The range that the information is about.
    pub range: Range<usize>,
    /// The information.
    pub about: About,
}

/// The content of hover information, as data.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum About {
    /// A resource type.
    Type(Arc<ResourceType>),
    /// A field of a resource or of a nested block, or an argument that every resource accepts.
    Field(Box<Field>),
    /// A parameter.
    Param(AboutParam),
    /// An output of a module. It has no type and no default.
    Output(AboutParam),
    /// A declaration: its name with its type, its file, and its resource type.
    Declared {
        /// The name with its type, such as `file.content.motd`.
        name: String,
        /// The file that declares it.
        file: String,
        /// The resource type, if it is registered.
        known: Option<Arc<ResourceType>>,
    },
    /// A called module with its parameters.
    Module {
        /// The file of the module.
        file: String,
        /// The parameters of the module.
        params: Vec<AboutParam>,
    },
    /// An export of a resource.
    Export {
        /// The resource that has the export.
        of: String,
        /// The export.
        export: ExportField,
    },
    /// A function of expressions.
    Function {
        /// The signature of the function.
        signature: String,
        /// The documentation of the function.
        doc: String,
        /// A sample call and its result.
        example: Option<(String, String)>,
    },
}

/// A declared parameter, without a value. The default of a sensitive parameter is not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AboutParam {
    /// The name.
    pub name: String,
    /// The type, as written.
    pub kind: Option<String>,
    /// The default, as written. `None` if there is none or it is not shown.
    pub default: Option<String>,
    /// Whether a value is required.
    pub is_required: bool,
    /// Whether the value is sensitive and never shown.
    pub is_sensitive: bool,
    /// The description.
    pub description: String,
}

/// The maximum number of characters of a default that are shown.
const MAX_DEFAULT_LENGTH: usize = 60;

impl AboutParam {
    /// Returns a short summary, such as `list(number), default [80]`.
    pub fn summary(&self) -> String {
        let mut facts: Vec<String> = self.kind.iter().cloned().collect();
        match &self.default {
            Some(default) => facts.push(format!("default {default}")),
            None if self.is_required => facts.push("required".to_owned()),
            None => {}
        }
        if self.is_sensitive {
            facts.push("never shown".to_owned());
        }
        facts.join(", ")
    }
}

impl Workspace<'_> {
    /// Returns the hover information for an offset.
    pub fn hover(&self, source: &Source, offset: usize) -> Option<Hover> {
        self.begin();
        let index = self.index(source)?;
        let offset = floor(&index.text, offset);
        if let Some(used) = index.use_at(offset) {
            return self.hover_of_use(source, &index, used, offset);
        }
        let declared = index.around(offset).and_then(|position| index.declared.get(position));
        if let Some(declaration) = declared
            && (declaration.head().start as usize..=declaration.head().end as usize).contains(&offset)
        {
            return self.hover_of_head(source, &index, declaration, offset);
        }
        let rest = index.text.get(offset..)?;
        let inside = offset + rest.chars().next().filter(|c| c.is_alphanumeric()).map_or(0, char::len_utf8);
        let Cursor { frames, spot: here } = self.cursor(&index, inside);
        match here {
            Spot::Item(range) if !range.is_empty() => {
                let holder = SchemaContext::from_frames(&frames, &self.types).holder;
                let name = index.text.get(range.clone())?;
                let (field, _) = SchemaContext::field(&holder, name)?;
                Some(Hover { range, about: About::Field(Box::new(field)) })
            }
            Spot::Word { range, .. } => {
                let name = index.text.get(range.clone())?;
                let is_call = index.text.get(range.end..)?.starts_with('(');
                let topic = self.function(name).filter(|_| is_call)?;
                Some(Hover { range, about: topic })
            }
            Spot::Text { start, is_quoted, .. } => {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_word(c)).map_or(index.text.len(), |length| offset + length);
                let before = text_before(index.text.get(start..end)?, is_quoted);
                let value = SchemaContext::from_frames(&frames, &self.types).value;
                let is_action = value.is_some_and(|value| value.is_condition);
                let TemplateSpot::Word { of: None, written, .. } = spot(&before, is_action)? else {
                    return None;
                };
                let range = end.checked_sub(written.len())?..end;
                let is_as_written = index.text.get(range.clone()) == Some(written);
                let topic = self.function_of_templates(written).filter(|_| is_as_written)?;
                Some(Hover { range, about: topic })
            }
            _ => None,
        }
    }

    fn hover_of_head(
        &self,
        source: &Source,
        index: &ModuleIndex,
        one: &Declared,
        offset: usize,
    ) -> Option<Hover> {
        if offset <= one.kind.range.end as usize {
            let resource_type = self.types.get(&one.kind.text)?;
            return Some(Hover {
                range: to_usize_range(&one.kind.range),
                about: About::Type(Arc::clone(resource_type)),
            });
        }
        let name = one.name.as_ref()?;
        let range = to_usize_range(&unquoted(&index.text, &name.range));
        Some(Hover { range, about: self.about(source, index, one) })
    }

    fn about(&self, source: &Source, index: &ModuleIndex, declaration: &Declared) -> About {
        if &*declaration.kind.text == PARAM {
            return About::Param(Self::about_param(index, declaration));
        }
        if &*declaration.kind.text == OUTPUT {
            return About::Output(AboutParam { is_required: false, ..Self::about_param(index, declaration) });
        }
        let resource_type = self.types.get(&declaration.kind.text).cloned();
        About::Declared { name: declaration.id.clone(), file: source.to_string(), known: resource_type }
    }

    fn hover_of_use(
        &self,
        source: &Source,
        index: &Arc<ModuleIndex>,
        used: &NameUse,
        offset: usize,
    ) -> Option<Hover> {
        let range = to_usize_range(&used.range);
        let owner = index.declared.get(used.owner)?;
        match &used.names {
            Names::This(name) => {
                let (_, field) = self.types.get(&owner.kind.text)?.schema().field(name)?;
                Some(Hover { range, about: About::Field(Box::new(field.clone())) })
            }
            Names::Each => {
                let field = super::scope::argument("for_each")?;
                Some(Hover { range, about: About::Field(Box::new(field)) })
            }
            Names::Source => {
                let callee = self.called(source, &owner.source.as_ref()?.text)?;
                let indexes = self.indexes_of(&callee);
                if indexes.is_empty() {
                    return None;
                }
                let declarations = declared_in(&indexes);
                let params = declarations.filter(|(_, one)| &*one.kind.text == PARAM);
                let params = params.map(|(index, one)| Self::about_param(index, one)).collect();
                Some(Hover { range, about: About::Module { file: callee.to_string(), params } })
            }
            Names::Param(_) | Names::Local(_) | Names::ParamOfCall(_) => {
                let target = self.found_at(source, index, used, offset).into_iter().next()?;
                Some(Hover { range, about: self.about_found(&target)? })
            }
            Names::Path(path) => {
                let targets = self.targets(source, index, used);
                let named_target = targets.iter().find(|(range, _)| offset <= range.end);
                if let Some((range, target)) = named_target {
                    return Some(Hover { range: range.clone(), about: self.about_found(target.first()?)? });
                }
                let target = targets.last()?.1.first()?;
                let declared = target.declared()?;
                // Only the names up to the cursor matter when they follow the resource.
                let resolution = self.resolve_use(source, index, path, used.owner)?;
                let path_text = slice(&index.text, &used.range);
                let position = offset.checked_sub(used.range.start as usize)?;
                let after = path_text.get(position..)?.matches('.').count();
                let field = resolution.field.get(..resolution.field.len().checked_sub(after)?)?;
                let (last, before) = field.split_last()?;
                let exports = &self.types.get(&declared.kind.text)?.schema().exports;
                let mut siblings = exports_at(exports, before).iter();
                let export = siblings.find(|export| export.name.eq_ignore_ascii_case(last))?.clone();
                Some(Hover { range, about: About::Export { of: declared.id.clone(), export } })
            }
        }
    }

    fn about_found(&self, target: &Found) -> Option<About> {
        Some(self.about(&target.source, &target.index, target.declared()?))
    }

    fn function(&self, name: &str) -> Option<About> {
        if let Some(module_function) = self.types.functions().get(name) {
            let (signature, doc) = (module_function.signature(), module_function.doc().to_owned());
            return Some(About::Function { signature, doc, example: None });
        }
        let function = expression::functions().find(|function| function.name() == name)?;
        let (call, output) = function.example();
        Some(About::Function {
            signature: function.signature(),
            doc: function.doc().to_owned(),
            example: Some((call.to_owned(), output.to_owned())),
        })
    }

    fn function_of_templates(&self, name: &str) -> Option<About> {
        let builtin = template::functions().find(|function| function.name() == name);
        let topic = builtin.map(|function| {
            let (template, output) = function.example();
            About::Function {
                signature: function.signature(),
                doc: function.doc().to_owned(),
                example: Some((template.to_owned(), output.to_owned())),
            }
        });
        topic.or_else(|| self.function(name))
    }

    /// Returns the declaration of a parameter or an output as data.
    pub(super) fn about_param(index: &ModuleIndex, param: &Declared) -> AboutParam {
        let mut topic = AboutParam {
            name: param.name.as_ref().map_or("", |name| &name.text).to_owned(),
            is_required: true,
            ..AboutParam::default()
        };
        let body = body_of(&index.body, param.range.start as usize);
        for item in body.map(|body| &body.items).into_iter().flatten() {
            let Item::Attribute(attribute) = item else { continue };
            let value = &attribute.value;
            match (&*attribute.name.text, &value.kind) {
                ("type", ExpressionKind::String(text)) => topic.kind = Some(text.to_string()),
                ("type", _) => topic.kind = Some(slice(&index.text, &value.range).to_owned()),
                ("description", ExpressionKind::String(text)) => topic.description = text.to_string(),
                // A computed value may turn out to be true, so it counts as sensitive.
                ("sensitive", kind) => topic.is_sensitive = !matches!(kind, ExpressionKind::Bool(false)),
                ("default", _) => {
                    topic.is_required = false;
                    topic.default = Some(shortened(slice(&index.text, &value.range)));
                }
                _ => {}
            }
        }
        if topic.is_sensitive {
            topic.default = None;
        }
        topic
    }
}

/// Shortens a text to one line of limited length.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_DEFAULT_LENGTH) {
        Some((end, _)) => format!("{}..", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
