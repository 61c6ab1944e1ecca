//! Lesson 22: a server of your own.
//!
//! A program with types and controllers of its own is a whole `converge-server`: it runs them, exports the types, draws what
//! depends on what, and tells what the controllers do.
//!
//! ```text
//! cargo run --example custom_server -- server --dev
//! cargo run --example custom_server -- controllers status
//! cargo run --example custom_server -- controllers proto --out /tmp/custom_server
//! ```
//!
//! Run it with `cargo run --example custom_server -- controllers graph`.

use std::process::ExitCode;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{
    Action, Controller, Index, Manager, RegisterError, Request, RunError, Runtime, map, update_status,
};
use converge_controller::storage::Consistency;
use converge_controller::{
    Condition, ConditionState, Id, Ref, Reference, Resource, Scope, Status, StoredResource, Typed,
};

/// An artist, who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {
    /// The genre of the artist.
    #[stored(tag = 1)]
    genre: String,
}

/// An album of an artist.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Album {
    /// The artist who made the album.
    #[stored(tag = 1)]
    artist: Option<Ref<Artist>>,
}

const BY_ARTIST: Index<Album, Reference> =
    Index::one("artist", |album| album.artist.as_ref().map(Reference::from));

/// Creates an artist, so that the controller has something to do.
async fn initialize(runtime: Runtime) -> Result<(), RunError> {
    let tenancy = Scope::Namespace.default_tenancy();
    let id = Id::new(Artist::resource_type().clone(), tenancy, "korn".parse()?);
    if runtime.client.find(&id, Consistency::Strong).await?.is_none() {
        runtime.client.write(Resource::new(id)).await?;
    }
    Ok(())
}

/// Reports the number of albums of an artist.
async fn reconcile(runtime: Runtime, request: Request<Artist>) -> Result<Action, RunError> {
    let artist = runtime.client.find(request.id(), Consistency::Eventual).await?;
    if let Some(artist) = artist
        && let Some(generation) = artist.generation
    {
        let albums = runtime.cache.list(&BY_ARTIST, &Reference::from(request.id().clone()))?;
        let counted = Condition::new("counted", ConditionState::True).reason(albums.len().to_string());
        update_status(&runtime, &artist, &"artists".parse()?, Status::new(generation, [counted])).await?;
    }
    Ok(Action::await_change())
}

/// Registers the types; each package of types has such a function.
fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<Artist>()?;
    types.register::<Album>()
}

/// Registers the controllers; each package of controllers has such a function.
fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    let by_album = map::references(|album: &Typed<Album>| album.artist.as_ref().map(Reference::from));
    let artists = Controller::<Artist>::new("artists").watch(by_album).index(&BY_ARTIST);
    manager.register(artists.initialize(initialize).reconcile(reconcile))
}

fn main() -> ExitCode {
    converge_server::Program::new()
        .with_types(register_types)
        .with_controllers(register_controllers)
        .with_name("custom_server")
        .main()
}
