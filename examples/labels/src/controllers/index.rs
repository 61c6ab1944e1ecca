//! Indexes for finding resources.

use converge_controller::Reference;
use converge_controller::runtime::Index;

use crate::types::v2::Artist;

/// An index of artists by the label of their contract.
pub(super) const BY_LABEL: Index<Artist, Reference> =
    Index::one("label", |artist| artist.label.as_ref().map(Reference::from));
