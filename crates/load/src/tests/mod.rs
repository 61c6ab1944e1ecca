//! Tests of modules and the diagnostics of loading them.

#![expect(clippy::disallowed_methods, reason = "tests make the files that they load")]

mod cache;
mod deferred_instances;
mod fields;
mod folders;
mod footprint;
mod graph_builder;
mod graph_structure;
mod graphs;
mod limits;
mod locals;
mod meta;
mod mistakes;
mod modules;
mod outputs;
mod panics;
mod references;
mod removals;
mod switches;
mod unused;
mod values;

use super::{Loaded, Loader};
use crate::diagnostic::{Diagnostic, Span};
use crate::sdk::prelude::*;
use crate::sdk::registry::Registry;
use converge_value::types::value::{FieldError, FieldErrorKind, PathSegment};

/// A test resource with fields of every kind that loading handles specially.
#[derive(Debug, Preparer)]
#[preparer(name = "a.thing", task = Thing, validate, register = false)]
struct ThingPreparer {
    /// A required path.
    #[hcl(required, nonempty)]
    path: String,
    /// A mode in octal notation.
    #[hcl(base = 8)]
    mode: Option<u32>,
    /// A flag.
    flag: bool,
    /// A list of numbers.
    #[hcl(alias = "nums")]
    numbers: Vec<u8>,
    /// A map of variables.
    env: std::collections::BTreeMap<String, String>,
    /// Nested blocks.
    part: Vec<Part>,
    /// A field that excludes `right`.
    #[hcl(mutually_exclusive = "left,right")]
    left: Option<String>,
    /// A field that excludes `left`.
    #[hcl(mutually_exclusive = "left,right")]
    right: Option<String>,
    /// A deprecated field.
    #[hcl(deprecated = "write `path`")]
    place: Option<String>,
    /// A sensitive field.
    #[hcl(sensitive, pattern = "^[a-z]+$")]
    password: Option<Secret<String>>,
}

impl Validate for ThingPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let mut errors = Vec::new();
        if self.left.as_ref() == Some(&self.path) {
            let message = format!("it is {:?}, and so is `path`", self.path);
            errors.push(FieldError::new("left", FieldErrorKind::Invalid { message }));
        }
        if let Some(index) = self.numbers.iter().position(|number| *number == 13) {
            let mut error =
                FieldError::new("numbers", FieldErrorKind::Invalid { message: "13 is left out".into() });
            error.path.0.push(PathSegment::Index(index));
            errors.push(error);
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// A nested block.
#[derive(Debug, HclBlock)]
struct Part {
    /// The size of the part.
    #[hcl(required)]
    size: u8,
}

/// The exports of the test resource.
#[derive(Debug, Export)]
struct Thing {
    /// The path.
    #[export]
    path: String,
    /// A nested export.
    #[re_export_as = "status"]
    status: Inner,
    /// A map export.
    #[export]
    names: std::collections::BTreeMap<String, String>,
}

/// A nested export.
#[derive(Debug, Default, Export)]
struct Inner {
    /// The output.
    #[export(computed)]
    stdout: String,
}

impl Resource for ThingPreparer {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Thing> {
        let size = self.part.iter().map(|block| u32::from(block.size)).sum::<u32>();
        let summary = format!(
            "{}{:?}{:?}{}{:?}{:?}{:?}{:?}{size}",
            self.path, self.mode, self.numbers, self.flag, self.env, self.left, self.right, self.place
        );
        let length = self.password.map_or(0, |password| password.expose().len());
        Ok(Thing { path: format!("{summary}{length}"), status: Inner::default(), names: self.env })
    }
}

impl Task for Thing {
    async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}

fn registry() -> Registry {
    Registry::new().with::<ThingPreparer>().unwrap()
}

fn load(text: &str) -> Loaded {
    let registry = registry();
    let loaded = Loader::new(&registry).load_text("m.hcl", text);
    cache::check_same(&registry, &loaded, |loader| loader.load_text("m.hcl", text));
    loaded
}

/// Checks all diagnostics of a module, as `line:column code: message | help` with all positions.
fn check(text: &str, expect: &[&str]) {
    let loaded = load(text);
    let place = |span| {
        let position = loaded.sources.position(span);
        format!("{}:{}", position.line, position.column)
    };
    assert_eq!(lines(&loaded, place), expect, "{text}");
}

/// Formats each diagnostic as a line.
fn lines(loaded: &Loaded, place: impl Fn(Span) -> String) -> Vec<String> {
    let line = |diagnostic: &Diagnostic| {
        let places: Vec<String> = diagnostic.labels.iter().map(|label| place(label.span)).collect();
        let help = diagnostic.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
        format!("{} {}: {}{help}", places.join(" "), diagnostic.code, diagnostic.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn load(files: &[(&str, &str)]) -> (Self, Loaded) {
        let folder = Self::new(files);
        let (registry, path) = (registry(), folder.0.path().join(files[0].0));
        let loaded = Loader::new(&registry).load_file(&path);
        cache::check_same(&registry, &loaded, |loader| loader.load_file(&path));
        (folder, loaded)
    }

    /// Removes the path of the folder from a text.
    fn short(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.path().display()), "")
    }
}

/// Checks the diagnostics of several files, of which the first is loaded.
///
/// The format is that of [`check`], with the file before each position.
fn check_files(files: &[(&str, &str)], expect: &[&str]) {
    let (folder, loaded) = Folder::load(files);
    let lines = lines(&loaded, |span| loaded.sources.location(span));
    let lines: Vec<String> = lines.iter().map(|line| folder.short(line)).collect();
    assert_eq!(lines, expect, "{files:#?}");
}
