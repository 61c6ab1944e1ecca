//! Parameter values from outside a module: parameter files and JSON.

mod hcl;
mod json;
pub(super) mod literal_scan;
#[cfg(test)]
mod tests;
mod yaml;

pub(super) use json::reason as json_reason;

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;

use self::literal_scan::hide_values;
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::graph::ParamOrigin;
use converge_source::{Source, Sources};
use converge_value::types::value::{Text, Value};

/// The key by which a file names its JSON schema.
const SCHEMA: &str = "$schema";

/// A value that is given to a parameter from outside the module.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GivenParam {
    /// The name of the parameter.
    pub name: Arc<str>,
    /// The value. Text is literal, even if it contains `{{`.
    pub value: Value,
    /// The origin of the value.
    pub origin: ParamOrigin,
}

impl GivenParam {
    /// Creates a value for the parameter `name`.
    pub fn new(name: impl Into<Text>, value: impl Into<Value>, origin: ParamOrigin) -> Self {
        Self { name: name.into().into(), value: value.into(), origin }
    }
}

/// The content of a parameter file, with its errors.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct GivenParams {
    /// The valid values in source order.
    pub params: Vec<GivenParam>,
    /// All errors and warnings.
    pub diagnostics: Diagnostics,
    /// The text that the diagnostics refer to.
    pub sources: SourceMap,
}

impl GivenParams {
    /// Reads a file, as [`from_text`](Self::from_text) reads its text.
    pub fn read(path: &Path) -> Self {
        match Sources::new().read(&Source::file(path)) {
            Ok(text) => Self::from_text(&path.display().to_string(), &text),
            Err(error) => {
                let mut params = Self::default();
                params.diagnostics.push(Diagnostic::from(error));
                params
            }
        }
    }

    /// Parses the text of a parameter file; messages call the file `name`.
    ///
    /// The text is JSON, YAML or HCL if `name` ends in `.json`, in `.yaml` or `.yml`, or in `.hcl`. Under
    /// another name, as that of a pipe, the text itself decides.
    ///
    /// ```
    /// use converge_core::load::GivenParams;
    ///
    /// for text in ["ports = [80]\n", "ports:\n- 80\n", "{\"ports\": [80]}"] {
    ///     let given = GivenParams::from_text("-", text);
    ///     assert_eq!(given.params[0].value.to_string(), "[80]");
    /// }
    /// ```
    pub fn from_text(name: &str, text: &str) -> Self {
        let origin = |line| ParamOrigin::File { file: name.into(), line };
        match Format::from_name(name).unwrap_or_else(|| Format::from_text(text)) {
            Format::Json => Self::from_json(name, text, &origin(None)),
            Format::Yaml => Self::from_document(name, text, &origin(None), yaml::read),
            Format::Hcl => Self::from_hcl(name, text, |line| origin(Some(line))),
        }
    }

    /// Reads a file found among modules if it is a parameter file, which has values and no blocks.
    pub fn among_modules(path: &Path) -> Option<Self> {
        let text = Sources::new().read(&Source::file(path)).ok()?;
        Self::from_values(&path.display().to_string(), &text)
    }

    /// Parses the text of a file found among modules if it is a parameter file.
    ///
    /// Messages call the file `name`.
    ///
    /// ```
    /// use converge_core::load::GivenParams;
    ///
    /// let given = GivenParams::from_values("blue.hcl", "ports = [80]\n");
    /// assert_eq!(given.map(|given| given.params.len()), Some(1));
    /// assert!(GivenParams::from_values("web.hcl", "param \"ports\" {}\n").is_none());
    /// ```
    pub fn from_values(name: &str, text: &str) -> Option<Self> {
        hcl::has_only_values(text).then(|| {
            let origin = |line| ParamOrigin::File { file: name.into(), line: Some(line) };
            Self::from_hcl(name, text, origin)
        })
    }

    /// Parses a JSON object with a value for each parameter; messages call the text `name`.
    ///
    /// ```
    /// use converge_core::graph::ParamOrigin;
    /// use converge_core::load::GivenParams;
    ///
    /// let given = GivenParams::from_json("--params-json", r#"{"ports": [80]}"#, &ParamOrigin::Json);
    /// assert!(given.diagnostics.is_empty());
    /// assert_eq!(&*given.params[0].name, "ports");
    /// ```
    pub fn from_json(name: &str, text: &str, origin: &ParamOrigin) -> Self {
        Self::from_document(name, text, origin, json::read)
    }

    /// Parses a text whose root is a map with a value for each parameter.
    fn from_document(name: &str, text: &str, origin: &ParamOrigin, read: ReadDocument) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut sources = SourceMap::new();
        let file = hidden(&mut sources, name, text);
        let mut diagnostics = Diagnostics::new();
        let mut values = read(text, file).map_err(|error| diagnostics.push(error)).unwrap_or_default();
        // The schema is a hint for editors and no parameter.
        if matches!(values.get(SCHEMA), Some(Value::String(_))) {
            values.shift_remove(SCHEMA);
        }
        let to_param = |(name, value)| GivenParam { name: String::into(name), value, origin: origin.clone() };
        diagnostics.redact(sources.redactor());
        Self { params: values.into_iter().map(to_param).collect(), diagnostics, sources }
    }

    /// Parses HCL with a value for each parameter; `origin` converts a line number to an origin.
    fn from_hcl(name: &str, text: &str, origin: impl Fn(usize) -> ParamOrigin) -> Self {
        let mut sources = SourceMap::new();
        let file = hidden(&mut sources, name, text);
        let (values, mut diagnostics) = hcl::read(text, file);
        diagnostics.sort(&sources);
        diagnostics.redact(sources.redactor());
        let to_param = |hcl::Entry { name, value, span }| GivenParam {
            name,
            value,
            origin: origin(sources.position(span).line),
        };
        let params = values.into_iter().map(to_param).collect();
        Self { params, diagnostics, sources }
    }
}

/// A function that reads the values of a document.
type ReadDocument = fn(&str, FileId) -> Result<IndexMap<String, Value>, Diagnostic>;

/// The language of a parameter file.
#[derive(Clone, Copy)]
enum Format {
    Hcl,
    Json,
    Yaml,
}

impl Format {
    /// Returns the language that the extension of a file name stands for.
    fn from_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "hcl" => Some(Self::Hcl),
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }

    /// Returns the language of a text: JSON if it begins with a brace, else YAML or HCL.
    ///
    /// A mistake in JSON may be a word in YAML, so such a text is never read as YAML.
    fn from_text(text: &str) -> Self {
        if text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
            Self::Json
        } else if !hcl::is_valid(text) && yaml::is_map(text) {
            Self::Yaml
        } else {
            Self::Hcl
        }
    }
}

/// Adds a text that is never quoted, because only the module knows which of its values are sensitive.
fn hidden(sources: &mut SourceMap, name: &str, text: &str) -> FileId {
    let file = sources.add(name, text);
    sources.hide(Span::new(file, 0, text.len()));
    hide_values(text, sources.redactor());
    sources.redactor().hide_credentials(text);
    file
}
