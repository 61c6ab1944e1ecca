//! The state of a session, and the handlers of messages.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use converge_core::Registry;
use converge_core::assist::Workspace;
use converge_core::engine::CancellationToken;
use converge_core::load::{ModuleCache, Source, Sources};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::analysis::{Findings, Job};
use super::answers::Answers;
use super::documents::Documents;
use super::message::{Failure, Incoming, Outbox, RequestId, result};
use super::problems::Report;
use super::protocol::{
    Client, DidChange, DidOpen, DocumentParams, InitializeParams, Problem, capabilities, watch_files,
};
use super::uri;

/// The phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Begun,
    /// The client has requested the shutdown, so no more requests are allowed.
    ShutDown,
}

/// The reason why a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client requested a shutdown and then the exit.
    Clean,
    /// The client ended the session without a shutdown.
    Abrupt,
    /// The client sent invalid input, for this reason.
    Broken(String),
}

#[derive(Debug)]
pub(super) struct Server<'r> {
    registry: &'r Registry,
    workspace: Workspace<'r>,
    documents: Documents,
    client: Client,
    phase: Phase,
    folders: Vec<Source>,
    cache: ModuleCache,
    /// The files to analyse, the next one last.
    dirty: Vec<Source>,
    running: Option<(Source, CancellationToken)>,
    reports: HashMap<Source, Report>,
    /// The files for which the client shows problems.
    published: HashSet<Source>,
    pub(super) out: Outbox,
}

impl<'r> Server<'r> {
    pub(super) fn new(registry: &'r Registry, sources: Sources) -> Self {
        Self {
            registry,
            workspace: Workspace::new(registry, sources),
            documents: Documents::default(),
            client: Client::default(),
            phase: Phase::New,
            folders: Vec::new(),
            cache: ModuleCache::new(),
            dirty: Vec::new(),
            running: None,
            reports: HashMap::new(),
            published: HashSet::new(),
            out: Outbox::default(),
        }
    }

    /// Handles a message, and returns the folders to search for modules, if any.
    pub(super) fn handle(&mut self, message: Incoming) -> ControlFlow<End, Option<Vec<Source>>> {
        match message {
            Incoming::Request { id, method, params } => {
                self.request(&id, &method, params);
                ControlFlow::Continue(None)
            }
            Incoming::Notification { method, .. } if method == "exit" => {
                ControlFlow::Break(if self.phase == Phase::ShutDown { End::Clean } else { End::Abrupt })
            }
            Incoming::Notification { method, params } => {
                ControlFlow::Continue(if self.phase == Phase::Begun {
                    self.notification(&method, params)
                } else {
                    None
                })
            }
            Incoming::Answer => ControlFlow::Continue(None),
        }
    }

    fn request(&mut self, id: &RequestId, method: &str, params: Value) {
        let answer = match (self.phase, method) {
            (Phase::New, "initialize") => self.initialize(params).and_then(|reply| result(&reply)),
            (Phase::New, _) => Err(Failure::not_initialized()),
            (Phase::Begun, "initialize") => Err(Failure::invalid("the session has begun already")),
            (Phase::Begun, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.stop();
                result(&Value::Null)
            }
            (Phase::Begun, method) => {
                self.documents.update_workspace(&mut self.workspace);
                let Self { workspace, documents, client, reports, .. } = &*self;
                Answers { workspace, documents, client: *client, reports }.answer(method, params)
            }
            (Phase::ShutDown, _) => Err(Failure::invalid("the session is shut down")),
        };
        self.out.answer(Some(id), &answer);
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Failure> {
        let params: InitializeParams =
            serde_json::from_value(params).map_err(|error| Failure::params(error.to_string()))?;
        self.client = params.client();
        self.folders = params.folders().iter().map(|folder| uri::source(folder)).collect();
        self.phase = Phase::Begun;
        Ok(capabilities(self.client.encoding))
    }

    fn notification(&mut self, method: &str, params: Value) -> Option<Vec<Source>> {
        match method {
            "initialized" => {
                if self.client.watches_files {
                    self.out.request("watch", "client/registerCapability", &watch_files());
                }
                return Some(self.folders.clone());
            }
            "textDocument/didOpen" => {
                if let Some(DidOpen { text_document: opened }) = read(params) {
                    let source = self.documents.open(opened.uri, opened.version, opened.text);
                    // A module that calls a new file may have been reported as calling a missing one.
                    self.all_changed();
                    self.mark(source);
                }
            }
            "textDocument/didChange" => {
                if let Some(DidChange { text_document, content_changes }) = read(params) {
                    let (uri, version) = (&text_document.uri, text_document.version);
                    let changed = self.documents.change(uri, version, content_changes, self.client.encoding);
                    if let Some(source) = changed {
                        self.changed(&source);
                    }
                }
            }
            "textDocument/didClose" => {
                let source = read::<DocumentParams>(params)
                    .and_then(|document| self.documents.close(&document.text_document.uri));
                if let Some(source) = source {
                    self.workspace.close(&source);
                    self.dirty.retain(|other| *other != source);
                    self.reports.remove(&source);
                    self.all_changed();
                    self.publish(&HashSet::from([source]));
                }
            }
            "workspace/didChangeWatchedFiles" => {
                self.all_changed();
                return Some(self.folders.clone());
            }
            _ => {}
        }
        None
    }

    /// Marks a file to be analysed next.
    fn mark(&mut self, source: Source) {
        if let Some((running, token)) = &self.running
            && *running == source
        {
            token.cancel();
        }
        self.dirty.retain(|other| *other != source);
        self.dirty.push(source);
    }

    /// Marks the findings about a changed text, and about the files that read it, as outdated.
    fn changed(&mut self, source: &Source) {
        let readers = self.documents.sources().into_iter().filter(|other| {
            let report = self.reports.get(other);
            report.is_none_or(|report| report.read.contains(source)) && other != source
        });
        for reader in readers.collect::<Vec<_>>() {
            self.mark(reader);
        }
        self.mark(source.clone());
    }

    fn all_changed(&mut self) {
        for source in self.documents.sources().into_iter().rev() {
            self.mark(source);
        }
    }

    fn stop(&mut self) {
        self.dirty.clear();
        if let Some((_, token)) = &self.running {
            token.cancel();
        }
    }

    /// Returns the next file to analyse.
    ///
    /// It is called only when no message waits, so that only the final text of a series of edits is analysed.
    pub(super) fn next_job(&mut self) -> Option<Job> {
        if self.running.is_some() {
            return None;
        }
        let root = self.dirty.pop()?;
        self.documents.update_workspace(&mut self.workspace);
        let text = self.documents.get(&root).map(|document| document.text.as_str())?;
        let token = CancellationToken::new();
        self.running = Some((root.clone(), token.clone()));
        Some(Job {
            text: Arc::from(text),
            changes: self.documents.changes(),
            root,
            registry: self.registry.clone(),
            sources: self.workspace.sources(),
            cache: self.cache.clone(),
            token,
        })
    }

    /// Discards the current job, because no thread could be started; it is retried after the next change.
    pub(super) fn discard_job(&mut self) {
        self.running = None;
    }

    /// Stores the findings of a job, unless they are outdated.
    pub(super) fn found(&mut self, findings: &Findings) {
        self.running = None;
        let root = &findings.root;
        let is_current =
            self.documents.get(root).is_some_and(|document| document.text.as_str() == &*findings.text);
        if findings.is_stale || !is_current {
            if is_current && self.phase == Phase::Begun && !self.dirty.contains(root) {
                self.dirty.push(root.clone());
            }
            return;
        }
        let report = Report::new(findings, &self.documents, self.client.encoding);
        // A called file may have changed before it was known to be called.
        if report.read.iter().any(|read| self.documents.has_changed_since(read, findings.changes)) {
            self.mark(root.clone());
        }
        let before = self.reports.remove(root);
        let mut files: HashSet<Source> = report.problems.keys().cloned().collect();
        files.extend(before.into_iter().flat_map(|before| before.problems.into_keys()));
        files.insert(root.clone());
        self.reports.insert(root.clone(), report);
        self.publish(&files);
    }

    /// Stores the modules found in the folders.
    pub(super) fn found_modules(&mut self, files: Vec<Source>) {
        self.workspace.set_files(files);
    }

    /// Sends the problems of files to the client, collected from all files that read them.
    fn publish(&mut self, files: &HashSet<Source>) {
        let mut files: Vec<&Source> = files.iter().collect();
        files.sort_by(|a, b| a.name().cmp(b.name()));
        let mut roots: Vec<&Source> = self.reports.keys().collect();
        roots.sort_by(|a, b| a.name().cmp(b.name()));
        for file in files {
            let sources = std::iter::once(&file).chain(roots.iter().filter(|root| **root != file));
            let mut problems: Vec<&Problem> = Vec::new();
            for problem in sources.filter_map(|root| self.reports.get(root)?.problems.get(file)).flatten() {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            let is_open = self.documents.get(file).is_some();
            if problems.is_empty() && !is_open && !self.published.contains(file) {
                continue;
            }
            let mut params = json!({ "uri": self.documents.uri(file), "diagnostics": problems });
            if let Some(document) = self.documents.get(file) {
                params["version"] = document.version.into();
            }
            if problems.is_empty() {
                self.published.remove(file);
            } else {
                self.published.insert(file.clone());
            }
            self.out.notify("textDocument/publishDiagnostics", &params);
        }
    }
}

/// Parses the parameters of a notification, and logs invalid ones because a notification has no answer.
fn read<T: DeserializeOwned>(params: Value) -> Option<T> {
    match serde_json::from_value(params) {
        Ok(params) => Some(params),
        Err(error) => {
            tracing::warn!(%error, "a notification cannot be understood");
            None
        }
    }
}
