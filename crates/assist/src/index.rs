//! An index of the declarations in a module file and the names that it uses, built once per text.

use std::collections::HashMap;
use std::sync::Arc;

use super::name_uses::{Collector, NameUse, Names, unquoted};
use crate::diagnostic::FileId;
use crate::syntax::{Attribute, Block, Body, ByteRange, Expression, ExpressionKind, Item, Name, parse};
use converge_load::TypeTable;

pub(super) const PARAM: &str = "param";
pub(super) const PLUGIN: &str = "plugin";
pub(super) const MODULE: &str = "module";
pub(super) const SWITCH: &str = "switch";
pub(super) const CASE: &str = "case";
pub(super) const DEFAULT: &str = "default";
pub(super) const PARAMS: &str = "params";
/// The name of the block, and of the prefix that refers to its values.
pub(super) const LOCALS: &str = "locals";
pub(super) const LOCAL: &str = "local";
pub(super) const OUTPUT: &str = "output";

/// The index of a file with its current text.
#[derive(Debug)]
pub(super) struct ModuleIndex {
    pub(super) text: Arc<str>,
    pub(super) body: Body,
    /// The declarations in the order of the text.
    ///
    /// The content of a `case` follows the `case`, which follows its `switch`.
    pub(super) declared: Vec<Declared>,
    /// The uses of names in the order of the text.
    pub(super) uses: Vec<NameUse>,
    /// Positions in `declared`, by path in the file.
    ids: HashMap<String, usize>,
    /// Declarations inside cases, by their own name.
    in_cases: HashMap<String, Vec<usize>>,
}

/// A declaration: a resource, a parameter, a local value, a module call, a `switch` or a `case`.
#[derive(Debug)]
pub(super) struct Declared {
    /// The path in the file: `file.content.motd`, `switch.os/case.linux/task.a`.
    pub(super) id: String,
    /// The keyword or type at the head of the block.
    pub(super) kind: Name,
    /// The name, such as `motd`. The `default` of a `switch` has none.
    pub(super) name: Option<Name>,
    /// The range of the whole block.
    pub(super) range: ByteRange,
    /// The names of its fields and nested blocks.
    pub(super) written: Vec<Name>,
    /// The source of the module that this block calls.
    pub(super) source: Option<Name>,
    /// Whether the declaration has one instance per entry (`for_each`).
    pub(super) is_repeated: bool,
}

impl Declared {
    /// Returns the path of the enclosing container; empty at the top of the file.
    pub(super) fn container(&self) -> &str {
        self.id.rsplit_once('/').map_or("", |(container, _)| container)
    }

    /// Returns the path within the enclosing container.
    pub(super) fn short(&self) -> &str {
        self.id.rsplit_once('/').map_or(&self.id, |(_, short)| short)
    }

    /// Returns the range of the head: the type and the labels.
    pub(super) fn head(&self) -> ByteRange {
        let end = self.name.as_ref().map_or(self.kind.range.end, |name| name.range.end);
        self.kind.range.start..end.max(self.kind.range.end)
    }

    /// Returns the range that editors show as the location of the declaration.
    pub(super) fn name_range(&self, text: &str) -> ByteRange {
        self.name.as_ref().map_or_else(|| self.kind.range.clone(), |name| unquoted(text, &name.range))
    }

    pub(super) fn written(&self, name: &str) -> Option<&Name> {
        self.written.iter().find(|entry_name| &*entry_name.text == name)
    }
}

impl ModuleIndex {
    /// Indexes a text. Invalid parts are skipped; loading the module reports them.
    pub(super) fn new(text: Arc<str>, types: &TypeTable<'_>) -> Self {
        let (body, _) = parse(FileId::FIRST, &text);
        let mut reader =
            IndexReader { types, collector: Collector::new(&text, types.functions()), declared: Vec::new() };
        for item in &body.items {
            if let Item::Block(block) = item {
                reader.block(block, "");
            }
        }
        let IndexReader { collector, declared, .. } = reader;
        let mut uses = collector.uses;
        uses.sort_by_key(|name_use| name_use.range.start);
        let (mut ids, mut in_cases) = (HashMap::new(), HashMap::new());
        for (position, declaration) in declared.iter().enumerate() {
            ids.entry(declaration.id.clone()).or_insert(position);
            if declaration.id.contains("/case.")
                && declaration.short() != declaration.id
                && &*declaration.kind.text != CASE
            {
                in_cases.entry(declaration.short().to_owned()).or_insert_with(Vec::new).push(position);
            }
        }
        Self { text, body, declared, uses, ids, in_cases }
    }

    /// Returns the declarations with this path.
    ///
    /// If there are none, returns those that match when the `case` level is left out of the path.
    pub(super) fn find(&self, id: &str) -> Vec<usize> {
        // A key selects an instance of one declaration, also when the key is computed.
        let key = id.ends_with(']').then(|| id.rfind("[\"").or_else(|| id.rfind('['))).flatten();
        let base_id = key.and_then(|key| id.get(..key));
        if let Some(position) = self.ids.get(id) {
            return vec![*position];
        }
        if let Some(position) = base_id.and_then(|base_id| self.ids.get(base_id))
            && self.declared.get(*position).is_some_and(|declaration| declaration.is_repeated)
        {
            return vec![*position];
        }
        self.in_cases.get(id).cloned().unwrap_or_default()
    }

    /// Returns the innermost declaration that contains an offset.
    pub(super) fn around(&self, offset: usize) -> Option<usize> {
        let contains_offset =
            |one: &Declared| (one.range.start as usize..=one.range.end as usize).contains(&offset);
        // Nested declarations come after the one that contains them.
        let before = self.declared.partition_point(|declaration| declaration.range.start as usize <= offset);
        (0..before).rev().find(|position| self.declared.get(*position).is_some_and(contains_offset))
    }

    /// Returns the use whose name is at an offset.
    pub(super) fn use_at(&self, offset: usize) -> Option<&NameUse> {
        let before = self.uses.partition_point(|name_use| name_use.range.start as usize <= offset);
        let mut candidates = self.uses.get(..before)?.iter().rev().take(4);
        candidates.find(|name_use| offset <= name_use.range.end as usize)
    }
}

struct IndexReader<'a> {
    types: &'a TypeTable<'a>,
    collector: Collector<'a>,
    declared: Vec<Declared>,
}

impl IndexReader<'_> {
    /// Indexes a block of the file or of a `case`.
    fn block(&mut self, block: &Block, container: &str) {
        let kind = &*block.kind.text;
        if kind == LOCALS && container.is_empty() {
            return self.locals(block);
        }
        let last = block.labels.last();
        let name = match (kind, block.labels.as_slice()) {
            (DEFAULT, []) => Some(DEFAULT.to_owned()),
            (MODULE | CASE, [_, name]) => Some(name.text.to_string()),
            (MODULE | CASE, _) | (_, []) => None,
            (_, [name, ..]) => Some(name.text.to_string()),
        };
        let Some(name) = name else { return };
        let own_id = match kind {
            DEFAULT => format!("{CASE}.{name}"),
            _ => format!("{kind}.{name}"),
        };
        let id = if container.is_empty() { own_id } else { format!("{container}/{own_id}") };
        let field_names = block.body.items.iter().map(|item| match item {
            Item::Attribute(attribute) => attribute.name.clone(),
            Item::Block(block) => block.kind.clone(),
        });
        self.collector.owner = self.declared.len();
        self.declared.push(Declared {
            id: id.clone(),
            kind: block.kind.clone(),
            name: last.cloned(),
            range: block.range.clone(),
            written: field_names.collect(),
            source: if kind == MODULE { block.labels.first().cloned() } else { None },
            is_repeated: false,
        });
        match kind {
            MODULE => self.call(block),
            SWITCH => {
                for item in &block.body.items {
                    if let Item::Block(case) = item
                        && matches!(&*case.kind.text, CASE | DEFAULT)
                    {
                        self.block(case, &id);
                    }
                }
            }
            CASE | DEFAULT => {
                if let (CASE, Some(predicate)) = (kind, block.labels.first()) {
                    self.collector.predicate(&predicate.text, &predicate.range);
                }
                for item in &block.body.items {
                    if let Item::Block(inner) = item {
                        self.block(inner, &id);
                    }
                }
            }
            _ => self.resource(block),
        }
    }

    /// Indexes each value of a `locals` block under its name.
    fn locals(&mut self, block: &Block) {
        for item in &block.body.items {
            let Item::Attribute(Attribute { name, value }) = item else { continue };
            self.collector.owner = self.declared.len();
            self.declared.push(Declared {
                id: format!("{LOCAL}.{}", name.text),
                kind: Name { text: LOCAL.into(), range: name.range.clone() },
                name: Some(name.clone()),
                range: name.range.start..value.range.end,
                written: Vec::new(),
                source: None,
                is_repeated: false,
            });
            self.collector.value(value);
        }
    }

    fn resource(&mut self, block: &Block) {
        let resource_type = self.types.get(&block.kind.text).cloned();
        let is_own =
            |name: &str| resource_type.as_ref().is_some_and(|known| known.schema().field(name).is_some());
        let is_param = &*block.kind.text == PARAM;
        for item in &block.body.items {
            match item {
                Item::Attribute(attribute) if is_param && &*attribute.name.text == "type" => {}
                Item::Attribute(attribute) if !is_own(&attribute.name.text) => self.argument(attribute),
                Item::Attribute(attribute) => self.collector.value(&attribute.value),
                Item::Block(inner) => self.nested(inner, is_param),
            }
        }
    }

    /// Indexes a module call.
    fn call(&mut self, block: &Block) {
        if let Some(source) = block.labels.first() {
            self.collector.add(Names::Source, &source.range, false);
        }
        for item in &block.body.items {
            match item {
                Item::Attribute(Attribute { name, value }) if &*name.text == PARAMS => {
                    if let ExpressionKind::Map(entries) = &value.kind {
                        for (name, value) in entries {
                            self.param_of_call(name, value);
                        }
                    } else {
                        self.collector.value(value);
                    }
                }
                Item::Attribute(attribute) => self.argument(attribute),
                Item::Block(params) if &*params.kind.text == PARAMS => {
                    for item in &params.body.items {
                        match item {
                            Item::Attribute(Attribute { name, value }) => self.param_of_call(name, value),
                            Item::Block(inner) => {
                                let param = Names::ParamOfCall(Arc::clone(&inner.kind.text));
                                self.collector.add(param, &inner.kind.range, false);
                                self.nested(inner, false);
                            }
                        }
                    }
                }
                Item::Block(_) => {}
            }
        }
    }

    fn param_of_call(&mut self, name: &Name, value: &Expression) {
        self.collector.add(Names::ParamOfCall(Arc::clone(&name.text)), &name.range, false);
        self.collector.value(value);
    }

    /// Indexes an argument that resources and calls accept besides their own fields.
    fn argument(&mut self, Attribute { name, value }: &Attribute) {
        match (&*name.text, &value.kind) {
            ("depends" | "on_change_of" | "even_after", ExpressionKind::List(items)) => {
                for item in items {
                    match &item.kind {
                        ExpressionKind::String(path) => {
                            self.collector.add(Names::Path(Arc::clone(path)), &item.range, false);
                        }
                        _ => self.collector.value(item),
                    }
                }
            }
            ("when", ExpressionKind::String(text)) => self.collector.predicate(text, &value.range),
            ("for_each", _) => {
                if let Some(declared) = self.declared.get_mut(self.collector.owner) {
                    declared.is_repeated = true;
                }
                self.collector.value(value);
            }
            _ => self.collector.value(value),
        }
    }

    /// Indexes a block nested in a resource.
    fn nested(&mut self, block: &Block, is_of_param: bool) {
        for item in &block.body.items {
            match item {
                Item::Attribute(Attribute { name, value }) => {
                    // In a block that is a map, the names are data.
                    self.collector.string(&name.text, &name.range);
                    match &value.kind {
                        ExpressionKind::String(text) if is_of_param && &*name.text == "condition" => {
                            self.collector.predicate(text, &value.range);
                        }
                        _ => self.collector.value(value),
                    }
                }
                Item::Block(inner) => {
                    self.collector.string(&inner.kind.text, &inner.kind.range);
                    self.nested(inner, is_of_param);
                }
            }
        }
    }
}
