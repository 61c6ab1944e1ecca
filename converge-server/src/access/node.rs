//! The permissions of a node.

use converge_controller::authorize::{Authorizer, Caller, Question, TenancyDefaults, Verb};
use converge_controller::{Name, Namespace, Partition, StoredResource as _, Tenancy, TenancyPattern};

use crate::fleet::types::{Assignment, Node, NodeHistory, NodePlans, NodeReport};

/// Allows a node what its agent needs, and nothing else.
///
/// Two checks need more than a name and are elsewhere. The type `Assignment` decides which assignments belong
/// to the node. The listeners decide which revisions these name and which reports are allowed.
#[derive(Clone, Debug)]
pub(super) struct NodeRights {
    node: Name,
    partition: Partition,
}

impl NodeRights {
    pub(super) fn caller(node: Name, partition: Partition) -> Caller {
        let defaults = TenancyDefaults { partition: partition.clone(), namespace: Namespace::default() };
        Caller::new(Self { node, partition }).with_defaults(defaults)
    }
}

impl Authorizer for NodeRights {
    fn allows(&self, question: &Question<'_>) -> bool {
        let Question { verb, resource_type, tenancy, name } = question;
        let is_own = *name == Some(&self.node)
            && **tenancy == TenancyPattern::from(Tenancy::Partition(self.partition.clone()));
        let is_one_of = |types: &[&converge_controller::Type]| types.contains(resource_type);
        match verb {
            Verb::Read => {
                is_own
                    && is_one_of(&[
                        Node::resource_type(),
                        NodeReport::resource_type(),
                        NodeHistory::resource_type(),
                        NodePlans::resource_type(),
                        // Assignments of the node; assignments without a node are allowed by partition.
                        Assignment::resource_type(),
                    ])
            }
            Verb::Write => {
                let types =
                    [NodeReport::resource_type(), NodeHistory::resource_type(), NodePlans::resource_type()];
                is_own && is_one_of(&types)
            }
            // Lists contain only what the node may read.
            Verb::List => name.is_none() && *resource_type == Assignment::resource_type(),
        }
    }
}

#[cfg(test)]
mod tests {
    use converge_controller::{Id, Type};

    use super::*;
    use crate::access::certificate::NodeCertificate;
    use crate::access::token::Token;
    use crate::definitions::TypeDefinition;
    use crate::fleet::types::{Event, Module, Revision, Rollout};

    #[test]
    fn a_node_may_do_what_concerns_it_and_nothing_else() {
        let caller = NodeRights::caller("web-1".parse().unwrap(), Partition::default());
        let default_partition = Tenancy::Partition(Partition::default());
        let other = Tenancy::Partition("eu".parse().unwrap());
        let inside = Tenancy::Namespace(Partition::default(), "default".parse().unwrap());
        let is_allowed = |verb: Verb, resource_type: &Type, tenancy: &Tenancy, name: &str| {
            caller
                .authorizer()
                .may(verb, &Id::new(resource_type.clone(), tenancy.clone(), name.parse().unwrap()))
        };
        let types = [
            Node::resource_type(),
            NodeReport::resource_type(),
            NodeHistory::resource_type(),
            NodePlans::resource_type(),
            Assignment::resource_type(),
            Module::resource_type(),
            Revision::resource_type(),
            Rollout::resource_type(),
            Event::resource_type(),
            Token::resource_type(),
            NodeCertificate::resource_type(),
            TypeDefinition::resource_type(),
        ];
        // The letters stand for read, write and list.
        let expect = ["r--", "rw-", "rw-", "rw-", "r-l", "---", "---", "---", "---", "---", "---", "---"];
        for (resource_type, expect) in types.iter().zip(expect) {
            let listed = caller.authorizer().may_list(resource_type, &TenancyPattern::from(inside.clone()));
            let [read, write] = [Verb::Read, Verb::Write]
                .map(|verb| is_allowed(verb, resource_type, &default_partition, "web-1"));
            let actual: String = [(read, 'r'), (write, 'w'), (listed, 'l')]
                .map(|(is_allowed, letter)| if is_allowed { letter } else { '-' })
                .into_iter()
                .collect();
            assert_eq!(actual, expect, "{resource_type}");
            for verb in [Verb::Read, Verb::Write] {
                for name in ["web-2", "web-10", "web"] {
                    assert!(
                        !is_allowed(verb, resource_type, &default_partition, name),
                        "{verb} {resource_type} {name}"
                    );
                }
                for tenancy in [&other, &inside, &Tenancy::Cluster] {
                    assert!(
                        !is_allowed(verb, resource_type, tenancy, "web-1"),
                        "{verb} {resource_type} {tenancy:?}"
                    );
                }
            }
        }
    }
}
