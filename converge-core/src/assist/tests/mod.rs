//! What is said about places. `$0` is the place that is asked about; `--- NAME` begins another file.

mod complete;
mod cursor;
mod fixes;
mod folders;
mod hover;
mod laws;
mod navigate;
mod rename;

use std::sync::Arc;

use super::workspace::Workspace;
use crate::load::{Source, Sources};
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use crate::types::function::ModuleFunction;

/// A page, in a folder.
///
/// More about it.
#[derive(Debug, Preparer)]
#[preparer(name = "site.page", task = Page, refresh, register = false)]
struct PagePreparer {
    /// Where it is.
    #[hcl(required, nonempty)]
    path: String,
    /// What it says.
    body: Option<String>,
    /// How it is shown.
    look: Option<Look>,
    /// Whether it is there.
    #[hcl(valid_values = "present,absent")]
    state: Option<String>,
    /// Whether all may see it.
    public: bool,
    /// Its parts.
    part: Vec<Part>,
    /// Its words.
    words: Vec<String>,
    /// Old.
    #[hcl(deprecated = "write `path`")]
    place: Option<String>,
    /// What opens it.
    #[hcl(sensitive)]
    key: Option<Secret<String>>,
}

/// How something is shown.
#[derive(Debug, Clone, Copy, HclEnum)]
enum Look {
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// A part.
#[derive(Debug, HclBlock)]
struct Part {
    /// How large it is.
    #[hcl(required)]
    size: u8,
    /// What it is called.
    title: Option<String>,
}

/// A page that was made.
#[derive(Debug, Export)]
struct Page {
    /// Where it is.
    #[export]
    path: String,
    /// What came of it.
    #[export]
    result: Made,
}

/// What came of it.
#[derive(Debug, Default, Export)]
struct Made {
    /// How large it is now.
    #[export(computed)]
    size: u32,
    /// Who made it.
    #[export]
    owner: String,
}

impl Resource for PagePreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Page> {
        let Self { path, body, look, state, public, part, words, place, key } = self;
        let parts: Vec<_> = part.into_iter().map(|Part { size, title }| (size, title)).collect();
        let about = format!("{body:?}{look:?}{state:?}{public}{parts:?}{words:?}{place:?}{}", key.is_some());
        Ok(Page { path: path + &about, result: Made::default() })
    }
}

impl Task for Page {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

impl Refresh for Page {
    async fn refresh(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

pub(super) fn registry() -> Registry {
    let motto = ModuleFunction::pure("motto", "The motto of the house.", |name: String| name);
    Registry::builder().with::<PagePreparer>().with_function(motto).build().unwrap()
}

fn source(name: &str) -> Source {
    Source::file(format!("/there-is-no-such-folder/{name}"))
}

/// The files of a fixture, and the place in the one that has it.
fn files(fixture: &str) -> (Vec<(Source, String)>, Source, usize) {
    let mut files: Vec<(Source, String)> = Vec::new();
    let mut place = None;
    for part in format!("--- main.hcl\n{fixture}").split("--- ").skip(1) {
        let (name, text) = part.split_once('\n').unwrap();
        let mut text = text.to_owned();
        if let Some(at) = text.find("$0") {
            text.replace_range(at..at + 2, "");
            place = Some((source(name), at));
        }
        files.push((source(name), text));
    }
    let (source, at) = place.expect("a fixture has a place");
    (files, source, at)
}

/// Asks something about the place of a fixture.
fn ask<T>(fixture: &str, question: impl FnOnce(&Workspace<'_>, &Source, usize) -> T) -> T {
    let registry = registry();
    let mut workspace = Workspace::new(&registry, Sources::new());
    let (files, source, at) = files(fixture);
    for (source, text) in files {
        workspace.open(source, Arc::from(text));
    }
    question(&workspace, &source, at)
}

/// A place as tests write it: `main.hcl:3:7 |text|`.
fn shown(workspace: &Workspace<'_>, place: &super::Place) -> String {
    let text = workspace.text(&place.source).unwrap();
    let before = &text[..place.range.start];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
    let name = place.source.name().rsplit('/').next().unwrap();
    format!("{name}:{line}:{column} |{}|", &text[place.range.clone()])
}
