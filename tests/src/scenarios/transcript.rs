//! The environment of the scenarios and the recorded answers.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use converge_core::system::{System, SystemError};

/// The actual and the expected answer of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The operation.
    pub story: String,
    /// The actual answer.
    pub answer: String,
    /// The expected answer.
    pub expect: &'static str,
}

/// A machine, a folder that the scenarios may change, and a server that the machine can reach.
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

    /// Records the result of an operation.
    pub(super) fn done<T: Debug>(
        &mut self,
        story: &str,
        result: Result<T, SystemError>,
        expect: &'static str,
    ) {
        let answer = match result {
            Ok(value) => format!("{value:?}"),
            Err(error) => error.kind.to_string(),
        };
        self.add(story, answer, expect);
    }
}
