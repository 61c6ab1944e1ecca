//! Artists and what they make.

use std::collections::BTreeMap;

use converge_controller::registry::Cause as Failure;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Ref, StoredEnum, StoredResource, Typed};

use super::label::RecordLabel;

/// What an artist plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, StoredEnum)]
#[stored(group = "demo", version = "v2")]
pub enum Genre {
    /// Nobody has said.
    Unspecified = 0,
    /// To dance to.
    Disco = 1,
    /// To listen to.
    Jazz = 2,
    /// To jump to.
    Metal = 3,
}

/// Who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Artist::check, mutate = Artist::fill_in)]
pub struct Artist {
    /// What they are called.
    #[stored(tag = 1)]
    pub name: String,
    /// What they play; disco where nothing is said.
    #[stored(tag = 2)]
    pub genre: Genre,
    /// Who they are, and what each of them plays.
    #[stored(tag = 3)]
    pub members: BTreeMap<String, String>,
    /// With whom they are under contract.
    #[stored(tag = 4)]
    pub label: Option<Ref<RecordLabel>>,
}

impl Artist {
    /// Whether the label exists is not asked here: labels come and go, and may come later.
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

/// What an artist made, which owns it.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Album::check)]
pub struct Album {
    /// What it is called.
    #[stored(tag = 1)]
    pub title: String,
    /// When it came out.
    #[stored(tag = 2)]
    pub year: u32,
    /// What is on it.
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

/// An idea: a resource needs no data.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Concept {}
