//! Detection of the nodes that are known never to be handled.

use std::collections::HashMap;

use crate::graph::{Graph, NodeIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    True,
    False,
    /// Only a run can decide.
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct GateState {
    taken: Truth,
    /// Whether this case or an earlier one of its switch is certainly taken, so that no later one can be.
    decided: bool,
}

/// The reachability of nodes through their gates; each gate is evaluated once.
#[derive(Debug, Default)]
pub(super) struct Reachability {
    /// The state of each gate, or `None` while its dependencies are evaluated.
    known: HashMap<NodeIndex, Option<GateState>>,
}

impl Reachability {
    /// Returns whether a node is handled, as far as its gates are known.
    ///
    /// `when` evaluates the condition of a gate. It is called once per gate, and not for gates behind a
    /// closed one.
    pub(super) fn reaches(
        &mut self,
        graph: &Graph,
        node: NodeIndex,
        when: &mut dyn FnMut(NodeIndex) -> Truth,
    ) -> Truth {
        let gate = graph.gate(node);
        if let Some(gate) = gate {
            self.settle(graph, gate, when);
        }
        self.taken(gate)
    }

    /// Evaluates a gate after the gates that it depends on.
    ///
    /// This is a loop rather than a recursion, because a switch may have many cases that each wait for the
    /// previous one.
    pub(super) fn settle(
        &mut self,
        graph: &Graph,
        gate: NodeIndex,
        when: &mut dyn FnMut(NodeIndex) -> Truth,
    ) {
        let mut steps = vec![gate];
        while let Some(&current) = steps.last() {
            let needs = [graph.gate(current), graph.case_before(current)];
            let missing = needs.into_iter().flatten().find(|need| !self.known.contains_key(need));
            let is_settled = matches!(self.known.get(&current), Some(Some(_)));
            match missing {
                Some(need) if !is_settled => {
                    self.known.insert(current, None);
                    steps.push(need);
                }
                _ => {
                    if !is_settled {
                        let gate = self.look_at(needs, || when(current));
                        self.known.insert(current, Some(gate));
                    }
                    steps.pop();
                }
            }
        }
    }

    fn get(&self, gate: Option<NodeIndex>) -> Option<GateState> {
        gate.and_then(|gate| self.known.get(&gate).copied()).flatten()
    }

    fn taken(&self, gate: Option<NodeIndex>) -> Truth {
        self.get(gate).map_or(Truth::True, |gate| gate.taken)
    }

    fn look_at(
        &self,
        [around, before]: [Option<NodeIndex>; 2],
        condition_of: impl FnOnce() -> Truth,
    ) -> GateState {
        let outer = self.taken(around);
        let decided = self.get(before).is_some_and(|before| before.decided);
        if outer == Truth::False || decided {
            return GateState { taken: Truth::False, decided };
        }
        let maybe_before = self.get(before).is_some_and(|before| before.taken == Truth::Unknown);
        match condition_of() {
            Truth::True if maybe_before || outer == Truth::Unknown => {
                // No later case can be taken: either this one is, or an earlier one, or none at all.
                GateState { taken: Truth::Unknown, decided: true }
            }
            taken => GateState { taken, decided: taken == Truth::True },
        }
    }
}
