//! Calls of modules, as far as they can be checked without the module.

use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;

use super::Checker;
use super::names::Around;
use crate::graph::Attribute;
use crate::load::blueprint::{Given, Handling, PlannedCall, Waits};
use crate::load::declaration::Call;
use crate::load::error::BlockError;
use crate::load::{param, references};

impl Checker<'_> {
    pub(super) fn call(&mut self, call: Call) -> PlannedCall {
        let handling =
            Handling { when: call.arguments.when, for_each: call.arguments.for_each, ..Handling::default() };
        let mut params = IndexMap::with_capacity(call.params.len());
        for (name, input) in call.params {
            let mut found = Vec::new();
            references::collect(&input, Some(param::DEFAULT), self.sources, &mut found);
            self.check_names(&found, &handling, Around::Structure);
            match params.entry(Arc::clone(&name.text)) {
                Entry::Vacant(entry) => {
                    let name_span = name.span;
                    let attributes = vec![Attribute { field: param::DEFAULT, input, name_span }];
                    entry.insert(Given { name, attributes: Arc::new(attributes), references: found.into() });
                }
                Entry::Occupied(entry) => {
                    let first = entry.get().name.span;
                    let field = name.text.to_string();
                    self.report(BlockError::FieldWrittenTwice { field, first, second: name.span });
                }
            }
        }
        let mut found = Vec::new();
        if let Some(when) = &handling.when {
            references::collect(when, None, self.sources, &mut found);
        }
        self.check_names(&found, &handling, Around::Structure);
        PlannedCall {
            name: format!("module.{}", call.name.text),
            source: call.source,
            params,
            handling,
            waits: Waits { depends: call.arguments.depends, on_change_of: Vec::new() }.shared(),
            references: found.into(),
            span: call.span,
            state: call.state,
        }
    }
}
