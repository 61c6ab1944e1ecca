//! Tests of the dependencies between types.

use super::*;
use crate::runtime::demo::{Album, Artist, Playlist};
use crate::runtime::{Action, Controller, Request, RunError, Runtime, map};

async fn nothing<T>(_: Runtime, _: Request<T>) -> Result<Action, RunError> {
    Ok(Action::await_change())
}

fn albums() -> Definition {
    Controller::<Album>::new("albums").watch::<Artist>(map::all()).reconcile(nothing)
}

fn playlists() -> Definition {
    Controller::<Playlist>::new("playlists")
        .watch::<Artist>(map::all())
        .watch::<Album>(map::all())
        .reconcile(nothing)
}

fn artists() -> Definition {
    Controller::<Artist>::new("artists").reconcile(nothing)
}

#[test]
fn drawings() {
    let dependencies = Dependencies::calculate(&[playlists(), artists(), albums()]);
    assert_eq!(dependencies.validate(), Ok(()));
    assert_eq!(
        dependencies.to_mermaid(),
        "flowchart TD\n    demo.v2.Album --> demo.v2.Artist\n    demo.v2.Artist\n    \
         demo.v2.Playlist --> demo.v2.Album\n    demo.v2.Playlist --> demo.v2.Artist\n"
    );
    assert_eq!(
        dependencies.to_dot(),
        "digraph controllers {\n    \"demo.v2.Album\" -> \"demo.v2.Artist\";\n    \"demo.v2.Artist\";\n    \
         \"demo.v2.Playlist\" -> \"demo.v2.Album\";\n    \"demo.v2.Playlist\" -> \"demo.v2.Artist\";\n}\n"
    );
}

#[test]
fn mistakes() {
    #[track_caller]
    fn check(controllers: &[Definition], expect: &[&str]) {
        let errors = Dependencies::calculate(controllers).validate().err().unwrap_or_default();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, expect);
    }
    let controller_in_cycle = |name: &str| {
        Controller::<Artist>::new(name)
            .watch::<Album>(map::all())
            .watch::<Playlist>(map::all())
            .reconcile(nothing)
    };
    check(&[albums(), playlists()], &[]);
    check(
        &[albums(), playlists(), controller_in_cycle("back")],
        &[
            "demo.v2.Album and demo.v2.Artist are each reconciled by watching the other",
            "demo.v2.Artist and demo.v2.Playlist are each reconciled by watching the other",
        ],
    );
    check(
        &[albums(), albums()],
        &["demo.v2.Album is reconciled by watching demo.v2.Artist in two controllers"],
    );
}
