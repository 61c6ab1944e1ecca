//! Where stories are told, and what was said.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use converge_core::system::{System, SystemError};

/// What a machine answered, and what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What was asked of it.
    pub story: String,
    /// What it said.
    pub answer: String,
    /// What it should say.
    pub expect: &'static str,
}

/// A machine, a folder of it that the stories may change, and a server that can be reached from it.
pub(super) struct Place<'a> {
    pub(super) system: &'a dyn System,
    pub(super) folder: &'a Path,
    pub(super) server: String,
    pub(super) lines: Vec<Line>,
}

impl Place<'_> {
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub(super) fn add(&mut self, story: &str, answer: impl Into<String>, expect: &'static str) {
        self.lines.push(Line { story: story.to_owned(), answer: answer.into(), expect });
    }

    /// What was done, or why it was not.
    pub(super) fn done<T: Debug>(&mut self, story: &str, done: Result<T, SystemError>, expect: &'static str) {
        let answer = match done {
            Ok(done) => format!("{done:?}"),
            Err(error) => format!("{:?}", error.kind),
        };
        self.add(story, answer, expect);
    }
}
