//! What one resource alone may manage.

use std::collections::{HashMap, HashSet};

use super::index::NodeIndex;
use crate::types::footprint::{Claim, Thing};

/// Which resource manages what, where only a run can tell whether another one manages it, too.
#[derive(Debug, Default)]
pub(crate) struct ManagedInRun {
    /// The resources that are not handled in every run, or of which it is not known what they manage.
    pub(crate) unclear: HashSet<NodeIndex>,
    /// What the others manage in every run, each with the aspect that they manage.
    pub(crate) known: HashMap<Thing, Vec<(NodeIndex, Claim)>>,
}
