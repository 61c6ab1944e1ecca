//! Resources in files, parsed for sending to a server.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use converge_client::{PathStep, Refusal};
use converge_core::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use serde_json::{Map, Value as Json, json};

use crate::args::TenancyArgs;
use crate::console::{Console, print_error};
use crate::document::{self, Entry, Language, Node, Value, Walk, unknown};
use crate::error::CliError;
use crate::output::diagnostics::human;
use crate::remote::{KnownType, Named, Types};

/// The name of standard input in messages.
const STANDARD_INPUT: &str = "<stdin>";
/// The maximum size of a file in bytes.
const MOST_BYTES: u64 = 16 * 1024 * 1024;
/// The top-level fields of a resource.
const FIELDS: [&str; 10] =
    ["id", "type", "name", "partition", "namespace", "owner", "version", "metadata", "data", "status"];

#[derive(Debug, Args)]
pub(super) struct FileArgs {
    /// Files or folders; of a folder every `.hcl`, `.yaml`, `.yml` and `.json` file in it. `-` is standard
    /// input
    #[arg(short = 'f', long = "file", required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// The language of standard input, and of files whose extension does not say it [default: detected from
    /// the content]
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<Language>,

    #[command(flatten)]
    pub(super) tenancy: TenancyArgs,
}

/// A resource read from a file.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) named: Named,
    pub(super) body: Json,
    file: FileId,
    node: Node,
}

/// All resources read from some files, with their sources.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    pub(super) all: Vec<Draft>,
    sources: SourceMap,
    diagnostics: Diagnostics,
}

impl FileArgs {
    /// Reads all resources, or reports every mistake and returns `None`.
    pub(super) fn read(&self, types: &Types, console: Console) -> Result<Option<Drafts>, CliError> {
        let mut drafts = Drafts::default();
        for path in &self.files {
            if path == Path::new("-") {
                let mut bytes = Vec::new();
                let read = std::io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes);
                read.map_err(CliError::StandardInput)?;
                drafts.add(STANDARD_INPUT, bytes, self.language, types, &self.tenancy)?;
                continue;
            }
            for file in in_folder(path)? {
                let bytes = read(&file)?;
                let language = self.language.or_else(|| Language::from_path(&file));
                drafts.add(&file.display().to_string(), bytes, language, types, &self.tenancy)?;
            }
        }
        if drafts.diagnostics.has_errors() {
            drafts.report(&drafts.diagnostics, console);
            return Ok(None);
        }
        Ok(Some(drafts))
    }
}

/// Returns the file itself, or the resource files of a folder, sorted by name.
#[expect(clippy::disallowed_methods, reason = "files of whoever runs the command")]
fn in_folder(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable =
        |error| CliError::File { file: path.to_owned(), problem: format!("cannot be read: {error}") };
    let entries = std::fs::read_dir(path).map_err(unreadable)?;
    let entries: Result<Vec<_>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut files = entries.map_err(unreadable)?;
    files.retain(|file| Language::from_path(file).is_some() && file.is_file());
    files.sort();
    Ok(files)
}

#[expect(clippy::disallowed_methods, reason = "files of whoever runs the command")]
fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|opened| opened.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| CliError::File {
        file: file.to_owned(),
        problem: format!("cannot be read: {error}"),
    })
}

impl Drafts {
    /// Adds the resources of a text.
    pub(super) fn add(
        &mut self,
        name: &str,
        bytes: Vec<u8>,
        language: Option<Language>,
        types: &Types,
        tenancy: &TenancyArgs,
    ) -> Result<(), CliError> {
        let file_error = |problem: String| CliError::File { file: name.into(), problem };
        if bytes.len() as u64 > MOST_BYTES {
            return Err(file_error(format!("it has more than {MOST_BYTES} bytes")));
        }
        let text: Arc<str> =
            String::from_utf8(bytes).map_err(|error| file_error(format!("is not UTF-8: {error}")))?.into();
        let language = language.unwrap_or_else(|| Language::from_content(&text));
        let file = self.sources.add(name, Arc::clone(&text));
        let (nodes, diagnostics) = document::read(language, file, &text);
        self.diagnostics.extend(diagnostics);
        for node in nodes {
            let mut reader = Reader { types, file, diagnostics: &mut self.diagnostics };
            if let Some((named, body)) = reader.resource(&node, tenancy) {
                self.all.push(Draft { named, body, file, node });
            }
        }
        Ok(())
    }

    /// Returns whether the added texts have mistakes.
    pub(super) fn has_mistakes(&self) -> bool {
        self.diagnostics.has_errors()
    }

    /// Reports the mistakes of the added texts.
    pub(super) fn report_all(&self, console: Console) {
        self.report(&self.diagnostics, console);
    }

    /// Reports what a server refuses about a resource, at the matching positions in the file.
    pub(super) fn report_refusal(&self, draft: &Draft, refusal: &Refusal, console: Console) {
        let span_at = |path: &[PathStep]| {
            let range = draft.node.place(path);
            Span::new(draft.file, range.start, range.end)
        };
        let mut diagnostics = Diagnostics::new();
        for problem in &refusal.problems {
            let diagnostic = Diagnostic::error("refused", problem.message.clone());
            diagnostics.push(diagnostic.label(span_at(&problem.path), ""));
        }
        if refusal.problems.is_empty() {
            diagnostics.push(Diagnostic::error("refused", refusal.message.clone()).label(span_at(&[]), ""));
        }
        self.report(&diagnostics, console);
    }

    fn report(&self, diagnostics: &Diagnostics, console: Console) {
        let place = diagnostics.iter().find_map(Diagnostic::span);
        let name =
            place.and_then(|span| self.sources.file(span.file)).map_or("the files", |file| file.name());
        print_error(&human("apply", name, diagnostics, &self.sources, console.stderr));
    }
}

/// A reader of the resources of one file.
struct Reader<'a> {
    types: &'a Types,
    file: FileId,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn wrong<T>(&mut self, range: &std::ops::Range<usize>, message: impl Into<String>) -> Option<T> {
        let span = Span::new(self.file, range.start, range.end);
        self.diagnostics.push(Diagnostic::error("resource", message).label(span, ""));
        None
    }

    fn resource(&mut self, node: &Node, args: &TenancyArgs) -> Option<(Named, Json)> {
        let Value::Map(entries) = &node.value else { return None };
        let before = self.diagnostics.len();
        for entry in entries {
            // Fields that only a server writes are accepted, so that the output of `read` can be applied
            // again.
            if !FIELDS.contains(&&*entry.name) && entry.name != "generation" {
                self.diagnostics.push(unknown(self.file, entry, "a resource", &FIELDS));
            }
        }
        let id = node.entry("id").map(|entry| &entry.node);
        let field = |name: &str| node.entry(name).or_else(|| id?.entry(name));
        let tenancy = id.and_then(|id| id.entry("tenancy")).map(|entry| &entry.node);
        let unit = |name: &str| node.entry(name).or_else(|| tenancy?.entry(name));

        let resource_type = match field("type") {
            Some(entry) => self.resource_type(&entry.node),
            None => self.wrong(&head(node), "the resource has no `type`"),
        };
        let name = match field("name") {
            Some(entry) => self.text(entry),
            None => self.wrong(&head(node), "the resource has no `name`"),
        };
        let partition = unit("partition").map_or(Some(args.partition.clone()), |entry| self.text(entry));
        let namespace = unit("namespace").map_or(Some(args.namespace.clone()), |entry| self.text(entry));
        let version = node.entry("version").map(|entry| self.text(entry));
        let uid = id.and_then(|id| id.entry("uid")).map(|entry| self.text(entry));
        let owner = node.entry("owner").map(|entry| self.owner(entry));
        let resource_type = resource_type?;

        let mut body = Map::new();
        let texts = json!({ "type": "object", "additionalProperties": { "type": "string" } });
        if let Some(entry) = node.entry("metadata") {
            body.insert("metadata".to_owned(), self.walk(entry, &texts));
        }
        if let Some(entry) = node.entry("data") {
            let any_schema = Json::Bool(true);
            let schema = self.types.data(&resource_type).unwrap_or(&any_schema);
            body.insert("data".to_owned(), self.walk(entry, schema));
        }
        if let Some(owner) = owner {
            body.insert("owner".to_owned(), owner?);
        }
        if let Some(version) = version {
            body.insert("version".to_owned(), version?.into());
        }
        let resource_id = Named { resource_type, name: name?, partition: partition?, namespace: namespace? };
        if let Some(uid) = uid {
            let tenancy = json!({ "partition": resource_id.partition, "namespace": resource_id.namespace });
            let id = json!({ "type": resource_id.resource_type.to_json(), "tenancy": tenancy, "name": resource_id.name, "uid": uid? });
            body.insert("id".to_owned(), id);
        }
        (self.diagnostics.len() == before).then_some((resource_id, Json::Object(body)))
    }

    fn walk(&mut self, entry: &Entry, schema: &Json) -> Json {
        let Self { types, file, diagnostics } = self;
        Walk { schemas: &types.schemas, file: *file, diagnostics }.convert(&entry.name, &entry.node, schema)
    }

    fn text(&mut self, entry: &Entry) -> Option<String> {
        match entry.node.text() {
            Some(text) => Some(text.to_owned()),
            None => self.wrong(&entry.node.range, format!("`{}` must be a text", entry.name)),
        }
    }

    /// Reads a type by its name, or by its parts as a server writes them.
    fn resource_type(&mut self, node: &Node) -> Option<KnownType> {
        let field = |part: &str| node.entry(part)?.node.text();
        let name = match (node.text(), field("group"), field("group_version"), field("kind")) {
            (Some(name), ..) => name.to_owned(),
            (None, Some(group), Some(version), Some(kind)) => format!("{group}.{version}.{kind}"),
            _ => return self.wrong(&node.range, "a type is written like `demo.v2.Artist`"),
        };
        match self.types.find(&name) {
            Ok(known_type) => Some(known_type.clone()),
            Err(error) => self.wrong(&node.range, error.to_string()),
        }
    }

    /// Reads an owner.
    ///
    /// Its type may be a name, and omitted parts of its tenancy default to those of the resource.
    fn owner(&mut self, entry: &Entry) -> Option<Json> {
        let node = match &entry.node.value {
            Value::Blocks(blocks) => blocks.first()?,
            _ => &entry.node,
        };
        let (Some(owner_type), Some(name)) = (node.entry("type"), node.entry("name")) else {
            return self.wrong(&entry.at, "an owner has a `type` and a `name`");
        };
        let (owner_type, name) = (self.resource_type(&owner_type.node)?, self.text(name)?);
        let mut owner = json!({ "type": owner_type.to_json(), "tenancy": {}, "name": name });
        if let Some(tenancy) = node.entry("tenancy") {
            let units = json!({ "type": "object", "additionalProperties": { "type": "string" } });
            owner["tenancy"] = self.walk(tenancy, &units);
        }
        if let Some(uid) = node.entry("uid") {
            owner["uid"] = self.text(uid)?.into();
        }
        Some(owner)
    }
}

/// Returns the range of the beginning of a resource.
fn head(node: &Node) -> std::ops::Range<usize> {
    node.range.start..node.range.start
}
