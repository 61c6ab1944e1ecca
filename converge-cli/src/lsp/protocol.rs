//! The part of the Language Server Protocol in use: parameters of messages, and data of answers.
//!
//! Unused fields are not read.

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

/// The capabilities of the client that affect this server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    pub(super) takes_snippets: bool,
    pub(super) watches_files: bool,
}

impl InitializeParams {
    /// Returns the URIs of the open folders.
    pub(super) fn folders(&self) -> Vec<String> {
        match &self.workspace_folders {
            Some(folders) => folders.iter().map(|folder| folder.uri.clone()).collect(),
            None => self.root_uri.iter().cloned().collect(),
        }
    }

    pub(super) fn client(&self) -> Client {
        let has_capability =
            |path: &str| self.capabilities.pointer(path).and_then(Value::as_bool).unwrap_or_default();
        let encodings = self.capabilities.pointer("/general/positionEncodings").and_then(Value::as_array);
        let takes_bytes = encodings.is_some_and(|names| names.iter().any(|name| name == "utf-8"));
        Client {
            encoding: if takes_bytes { Encoding::Utf8 } else { Encoding::Utf16 },
            takes_snippets: has_capability("/textDocument/completion/completionItem/snippetSupport"),
            watches_files: has_capability("/workspace/didChangeWatchedFiles/dynamicRegistration"),
        }
    }
}

/// Returns the capabilities of this server, for the answer to `initialize`.
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

/// Returns a registration that makes the client report changed module files.
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
    /// The range to replace; `None` for the whole text.
    #[serde(default)]
    pub(super) range: Option<Span>,
    pub(super) text: String,
}

/// The parameters of a request about a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentParams {
    pub(super) text_document: DocumentName,
}

/// The parameters of a request about a position in a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PositionParams {
    pub(super) text_document: DocumentName,
    pub(super) position: Position,
    #[serde(default)]
    pub(super) context: ReferenceContext,
    /// The new name, in a rename request.
    #[serde(default)]
    pub(super) new_name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ReferenceContext {
    pub(super) include_declaration: bool,
}

/// The parameters of a request about a range of a document.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RangeParams {
    pub(super) text_document: DocumentName,
    pub(super) range: Span,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cancel {
    pub(super) id: super::message::RequestId,
}

/// A problem, as the client shows it.
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

/// A place that explains a problem.
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

/// The edits of each document, by URI.
#[derive(Debug, Serialize)]
pub(super) struct WorkspaceEdit {
    pub(super) changes: BTreeMap<String, Vec<TextEdit>>,
}

/// A symbol that a document declares, with the symbols inside it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentSymbol<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u8,
    pub(super) range: Span,
    pub(super) selection_range: Span,
    pub(super) children: Vec<DocumentSymbol<'a>>,
}

/// The severity number of information.
pub(super) const INFORMATION: u8 = 3;

pub(super) fn severity(severity: Severity) -> u8 {
    match severity {
        Severity::Error => 1,
        Severity::Warning => 2,
    }
}

/// Returns the protocol number of a kind of completion.
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
        // Fields, and kinds of later versions of the library.
        _ => 5,
    }
}

/// Returns the protocol number of a kind of symbol, by its keyword.
pub(super) fn symbol_kind(kind: &str) -> u8 {
    match kind {
        "param" => 13,
        "module" => 2,
        "switch" => 10,
        "case" | "default" => 22,
        _ => 19,
    }
}
