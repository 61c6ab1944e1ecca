//! Which types are made of which.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::identity::Type;
use crate::runtime::engine::definition::Definition;

/// Which types are reconciled by looking at which others: for each managed type, the types that its controllers watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    watched: BTreeMap<Type, Vec<Type>>,
}

/// Controllers depend on each other in a way that they should not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DependencyError {
    /// Two types watch each other, so that a change may go to and fro for ever.
    #[error("{one} and {other} are each reconciled by watching the other")]
    Cycle {
        /// The first in the order of names.
        one: Type,
        /// The other.
        other: Type,
    },
    /// Two controllers of one type watch the same other.
    #[error("{managed} is reconciled by watching {watched} in two controllers")]
    Duplicate {
        /// The managed type.
        managed: Type,
        /// The type that is watched twice.
        watched: Type,
    },
}

impl Dependencies {
    /// Those of some controllers.
    pub fn calculate<'a>(controllers: impl IntoIterator<Item = &'a Definition>) -> Self {
        let mut watched: BTreeMap<Type, Vec<Type>> = BTreeMap::new();
        for controller in controllers {
            let of = watched.entry(controller.managed_type().clone()).or_default();
            of.extend(controller.watched_types().cloned());
        }
        for of in watched.values_mut() {
            of.sort();
        }
        Self { watched }
    }

    /// The types that are managed, each with those that are watched for it, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Type, &[Type])> {
        self.watched.iter().map(|(managed, watched)| (managed, watched.as_slice()))
    }

    /// Everything that should not be so.
    ///
    /// # Errors
    ///
    /// Two types watch each other, or one is watched for another by two controllers.
    pub fn validate(&self) -> Result<(), Vec<DependencyError>> {
        let mut errors = Vec::new();
        for (managed, watched) in &self.watched {
            for pair in watched.windows(2).filter(|pair| pair[0] == pair[1]) {
                errors
                    .push(DependencyError::Duplicate { managed: managed.clone(), watched: pair[0].clone() });
            }
            let back = |other: &&Type| self.watched.get(*other).is_some_and(|back| back.contains(managed));
            let mut cycles: Vec<&Type> =
                watched.iter().filter(|other| managed < *other).filter(back).collect();
            cycles.dedup();
            errors.extend(
                cycles
                    .into_iter()
                    .map(|other| DependencyError::Cycle { one: managed.clone(), other: other.clone() }),
            );
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// As a Mermaid flow chart: an arrow leads from what is managed to what is watched for it.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("flowchart TD\n");
        for (managed, watched) in &self.watched {
            if watched.is_empty() {
                let _ = writeln!(text, "    {managed}");
            }
            for other in watched {
                let _ = writeln!(text, "    {managed} --> {other}");
            }
        }
        text
    }

    /// As a graph in the language of Graphviz, with the same arrows.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph controllers {\n");
        for (managed, watched) in &self.watched {
            if watched.is_empty() {
                let _ = writeln!(text, "    \"{managed}\";");
            }
            for other in watched {
                let _ = writeln!(text, "    \"{managed}\" -> \"{other}\";");
            }
        }
        text + "}\n"
    }
}
