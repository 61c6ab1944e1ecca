//! Checks that turn the declarations of a file into blueprints, once however often the file is called.

mod calls;
mod checker;
mod names;
mod resource;

use self::names::EnclosingBlock;
use super::errors;
use crate::diagnostic::Span;
use crate::model::blueprint::{Blueprint, CaseBlueprint, SwitchBlueprint};
use crate::model::declaration::{CaseDeclaration, Declaration, Lifecycle, SwitchDeclaration};
use crate::model::names::unique;
use crate::model::references;

pub(super) use checker::Checker;

impl Checker<'_> {
    pub(super) fn declaration(&mut self, declaration: Declaration) -> Option<Blueprint> {
        match declaration {
            Declaration::Resource(resource) => self.resource(resource).map(Blueprint::Resource),
            Declaration::Module(call) => Some(Blueprint::Module(Box::new(self.call(call)))),
            Declaration::Switch(switch) => Some(Blueprint::Switch(self.switch(switch))),
        }
    }

    /// Keeps the first of several items with the same name.
    pub(super) fn unique(&mut self, items: Vec<Blueprint>) -> Vec<Blueprint> {
        unique(items, name_and_span, |name, first, second| {
            self.problems.report(errors::block::duplicate(name, first, second));
        })
    }

    fn switch(&mut self, switch: SwitchDeclaration) -> SwitchBlueprint {
        let name = format!("switch.{}", switch.name.text);
        let cases = switch.cases.into_iter().map(|case| self.case(case)).collect();
        SwitchBlueprint { name, cases, span: switch.span }
    }

    fn case(&mut self, case: CaseDeclaration) -> CaseBlueprint {
        let references =
            references::collect(case.predicate.iter().map(|predicate| (predicate, None)), self.sources);
        self.check_names(&references, &Lifecycle::default(), EnclosingBlock::Structure);
        let resources = case.resources.into_iter().filter_map(|resource| self.resource(resource)).collect();
        let resources = unique(
            resources,
            |resource| (resource.name(), resource.span),
            |name, first, second| self.problems.report(errors::block::duplicate(name, first, second)),
        );
        CaseBlueprint {
            name: format!("case.{}", case.name.text),
            predicate: case.predicate,
            references: references.into(),
            resources,
            span: case.span,
        }
    }
}

pub(super) fn name_and_span(item: &Blueprint) -> (&str, Option<Span>) {
    match item {
        Blueprint::Resource(resource) => (resource.name(), resource.span),
        Blueprint::Module(call) => (&call.name, Some(call.span)),
        Blueprint::Switch(switch) => (&switch.name, Some(switch.span)),
    }
}
