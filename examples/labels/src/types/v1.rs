//! Artists as they were first.

use std::collections::BTreeMap;

use converge_controller::StoredResource;

use super::v2;

/// Who makes music. Whoever writes decides in which version an artist is stored; to read it in the other one is an error that
/// names both.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v1", scope = namespace)]
pub struct Artist {
    /// What they are called.
    #[stored(tag = 1)]
    pub name: String,
    /// What they are known for.
    #[stored(tag = 2)]
    pub description: String,
}

impl From<Artist> for v2::Artist {
    /// Nothing says what they play, or who they are.
    fn from(artist: Artist) -> Self {
        Self { name: artist.name, genre: v2::Genre::default(), members: BTreeMap::new(), label: None }
    }
}
