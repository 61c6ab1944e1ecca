//! Templates: `{{ }}` in strings, in the language of Go's `text/template`.
//!
//! A template is parsed once, when its module is loaded; [`Template::references`] then says what it
//! refers to in every branch, and [`Template::render`] runs it as often as needed.

mod ast;
mod error;
mod eval;
mod functions;
mod lexer;
mod literal;
mod parser;
mod references;

#[cfg(test)]
mod tests;

pub use error::{ScopeError, TemplateError, TemplateErrorKind};
pub use references::{Reference, ReferenceTarget};

use crate::system::Platform;
use crate::value::Value;

use ast::{Body, Node};

/// A parsed template.
///
/// It does not keep its text: offsets in [`Reference`]s and [`TemplateError`]s are bytes of the text that
/// was given to [`parse`](Template::parse).
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    body: Body,
    /// What `define` and `block` defined.
    defined: Box<[Body]>,
    references: Box<[Reference]>,
}

/// What a template may see while it runs.
pub trait Scope {
    /// The value of a parameter.
    fn param(&self, name: &str) -> Result<Value, ScopeError>;
    /// An exported value.
    fn lookup(&self, path: &str) -> Result<Value, ScopeError>;
    /// An environment variable; empty when it is unset.
    fn env(&self, name: &str) -> String;
    /// The machine.
    fn platform(&self) -> &Platform;
}

impl Template {
    /// Whether a text is its own result: it has no `{{`, so there is nothing to parse.
    pub fn is_literal(text: &str) -> bool {
        !text.contains("{{")
    }

    /// Parses a template.
    ///
    /// # Errors
    ///
    /// The first mistake in the text. Beside what Go finds when it parses, this includes a wrong number
    /// of arguments and templates that are not defined, which Go finds when it runs.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        parser::parse(text, &[&functions::STANDARD])
    }

    /// Every use of `param` and `lookup`, in the order of the text: in branches that are not taken and in
    /// templates that are not called too.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// Runs the template. The result is text, unknown, or secret text.
    ///
    /// It is unknown when an unknown value was printed, compared or decided a branch, and secret when a
    /// secret was. An unknown result names what the first unknown value waits for.
    ///
    /// # Errors
    ///
    /// What went wrong, and where. A message never shows a secret.
    pub fn render(&self, scope: &dyn Scope) -> Result<Value, TemplateError> {
        eval::render(self, scope)
    }

    /// Runs a template that is one action and nothing else (`{{paramList "x"}}`) and gives the value of
    /// that action with its type; any other template is [rendered](Template::render).
    ///
    /// For fields that take a list or a map.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, TemplateError> {
        match &*self.body {
            [Node::Action(expr)] => eval::evaluate(self, expr, scope),
            _ => eval::render(self, scope),
        }
    }
}
