//! The names that a value uses, collected from its syntax tree.

use std::ops::Range;
use std::sync::Arc;

use crate::language::template::{Predicate, Reference, ReferenceTarget, Template, TemplateReader};
use crate::syntax::{ByteRange, Computed, Expression, ExpressionKind, SplatStep, literal_ranges};
use crate::types::function::ModuleFunctions;
use crate::types::id::quoted_key;
use crate::types::local_path::local_name;

/// A use of a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NameUse {
    /// The target of the use.
    pub(super) names: Names,
    /// The range of the name alone if it is written plainly, and otherwise of the text around it.
    pub(super) range: ByteRange,
    /// Whether the text is exactly the name, so that a part of it can be replaced.
    pub(super) is_plain: bool,
    /// The position of the declaration that contains the use, among those of the file.
    pub(super) owner: usize,
    /// Whether the name is written without quotes, which allows fewer characters.
    pub(super) is_bare: bool,
}

/// The target of a use.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Names {
    /// A parameter of the module.
    Param(Arc<str>),
    /// A value of the module's `locals`.
    Local(Arc<str>),
    /// A resource, a module, a `switch` or a `case`, possibly followed by an export.
    Path(Arc<str>),
    /// Another field of the same resource.
    This(Arc<str>),
    /// `each.key` or `each.value`.
    Each,
    /// A parameter of the called module.
    ParamOfCall(Arc<str>),
    /// The file of the called module.
    Source,
}

/// A collector of the names used in the values of one file.
pub(super) struct Collector<'a> {
    pub(super) text: &'a str,
    pub(super) functions: &'a ModuleFunctions,
    pub(super) templates: TemplateReader<'a>,
    pub(super) uses: Vec<NameUse>,
    /// The position of the current declaration.
    pub(super) owner: usize,
    /// The variables of the enclosing loops.
    variables: Vec<Arc<str>>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(text: &'a str, functions: &'a ModuleFunctions) -> Self {
        let templates = TemplateReader::new(functions);
        Self { text, functions, templates, uses: Vec::new(), owner: 0, variables: Vec::new() }
    }

    /// Adds a use after looking for its name in a range.
    pub(super) fn add(&mut self, names: Names, outer_range: &ByteRange, is_bare: bool) {
        let name_range = match &names {
            Names::Param(name)
            | Names::Local(name)
            | Names::Path(name)
            | Names::This(name)
            | Names::ParamOfCall(name) => name_within(self.text, outer_range, name),
            Names::Each => None,
            Names::Source => Some(unquoted(self.text, outer_range)),
        };
        self.add_found(names, name_range, outer_range, is_bare);
    }

    /// Adds a use whose name was found in a range, or whose exact position in it is unknown.
    fn add_found(
        &mut self,
        names: Names,
        name_range: Option<ByteRange>,
        outer_range: &ByteRange,
        is_bare: bool,
    ) {
        let (range, is_plain) =
            name_range.map_or_else(|| (outer_range.clone(), false), |range| (range, true));
        self.uses.push(NameUse { names, range, is_plain, owner: self.owner, is_bare });
    }

    pub(super) fn value(&mut self, value: &Expression) {
        match &value.kind {
            ExpressionKind::Bool(_) | ExpressionKind::Int { .. } | ExpressionKind::Float(_) => {}
            ExpressionKind::String(text) => self.string(text, &value.range),
            ExpressionKind::List(items) => self.values(items),
            ExpressionKind::Map(entries) => {
                for (name, item) in entries {
                    self.string(&name.text, &name.range);
                    self.value(item);
                }
            }
            ExpressionKind::Computed(computed) => self.computed(computed, &value.range),
        }
    }

    fn values<'e>(&mut self, values: impl IntoIterator<Item = &'e Expression>) {
        for value in values {
            self.value(value);
        }
    }

    /// Collects from a string, which is a template if it contains `{{`.
    pub(super) fn string(&mut self, text: &Arc<str>, range: &ByteRange) {
        if Template::is_literal(text) {
            return;
        }
        if let Ok(template) = self.templates.parse(Arc::clone(text)) {
            self.references(template.references(), range);
        }
    }

    /// Collects from a predicate written as a string.
    pub(super) fn predicate(&mut self, text: &str, range: &ByteRange) {
        if let Ok(predicate) = Predicate::parse_with(text, self.functions) {
            self.references(predicate.references(), range);
        }
    }

    /// Collects the references in the text of a literal.
    fn references(&mut self, references: &[Reference], literal: &ByteRange) {
        if references.is_empty() {
            return;
        }
        let raw = slice(self.text, literal);
        let places: Vec<Range<usize>> = references
            .iter()
            .map(|reference| reference.range.start as usize..reference.range.end as usize)
            .collect();
        let places = literal_ranges(raw, &places);
        for (Reference { target, .. }, place) in references.iter().zip(places) {
            let outer_range =
                byte_range(literal.start as usize + place.start..literal.start as usize + place.end);
            self.reference(target, &outer_range, false);
        }
    }

    fn reference(&mut self, target: &ReferenceTarget, outer_range: &ByteRange, is_bare: bool) {
        let names = match target {
            ReferenceTarget::Param(name) => Names::Param(Arc::clone(name)),
            ReferenceTarget::Lookup(path) if local_name(path).is_some() => {
                Names::Local(local_name(path).unwrap_or_default().into())
            }
            ReferenceTarget::Lookup(path) | ReferenceTarget::Traversal(path) => Names::Path(Arc::clone(path)),
            ReferenceTarget::Picked(name) => Names::Path(Arc::clone(&name.base)),
            ReferenceTarget::This(field) => Names::This(Arc::clone(field)),
            ReferenceTarget::Each => Names::Each,
            ReferenceTarget::Computed | ReferenceTarget::TemplateFile(_) => return,
        };
        self.add(names, outer_range, is_bare);
    }

    /// Trees are at most 64 levels deep, so the recursion is bounded.
    fn computed(&mut self, computed: &Computed, range: &ByteRange) {
        match computed {
            Computed::Null => {}
            Computed::Name(_) | Computed::Attribute { .. } | Computed::Index { .. } => {
                self.chain(computed, range);
            }
            Computed::Splat { base, steps } => {
                self.value(base);
                for step in steps {
                    if let SplatStep::Index(index) = step {
                        self.value(index);
                    }
                }
            }
            Computed::Call { function, arguments, .. } => match (&*function.text, arguments.as_slice()) {
                ("lookup", [Expression { kind: ExpressionKind::String(path), range }])
                    if Template::is_literal(path) =>
                {
                    self.add(Names::Path(Arc::clone(path)), range, false);
                }
                (_, arguments) => self.values(arguments),
            },
            Computed::Unary { operand, .. } => self.value(operand),
            Computed::Binary { left, right, .. } => self.values([left, right]),
            Computed::Conditional { condition, yes, no } => {
                self.values([condition, yes, no]);
            }
            Computed::For(node) => {
                self.value(&node.over);
                let outside = self.variables.len();
                let names = node.key.iter().chain([&node.value]);
                self.variables.extend(names.map(|name| Arc::clone(&name.text)));
                let inside = node.result_key.iter().chain([&node.result]).chain(&node.condition);
                self.values(inside);
                self.variables.truncate(outside);
            }
            Computed::Map(entries) => {
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
            }
        }
    }

    /// Collects a name with the names and indexes that follow it.
    fn chain(&mut self, computed: &Computed, range: &ByteRange) {
        let mut steps = Vec::new();
        let (mut base, mut place) = (computed, range);
        let root = loop {
            let inner = match base {
                Computed::Attribute { base, name } => {
                    steps.push((Step::Name(&name.text), place.end));
                    base
                }
                Computed::Index { base, index } => {
                    steps.push((Step::from_index(index), place.end));
                    base
                }
                Computed::Name(name) => break name,
                other => {
                    self.computed(other, place);
                    return self.indexes(steps);
                }
            };
            let ExpressionKind::Computed(computed) = &inner.kind else {
                self.value(inner);
                return self.indexes(steps);
            };
            (base, place) = (computed, &inner.range);
        };
        let start = place.start;
        if self.variables.contains(root) {
            return self.indexes(steps);
        }
        match &**root {
            "param" | "local" | "self" | "each" => {
                if let Some((Step::Name(name) | Step::Key(name), end)) = steps.last() {
                    let names = match &**root {
                        "param" => Names::Param(Arc::clone(name)),
                        "local" => Names::Local(Arc::clone(name)),
                        "self" => Names::This(Arc::clone(name)),
                        _ => Names::Each,
                    };
                    let outer_range = start..*end;
                    self.add(names, &outer_range, true);
                }
            }
            "env" | "platform" | "path" => {}
            _ => self.traversal(root, start, &mut steps),
        }
        self.indexes(steps);
    }

    /// Collects a path to a resource or its export, and leaves computed indexes in `steps`.
    fn traversal(&mut self, root: &str, start: u32, steps: &mut Vec<(Step<'_>, u32)>) {
        if !matches!(steps.last(), Some((Step::Name(_), _))) {
            return;
        }
        // `written` is the text as it stands; in `path`, computed keys are masked.
        let (mut source_path, mut path) = (root.to_owned(), root.to_owned());
        let mut computed = Vec::new();
        let mut end = start;
        while let Some((step, after)) = steps.pop() {
            let step_start = source_path.len();
            match &step {
                Step::Name(name) => source_path.extend([".", &**name]),
                Step::Key(key) => source_path.push_str(&quoted_key(key)),
                Step::Index(_) => source_path.push_str(slice(self.text, &(end..after))),
            }
            let added = source_path.get(step_start..).unwrap_or_default();
            if let Step::Index(_) = step {
                path.push_str(&mask_key(added));
                computed.push((step, after));
            } else {
                path.push_str(added);
            }
            end = after;
        }
        steps.extend(computed);
        let outer_range = start..end;
        let name_range = name_within(self.text, &outer_range, &source_path);
        self.add_found(Names::Path(path.into()), name_range, &outer_range, true);
    }

    /// Collects the names used in computed indexes.
    fn indexes(&mut self, steps: Vec<(Step<'_>, u32)>) {
        for (step, _) in steps {
            if let Step::Index(index) = step {
                self.value(index);
            }
        }
    }
}

/// Replaces the content of a computed key with asterisks, keeping its brackets and its length.
pub(super) fn mask_key(key_text: &str) -> String {
    let inside = key_text.len().saturating_sub("[]".len());
    format!("[{}]", "*".repeat(inside))
}

/// A step after a name.
enum Step<'a> {
    Name(&'a Arc<str>),
    /// A literal index.
    Key(&'a Arc<str>),
    Index(&'a Expression),
}

impl<'a> Step<'a> {
    fn from_index(index: &'a Expression) -> Self {
        match &index.kind {
            ExpressionKind::String(text) if Template::is_literal(text) => Self::Key(text),
            _ => Self::Index(index),
        }
    }
}

pub(super) fn slice<'t>(text: &'t str, range: &ByteRange) -> &'t str {
    text.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// Returns a range without the quotes at its ends.
pub(super) fn unquoted(text: &str, range: &ByteRange) -> ByteRange {
    let text_slice = slice(text, range);
    if text_slice.len() >= 2 && text_slice.starts_with('"') && text_slice.ends_with('"') {
        range.start + 1..range.end - 1
    } else {
        range.clone()
    }
}

/// Offsets fit because sources are limited to 16 MiB.
pub(super) fn byte_range(range: Range<usize>) -> ByteRange {
    let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}

/// Returns the range of a name at the end of another range, apart from quotes and brackets.
pub(super) fn name_within(text: &str, outer_range: &ByteRange, name: &str) -> Option<ByteRange> {
    let text_slice = slice(text, outer_range);
    let inner = text_slice.trim_end_matches(['"', '\'', '`', ']', '\\']);
    // A path may end with a key, whose closing bracket belongs to the path.
    let start = [text_slice, inner].into_iter().find_map(|text_slice| {
        let before = text_slice.strip_suffix(name)?;
        Some(before.len())
    });
    let start = outer_range.start as usize + start.filter(|_| !name.is_empty())?;
    Some(byte_range(start..start + name.len()))
}
