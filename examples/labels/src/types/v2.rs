//! The second version of artists, and their works.

use std::collections::BTreeMap;

use converge_controller::registry::Cause as Failure;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredResource, Typed};

use super::label::RecordLabel;

/// The genre of an artist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2")]
pub enum Genre {
    /// No genre was given.
    Unspecified = 0,
    /// Music for dancing.
    Disco = 1,
    /// Music for listening.
    Jazz = 2,
    /// Music for jumping.
    Metal = 3,
}

/// An artist, who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Artist::check, mutate = Artist::fill_in)]
pub struct Artist {
    /// The name of the artist.
    #[stored(tag = 1)]
    pub name: String,
    /// The genre; disco if none is given.
    #[stored(tag = 2)]
    pub genre: Genre,
    /// The members, each with an instrument.
    #[stored(tag = 3)]
    pub members: BTreeMap<String, String>,
    /// The label with which the artist is under contract.
    #[stored(tag = 4)]
    pub label: Option<Ref<RecordLabel>>,
}

impl Artist {
    /// Does not check that the label exists, because labels are added and removed independently.
    fn check(artist: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("name").require(!artist.name.is_empty(), Cause::Empty);
        for (name, instrument) in &artist.members {
            invalid.field("members").key(name).require(!name.is_empty(), Cause::Empty);
            invalid.field("members").value(name).require(!instrument.is_empty(), "plays nothing");
        }
        invalid.finish()
    }

    #[expect(clippy::unnecessary_wraps, reason = "other hooks of this shape can fail")]
    fn fill_in(artist: &mut Typed<Self>) -> Result<(), Failure> {
        if artist.genre == Genre::Unspecified {
            artist.genre = Genre::Disco;
        }
        Ok(())
    }
}

/// An album, made and owned by an artist.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Album::check)]
pub struct Album {
    /// The title of the album.
    #[stored(tag = 1)]
    pub title: String,
    /// The year of release.
    #[stored(tag = 2)]
    pub year: u32,
    /// The titles of the tracks.
    #[stored(tag = 3)]
    pub tracks: Vec<String>,
}

impl Album {
    fn check(album: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("title").require(!album.title.is_empty(), Cause::Empty);
        invalid.field("year").require(album.year >= 1877, "was before there were records");
        for (index, track) in album.tracks.iter().enumerate() {
            invalid.field("tracks").element(index).require(!track.is_empty(), Cause::Empty);
        }
        invalid.field("owner").require(album.owner().is_some(), Cause::Missing);
        invalid.owner_type(album.owner(), &[Artist::resource_type()]);
        invalid.finish()
    }
}

/// An idea; the type shows that a resource needs no data.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Concept {}
