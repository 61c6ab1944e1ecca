//! Switches: gates for the cases, and an end that waits for all of them.

use std::rc::Rc;
use std::sync::Arc;

use super::{Expander, Place};
use crate::graph::{EdgeReason, Meta, NodeId, Role, Site};
use crate::load::blueprint::PlannedSwitch;
use crate::load::placed::{Placed, Wiring};

impl Expander<'_> {
    pub(super) fn switch(&mut self, switch: &PlannedSwitch, place: &Place) {
        let registry = self.registry;
        let structure = registry.structure();
        let id = place.site.container.child(&switch.name);
        if self.room_for_one(Some(switch.span)).is_none() {
            return;
        }
        let node = place.structure(id.clone(), Role::Switch, &structure.switch, Some(switch.span));
        self.placed.push(Placed { node, wiring: place.wiring() });
        let end = Some((id.clone(), EdgeReason::Switch));
        let mut before: Option<NodeId> = None;
        for case in &switch.cases {
            let case_id = id.child(&case.name);
            if self.room_for_one(Some(case.span)).is_none() {
                return;
            }
            let mut node = place.structure(case_id.clone(), Role::Case, &structure.case, Some(case.span));
            node.meta = Meta { when: case.predicate.clone(), ..Meta::default() }.into_box();
            let wiring = Wiring {
                part_of: end.clone(),
                after: before.replace(case_id.clone()),
                references: Some(Rc::clone(&case.references)),
                ..place.wiring()
            };
            self.placed.push(Placed { node, wiring });
            let site = Site { container: case_id.clone(), ..Site::clone(&place.site) };
            let inner = Place { site: Arc::new(site), gate: Some(case_id), end: end.clone() };
            for resource in &case.resources {
                self.resource(resource, &inner);
            }
        }
    }
}
