//! By what resources are found.

use converge_controller::Reference;
use converge_controller::runtime::Index;

use crate::types::v2::Artist;

/// The artists that are under contract with a label.
pub(super) const BY_LABEL: Index<Artist, Reference> =
    Index::one("label", |artist| artist.label.as_ref().map(Reference::from));
