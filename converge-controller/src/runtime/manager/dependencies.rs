//! The dependencies between resource types.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::debug_as_text;
use crate::identity::Type;
use crate::runtime::engine::definition::Definition;

/// The dependencies between types: for each managed type, the types that its controllers watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    watched: BTreeMap<Type, Vec<Type>>,
}

/// A faulty dependency between controllers.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum DependencyError {
    /// Two types watch each other, so that a change may bounce between them forever.
    #[error("{one} and {other} are each reconciled by watching the other")]
    Cycle {
        /// The first type by name.
        one: Type,
        /// The second type by name.
        other: Type,
    },
    /// Two controllers of one type watch the same other type.
    #[error("{managed} is reconciled by watching {watched} in two controllers")]
    Duplicate {
        /// The managed type.
        managed: Type,
        /// The type that is watched twice.
        watched: Type,
    },
}

debug_as_text!(DependencyError);

impl Dependencies {
    /// Computes the dependencies of these controllers.
    pub fn calculate<'a>(controllers: impl IntoIterator<Item = &'a Definition>) -> Self {
        let mut watched: BTreeMap<Type, Vec<Type>> = BTreeMap::new();
        for controller in controllers {
            let types = watched.entry(controller.managed_type().clone()).or_default();
            types.extend(controller.watched_types().cloned());
        }
        for types in watched.values_mut() {
            types.sort();
        }
        Self { watched }
    }

    /// Iterates over the managed types, each with its watched types, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Type, &[Type])> {
        self.watched.iter().map(|(managed, watched)| (managed, watched.as_slice()))
    }

    /// Checks for all faulty dependencies.
    ///
    /// # Errors
    ///
    /// Returns each pair of types that watch each other, and each type that two controllers watch for another
    /// one.
    pub fn validate(&self) -> Result<(), Vec<DependencyError>> {
        let mut errors = Vec::new();
        for (managed, watched) in &self.watched {
            for pair in watched.windows(2).filter(|pair| pair[0] == pair[1]) {
                errors
                    .push(DependencyError::Duplicate { managed: managed.clone(), watched: pair[0].clone() });
            }
            let is_mutual =
                |other: &&Type| self.watched.get(*other).is_some_and(|back| back.contains(managed));
            let mut cycles: Vec<&Type> =
                watched.iter().filter(|other| managed < *other).filter(is_mutual).collect();
            cycles.dedup();
            errors.extend(
                cycles
                    .into_iter()
                    .map(|other| DependencyError::Cycle { one: managed.clone(), other: other.clone() }),
            );
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Returns a Mermaid flow chart with arrows from managed to watched types.
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

    /// Returns a Graphviz graph with arrows from managed to watched types.
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
