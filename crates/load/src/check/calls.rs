//! Checks of module calls that do not need the called module.

use std::sync::Arc;

use indexmap::map::Entry;

use super::checker::Checker;
use super::names::EnclosingBlock;
use crate::errors;
use crate::graph::Attribute;
use crate::graph::param::VALUE_FIELD;
use crate::model::blueprint::{CallArgument, CallBlueprint};
use crate::model::declaration::CallDeclaration;
use crate::model::references;
use converge_value::types::hash::{NameHasher, NameIndexMap};

impl Checker<'_> {
    pub(super) fn call(&mut self, call: CallDeclaration) -> CallBlueprint {
        let lifecycle = call.arguments.lifecycle;
        let mut params = NameIndexMap::with_capacity_and_hasher(call.params.len(), NameHasher::default());
        for (name, input) in call.params {
            let uses = references::collect([(&input, Some(VALUE_FIELD))], self.sources);
            self.check_names(&uses, &lifecycle, EnclosingBlock::Structure);
            match params.entry(Arc::clone(&name.text)) {
                Entry::Vacant(entry) => {
                    let name_span = name.span;
                    let attributes = Arc::new(vec![Attribute { field: VALUE_FIELD, input, name_span }]);
                    entry.insert(CallArgument { name, attributes, references: uses.into() });
                }
                Entry::Occupied(entry) => {
                    let first = entry.get().name.span;
                    self.problems.report(errors::block::written_twice(&name.text, first, name.span));
                }
            }
        }
        let uses = references::collect(
            lifecycle.when.as_deref().into_iter().map(|condition| (condition, None)),
            self.sources,
        );
        self.check_names(&uses, &lifecycle, EnclosingBlock::Structure);
        CallBlueprint {
            name: format!("module.{}", call.name.text),
            source: call.source,
            params,
            lifecycle,
            dependencies: call.arguments.dependencies.shared(),
            references: uses.into(),
            span: call.span,
            completeness: call.completeness,
        }
    }
}
