//! Lesson 20: a finalizer.
//!
//! The controller builds a stage for each artist, a file in a folder. The stage must be taken down before the
//! artist is deleted. The controller therefore holds a finalizer, from before it builds the stage until the
//! stage is removed. Until then, a deletion only marks the artist.
//!
//! Run it with `cargo run --example finalizer`.

#![expect(clippy::disallowed_methods, reason = "the ban on direct effects is for resources of modules")]

use std::error::Error;
use std::path::{Path, PathBuf};

use converge_controller::StoredResource;
use converge_controller::registry::TypeRegistry;
use converge_controller::runtime::{
    Action, Controller, Definition, FinalizerError, FinalizerEvent, finalize,
};
use converge_controller::testing::{ControllerTest, resource};

/// An artist, who makes music.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
pub struct Artist {}

/// Builds or removes a stage in a folder. Both actions may be requested repeatedly.
fn act(folder: &Path, event: FinalizerEvent<Artist>) -> std::io::Result<Action> {
    match event {
        FinalizerEvent::Apply(artist) => std::fs::write(folder.join(artist.id().name.as_str()), "stage\n")?,
        FinalizerEvent::Cleanup(artist) => match std::fs::remove_file(folder.join(artist.id().name.as_str()))
        {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => println!("the stage of {} is taken down", artist.id().name),
        },
    }
    Ok(Action::await_change())
}

fn stages(folder: PathBuf) -> Definition {
    Controller::<Artist>::new("stages").reconcile(move |runtime, request| {
        let folder = folder.clone();
        async move {
            let name = "example.org/stage".parse().map_err(|error| FinalizerError::Act(Box::new(error)))?;
            finalize(&runtime, &request, &name, async |event| act(&folder, event)).await
        }
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().to_owned();
    let test = ControllerTest::builder()
        .types(TypeRegistry::register::<Artist>)
        .controllers(move |manager| manager.register(stages(path.clone())))
        .start()
        .await;

    let korn = resource::<Artist>("korn").write(&test.client).await;
    let stage = folder.path().join("korn");
    test.client
        .wait_for_resource_state(korn.id(), |artist| artist.metadata.has_finalizers() && stage.exists())
        .await;
    println!("korn has a stage");

    test.client.must_delete(korn.id()).await;
    test.client.wait_for_deletion(korn.id()).await;
    assert!(!stage.exists(), "the stage goes before its artist");
    test.stop().await;
    Ok(())
}
