//! Lesson 18: a type of stored resources.
//!
//! A type is one struct and one protobuf message. It is registered with a service, which stores resources of
//! the type and fills in defaults. The service refuses invalid resources with all their errors, and prevents
//! a writer from overwriting a change that somebody else made in between.
//!
//! Run it with `cargo run --example stored_type`.

use std::error::Error;
use std::sync::Arc;

use converge_controller::authorize::Caller;
use converge_controller::clock::{Clock, Random};
use converge_controller::registry::{Cause as Failure, RegistryError, TypeRegistry};
use converge_controller::service::{List, Service};
use converge_controller::storage::Memory;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, Scope, StoredResource, Typed};

/// An artist, who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Artist::check, mutate = Artist::defaults)]
pub struct Artist {
    /// The name of the artist.
    #[stored(tag = 1)]
    name: String,
    /// The genres of the artist.
    #[stored(tag = 2)]
    genres: Vec<String>,
}

impl Artist {
    /// Checks the data on their own and returns all errors.
    fn check(artist: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("name").require(!artist.name.is_empty(), Cause::Empty);
        for (index, genre) in artist.genres.iter().enumerate() {
            invalid.field("genres").element(index).require(!genre.is_empty(), Cause::Empty);
        }
        invalid.finish()
    }

    /// Fills in defaults; a second call changes nothing.
    #[expect(clippy::unnecessary_wraps, reason = "other hooks of this shape can fail")]
    fn defaults(artist: &mut Typed<Self>) -> Result<(), Failure> {
        if artist.genres.is_empty() {
            artist.genres.push("unknown".to_owned());
        }
        Ok(())
    }
}

/// Registers the types; each package of types has such a function.
fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    registry.register::<Artist>()
}

/// Returns a resource that is not stored yet.
fn artist(name: &str, data: Artist) -> Result<Typed<Artist>, Box<dyn Error>> {
    let id = Id::new(Artist::resource_type().clone(), Scope::Namespace.default_tenancy(), name.parse()?);
    Ok(Typed::new(id, data))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut types = TypeRegistry::new();
    register_types(&mut types)?;
    let store = Arc::new(Memory::new());
    let service = Service::new(store, types, Clock::machine(), Random::from_machine())?;
    service.start().await?;
    let client = service.client(Caller::system());

    let korn = client.write_as(artist("korn", Artist { name: "KoЯn".to_owned(), genres: vec![] })?).await?;
    println!("{} plays {}", korn.name, korn.genres.join(", "));
    assert_eq!(korn.genres, ["unknown"]);

    let wrong = Artist { name: String::new(), genres: vec!["metal".to_owned(), String::new()] };
    let refused = client.write_as(artist("nobody", wrong)?).await.expect_err("it is not well-formed");
    println!("{refused}");
    assert!(refused.to_string().ends_with("name is empty; genres[1] is empty"));

    let mut mine = korn.clone();
    mine.genres = vec!["nu metal".to_owned()];
    client.write_as(mine).await?;
    let mut late = korn;
    late.genres = vec!["pop".to_owned()];
    let refused = client.write_as(late).await.expect_err("somebody was quicker");
    println!("{refused}");

    let all = List::for_type::<Artist>().in_tenancy(Scope::Namespace.default_tenancy());
    let all = client.list_as::<Artist>(&all).await?;
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].genres, ["nu metal"]);
    Ok(())
}
