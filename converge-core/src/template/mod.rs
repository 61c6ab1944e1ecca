//! Templates: `{{ }}` in strings, in the language of Go's `text/template`.

use std::ops::Range;
use std::sync::Arc;

use crate::system::Platform;
use crate::value::Value;

/// A parsed template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    text: Arc<str>,
    references: Vec<Reference>,
}

/// A use of `param` or `lookup`, read off the tree in every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What is referred to.
    pub target: ReferenceTarget,
    /// Where the name is, in bytes of the template's text.
    pub range: Range<u32>,
}

/// What a template refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceTarget {
    /// `param`, `paramList` or `paramMap` with a literal name.
    Param(Arc<str>),
    /// `lookup` with a literal path.
    Lookup(Arc<str>),
    /// `param` or `lookup` of a name that is computed when the template runs.
    Computed,
}

/// What a template may see while it runs.
pub trait Scope {
    /// The value of a parameter.
    fn param(&self, name: &str) -> Result<Value, String>;
    /// An exported value.
    fn lookup(&self, path: &str) -> Result<Value, String>;
    /// An environment variable; empty when it is unset.
    fn env(&self, name: &str) -> String;
    /// The machine.
    fn platform(&self) -> &Platform;
}

/// A template is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct TemplateError {
    /// What is wrong.
    pub kind: TemplateErrorKind,
    /// Where, in bytes of the template's text.
    pub range: Range<u32>,
}

/// What can be wrong with a template.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// A function refused.
    #[error("{function}: {message}")]
    Call {
        /// The function.
        function: String,
        /// Why.
        message: String,
    },
}

impl Template {
    /// Parses a template.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        Ok(Self { text: text.into(), references: Vec::new() })
    }

    /// Every use of `param` and `lookup`, in the order of the text.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Runs the template. The result is text, unknown, or secret text.
    pub fn render(&self, _scope: &dyn Scope) -> Result<Value, TemplateError> {
        Ok(Value::string(self.text.as_ref()))
    }
}
