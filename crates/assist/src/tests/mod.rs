//! Tests of editor support. `$0` marks the cursor; `--- NAME` begins another file.

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
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use crate::types::function::ModuleFunction;
use converge_source::{Source, Sources};

/// A page, in a folder.
///
/// More about it.
#[derive(Debug, Preparer)]
#[preparer(name = "site.page", task = Page, refresh, register = false)]
struct PagePreparer {
    /// The path of the page.
    #[hcl(required, nonempty)]
    path: String,
    /// The text of the page.
    body: Option<String>,
    /// The colours of the page.
    look: Option<Look>,
    /// Whether the page exists.
    #[hcl(valid_values = "present,absent")]
    state: Option<String>,
    /// Whether everyone may see the page.
    public: bool,
    /// The parts of the page.
    part: Vec<Part>,
    /// The words of the page.
    words: Vec<String>,
    /// The old path.
    #[hcl(deprecated = "write `path`")]
    place: Option<String>,
    /// The key to the page.
    #[hcl(sensitive)]
    key: Option<Secret<String>>,
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, HclEnum)]
enum Look {
    /// Light colours.
    Light,
    /// Dark colours.
    Dark,
}

/// A part of a page.
#[derive(Debug, HclBlock)]
struct Part {
    /// The size of the part.
    #[hcl(required)]
    size: u8,
    /// The title of the part.
    title: Option<String>,
}

/// A page that was made.
#[derive(Debug, Export)]
struct Page {
    /// The path of the page.
    #[export]
    path: String,
    /// The result.
    #[export]
    result: Made,
}

/// The result of making a page.
#[derive(Debug, Default, Export)]
struct Made {
    /// The current size.
    #[export(computed)]
    size: u32,
    /// The owner of the page.
    #[export]
    owner: String,
}

impl Resource for PagePreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Page> {
        let Self { path, body, look, state, public, part, words, place, key } = self;
        let parts: Vec<_> = part.into_iter().map(|Part { size, title }| (size, title)).collect();
        let suffix = format!("{body:?}{look:?}{state:?}{public}{parts:?}{words:?}{place:?}{}", key.is_some());
        Ok(Page { path: path + &suffix, result: Made::default() })
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

/// Returns the files of a fixture, the file with the cursor, and the offset of the cursor.
fn files(fixture: &str) -> (Vec<(Source, String)>, Source, usize) {
    let mut files: Vec<(Source, String)> = Vec::new();
    let mut place = None;
    for section in format!("--- main.hcl\n{fixture}").split("--- ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap();
        let mut text = text.to_owned();
        if let Some(offset) = text.find("$0") {
            text.replace_range(offset..offset + 2, "");
            place = Some((source(name), offset));
        }
        files.push((source(name), text));
    }
    let (source, offset) = place.expect("a fixture has a place");
    (files, source, offset)
}

/// Asks a question at the cursor of a fixture.
fn ask<T>(fixture: &str, question: impl FnOnce(&Workspace<'_>, &Source, usize) -> T) -> T {
    let registry = registry();
    let mut workspace = Workspace::new(&registry, Sources::new());
    let (files, source, offset) = files(fixture);
    for (source, text) in files {
        workspace.open(source, Arc::from(text));
    }
    question(&workspace, &source, offset)
}

/// Formats a place as the tests write it: `main.hcl:3:7 |text|`.
fn shown(workspace: &Workspace<'_>, place: &super::Place) -> String {
    let text = workspace.text(&place.source).unwrap();
    let before = &text[..place.range.start];
    let line = before.matches('\n').count() + 1;
    let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1) + 1;
    let name = place.source.name().rsplit('/').next().unwrap();
    format!("{name}:{line}:{column} |{}|", &text[place.range.clone()])
}
