//! Parameter values from outside a module: parameter files and JSON.

mod hcl;
mod json;
pub(super) mod literal_scan;
#[cfg(test)]
mod tests;

pub(super) use json::reason as json_reason;

use std::path::Path;
use std::sync::Arc;

use self::literal_scan::hide_values;
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::graph::ParamOrigin;
use converge_source::{Source, Sources};
use converge_value::types::value::{Text, Value};

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
    /// Reads a file: JSON if its name ends in `.json`, otherwise HCL lines such as `ports = [80, 443]`.
    pub fn read(path: &Path) -> Self {
        let name = path.display().to_string();
        let text = match Sources::new().read(&Source::file(path)) {
            Ok(text) => text,
            Err(error) => {
                let mut params = Self::default();
                params.diagnostics.push(Diagnostic::from(error));
                return params;
            }
        };
        let origin = |line| ParamOrigin::File { file: name.as_str().into(), line };
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            Self::from_json(&name, &text, &origin(None))
        } else {
            Self::from_hcl(&name, &text, |line| origin(Some(line)))
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
        let mut sources = SourceMap::new();
        let file = hidden(&mut sources, name, text);
        let mut diagnostics = Diagnostics::new();
        let values = json::read(text, file).map_err(|error| diagnostics.push(error)).unwrap_or_default();
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

/// Adds a text that is never quoted, because only the module knows which of its values are sensitive.
fn hidden(sources: &mut SourceMap, name: &str, text: &str) -> FileId {
    let file = sources.add(name, text);
    sources.hide(Span::new(file, 0, text.len()));
    hide_values(text, sources.redactor());
    file
}
