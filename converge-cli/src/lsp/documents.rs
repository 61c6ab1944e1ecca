//! The texts that the client has open.

use std::collections::HashMap;
use std::sync::Arc;

use converge_core::assist::Workspace;
use converge_core::load::Source;

use super::protocol::ContentChange;
use super::text::{Encoding, Text};
use super::uri;

/// A text that the client has open.
#[derive(Debug)]
pub(super) struct Document {
    /// The URI that the client uses.
    pub(super) uri: String,
    pub(super) version: i64,
    pub(super) text: Text,
    /// Whether the workspace has this text.
    is_known: bool,
    /// The number of changes before the last change of this text.
    changed: u64,
}

#[derive(Debug, Default)]
pub(super) struct Documents {
    open: HashMap<Source, Document>,
    /// The number of changes so far.
    changes: u64,
}

impl Documents {
    pub(super) fn open(&mut self, uri: String, version: i64, text: String) -> Source {
        let source = uri::source(&uri);
        self.changes += 1;
        let changed = self.changes;
        let document = Document { uri, version, text: Text::new(text), is_known: false, changed };
        self.open.insert(source.clone(), document);
        source
    }

    pub(super) fn close(&mut self, uri: &str) -> Option<Source> {
        let source = uri::source(uri);
        self.open.remove(&source).map(|_| source)
    }

    /// Changes a text and returns its source, or `None` if the text is not open.
    pub(super) fn change(
        &mut self,
        uri: &str,
        version: i64,
        changes: Vec<ContentChange>,
        encoding: Encoding,
    ) -> Option<Source> {
        let source = uri::source(uri);
        let document = self.open.get_mut(&source)?;
        for ContentChange { range, text } in changes {
            match range {
                Some(span) => document.text.replace(document.text.range(span, encoding), &text),
                None => document.text = Text::new(text),
            }
        }
        self.changes += 1;
        document.version = version;
        document.is_known = false;
        document.changed = self.changes;
        Some(source)
    }

    pub(super) fn get(&self, source: &Source) -> Option<&Document> {
        self.open.get(source)
    }

    /// Returns the number of changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Returns whether a text was changed after this number of changes.
    pub(super) fn has_changed_since(&self, source: &Source, changes: u64) -> bool {
        self.get(source).is_some_and(|document| document.changed > changes)
    }

    /// Returns the open sources, sorted by name.
    pub(super) fn sources(&self) -> Vec<Source> {
        let mut sources: Vec<Source> = self.open.keys().cloned().collect();
        sources.sort_by(|a, b| a.name().cmp(b.name()));
        sources
    }

    /// Updates the texts of the workspace.
    ///
    /// A text that no request needs between two changes is never copied.
    pub(super) fn update_workspace(&mut self, workspace: &mut Workspace<'_>) {
        for (source, document) in self.open.iter_mut().filter(|(_, document)| !document.is_known) {
            workspace.open(source.clone(), Arc::from(document.text.as_str()));
            document.is_known = true;
        }
    }

    /// Returns the URI that the client uses for a file.
    pub(super) fn uri(&self, source: &Source) -> String {
        self.get(source).map_or_else(
            || uri::from_path(std::path::Path::new(&**source.name())),
            |document| document.uri.clone(),
        )
    }
}
