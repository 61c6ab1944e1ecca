//! What of the Language Server Protocol is used here: parameters as they come, and the words of answers.
//!
//! Fields that are not used are not read.

use std::collections::BTreeMap;

use converge_core::assist::CompletionKind;
use converge_core::diagnostic::Severity;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::text::{Encoding, Position, Span};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct InitializeParams {
    root_uri: Option<String>,
    workspace_folders: Option<Vec<WorkspaceFolder>>,
    capabilities: Value,
}

#[derive(Debug, Deserialize)]
struct WorkspaceFolder {
    uri: String,
}

/// What the client can do that matters here.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    pub(super) takes_snippets: bool,
    pub(super) watches_files: bool,
}

impl InitializeParams {
    /// The folders that are open.
    pub(super) fn folders(&self) -> Vec<String> {
        match &self.workspace_folders {
            Some(folders) => folders.iter().map(|folder| folder.uri.clone()).collect(),
            None => self.root_uri.iter().cloned().collect(),
        }
    }

    pub(super) fn client(&self) -> Client {
        let can = |path: &str| self.capabilities.pointer(path).and_then(Value::as_bool).unwrap_or_default();
        let encodings = self.capabilities.pointer("/general/positionEncodings").and_then(Value::as_array);
        let takes_bytes = encodings.is_some_and(|known| known.iter().any(|name| name == "utf-8"));
        Client {
            encoding: if takes_bytes { Encoding::Utf8 } else { Encoding::Utf16 },
            takes_snippets: can("/textDocument/completion/completionItem/snippetSupport"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
        }
    }
}

/// What is said of this server when it is asked to begin.
pub(super) fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.name(),
            "textDocumentSync": { "openClose": true, "change": 2 },
            "completionProvider": { "triggerCharacters": [".", "\"", "`", "/"] },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "renameProvider": { "prepareProvider": true },
        },
        "serverInfo": { "name": "converge", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// What asks the client to say when modules change on the disk.
pub(super) fn watch_files() -> Value {
    json!({
        "registrations": [{
            "id": "modules",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": [{ "globPattern": "**/*.hcl" }] },
        }]
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct DocumentName {
    pub(super) uri: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidOpen {
    pub(super) text_document: OpenedDocument,
}

#[derive(Debug, Deserialize)]
pub(super) struct OpenedDocument {
    pub(super) uri: String,
    pub(super) version: i64,
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DidChange {
    pub(super) text_document: ChangedDocument,
    pub(super) content_changes: Vec<ContentChange>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ChangedDocument {
    pub(super) uri: String,
    pub(super) version: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContentChange {
    /// What is replaced; all of it when nothing is said.
    #[serde(default)]
    pub(super) range: Option<Span>,
    pub(super) text: String,
}

/// What is only about a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OfDocument {
    pub(super) text_document: DocumentName,
}

/// What is about a place in a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AtPosition {
    pub(super) text_document: DocumentName,
    pub(super) position: Position,
    #[serde(default)]
    pub(super) context: ReferenceContext,
    /// Of a rename.
    #[serde(default)]
    pub(super) new_name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ReferenceContext {
    pub(super) include_declaration: bool,
}

/// What is about a stretch of a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InRange {
    pub(super) text_document: DocumentName,
    pub(super) range: Span,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cancel {
    pub(super) id: super::message::RequestId,
}

/// A mistake, as the client shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Problem {
    pub(super) range: Span,
    pub(super) severity: u8,
    pub(super) code: &'static str,
    pub(super) source: &'static str,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_information: Vec<Related>,
}

/// A place that explains a mistake.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Related {
    pub(super) location: Location,
    pub(super) message: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Location {
    pub(super) uri: String,
    pub(super) range: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextEdit {
    pub(super) range: Span,
    pub(super) new_text: String,
}

/// The edits of each document, by what the client calls it.
#[derive(Debug, Serialize)]
pub(super) struct WorkspaceEdit {
    pub(super) changes: BTreeMap<String, Vec<TextEdit>>,
}

/// Something that a document declares, with what stands in it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentSymbol<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u8,
    pub(super) range: Span,
    pub(super) selection_range: Span,
    pub(super) children: Vec<DocumentSymbol<'a>>,
}

/// The number of what is only worth knowing.
pub(super) const INFORMATION: u8 = 3;

pub(super) fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    }
}

/// The number of a kind of completion.
pub(super) fn completion_kind(kind: CompletionKind) -> u8 {
    match kind {
        CompletionKind::Type => 7,
        CompletionKind::Argument => 10,
        CompletionKind::Param => 6,
        CompletionKind::Name => 18,
        CompletionKind::Function => 3,
        CompletionKind::Value => 12,
        CompletionKind::Keyword => 14,
        CompletionKind::File => 17,
        // A field, and whatever a later version of the library knows.
        _ => 5,
    }
}

/// The number of a kind of symbol, by the word at its head.
pub(super) fn symbol_kind(kind: &str) -> u8 {
    match kind {
        "param" => 13,
        "module" => 2,
        "switch" => 10,
        "case" | "default" => 22,
        _ => 19,
    }
}
