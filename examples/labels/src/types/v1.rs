//! The first version of artists.

use std::collections::BTreeMap;

use converge_controller::StoredResource;

use super::v2;

/// An artist, who makes music.
///
/// The writer chooses the version in which an artist is stored. Reading it in the other version is an error
/// that names both.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = namespace)]
pub struct Artist {
    /// The name of the artist.
    #[stored(tag = 1)]
    pub name: String,
    /// A description of the artist.
    #[stored(tag = 2)]
    pub description: String,
}

impl From<Artist> for v2::Artist {
    /// Leaves the genre and the members empty, because the first version has neither.
    fn from(artist: Artist) -> Self {
        Self { name: artist.name, genre: v2::Genre::default(), members: BTreeMap::new(), label: None }
    }
}
