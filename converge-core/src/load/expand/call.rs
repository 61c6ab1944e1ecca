//! Calls of modules: a gate where one is needed, what is in the module, and an end that waits for it.

use std::rc::Rc;
use std::sync::Arc;

use super::{Expander, Outside, Place};
use crate::graph::{EdgeReason, Meta, Module, NodeId, Role, Site};
use crate::load::blueprint::{ModuleFile, PlannedCall};
use crate::load::error::ModuleError;
use crate::load::placed::{Placed, Wiring};
use crate::load::source::SourceError;

/// How many levels of modules there may be.
const MAX_LEVELS: usize = 64;

impl Expander<'_> {
    pub(super) fn call(&mut self, call: &PlannedCall, place: &Place) {
        let Some(file) = self.called(call) else {
            self.lost.add_path(&call.name);
            return;
        };
        for (name, given) in &call.params {
            if file.params.contains_key(&**name) || self.lost.explains(&format!("param.{name}")) {
                continue;
            }
            self.report(ModuleError::UnknownParam {
                name: name.to_string(),
                module: file.origin.name().to_string(),
                known: file.params.keys().cloned().collect(),
                span: given.name.span,
            });
        }
        self.chain.push((file.origin.clone(), call.source.span));
        let id = place.site.container.child(&call.name);
        match &call.handling.for_each {
            None => self.once(call, &file, id, place),
            Some(for_each) => match self.items(for_each, &place.site) {
                None => self.lost.add_path(&call.name),
                Some(items) => {
                    let resource = Arc::clone(&self.registry.structure().module);
                    self.end_of_instances(id.clone(), &resource, Some(call.span), place);
                    for each in items {
                        let id_of_each = id.instance(&each.key);
                        let outer = Place {
                            site: Arc::new(Site { each: Some(each), ..Site::clone(&place.site) }),
                            gate: place.gate.clone(),
                            end: Some((id.clone(), EdgeReason::ForEach)),
                        };
                        self.once(call, &file, id_of_each, &outer);
                    }
                }
            },
        }
        self.chain.pop();
    }

    /// The file that a call means; `None` after an error.
    fn called(&mut self, call: &PlannedCall) -> Option<Rc<ModuleFile>> {
        let (caller, _) = self.chain.last()?;
        let caller = caller.clone();
        let unloadable = |error: SourceError| ModuleError::Unloadable {
            why: error.into(),
            caller: caller.name().to_string(),
            span: call.source.span,
        };
        let source = match self.files.sources.resolve(caller.source(), &call.source.text) {
            Ok(source) => source,
            Err(error) => {
                self.report(unloadable(error));
                return None;
            }
        };
        if let Some(at) = self.chain.iter().position(|(around, _)| around.source() == Some(&source)) {
            let error = self.include_cycle(at, call);
            self.report(error);
            return None;
        }
        if self.chain.len() > MAX_LEVELS {
            self.report(ModuleError::TooDeep { limit: MAX_LEVELS, span: call.span });
            return None;
        }
        match self.files.open(&source, self.lost, self.diagnostics) {
            Ok(file) => Some(file),
            Err(error) => {
                self.report(unloadable(error));
                None
            }
        }
    }

    /// The circle from the module at `at` of the chain back to it by `call`.
    fn include_cycle(&self, at: usize, call: &PlannedCall) -> ModuleError {
        let circle = self.chain.get(at..).unwrap_or_default();
        let mut chain: Vec<String> = circle.iter().map(|(source, _)| source.name().to_string()).collect();
        chain.extend(chain.first().cloned());
        let spans = circle.iter().skip(1).filter_map(|(_, span)| *span).chain(call.source.span);
        let names = chain.windows(2).map(|pair| match pair {
            [from, to] => format!("{from} calls {to}"),
            _ => String::new(),
        });
        let mut calls: Vec<_> = spans.zip(names).collect();
        // The call that closes the circle is the one to look at first.
        calls.rotate_right(1);
        ModuleError::IncludeCycle { chain, calls }
    }

    /// One use of a module.
    fn once(&mut self, call: &PlannedCall, file: &ModuleFile, id: NodeId, place: &Place) {
        if self.room_for_one(Some(call.span)).is_none() {
            return;
        }
        let resource = Arc::clone(&self.registry.structure().module);
        let mut gate = place.gate.clone();
        if call.handling.when.is_some() || call.waits.is_some() {
            let begin = id.child("begin");
            let mut node = place.structure(begin.clone(), Role::Begin, &resource, Some(call.span));
            node.meta = Meta { when: call.handling.when.clone(), ..Meta::default() }.into_box();
            let wiring = Wiring {
                gate: gate.replace(begin),
                waits: call.waits.clone(),
                references: Some(Rc::clone(&call.references)),
                ..Wiring::default()
            };
            self.placed.push(Placed { node, wiring });
        }
        let node = place.structure(id.clone(), Role::Module, &resource, Some(call.span));
        let wiring = Wiring { gate: gate.clone(), ..place.wiring() };
        self.placed.push(Placed { node, wiring });
        let module = Module {
            id: id.clone(),
            source: Arc::clone(file.origin.name()),
            directory: file.origin.directory(),
            call: Some(call.span),
        };
        let inner = Place {
            site: Arc::new(Site { container: id.clone(), module: Arc::new(module), each: None }),
            gate,
            end: Some((id, EdgeReason::Module)),
        };
        self.module(file, &inner, &Outside::Call { call, site: &place.site });
    }
}
