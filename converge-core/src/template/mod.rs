//! Templates: `{{ }}` in strings, in the language of Go's `text/template`.
//!
//! A template is parsed once, when its module is loaded; [`Template::references`] then says what it
//! refers to in every branch, and [`Template::render`] runs it as often as needed.
//!
//! The language is that of Go 1.19: actions, pipelines, variables, `if`, `range`, `with`, `break`,
//! `continue`, `define`, `template`, `block`, comments and trim markers; and `and or not eq ne lt le gt ge
//! len index slice print printf println html js urlquery call`. Converge adds:
//!
//! | function | gives |
//! | --- | --- |
//! | `param NAME` | the parameter as text |
//! | `paramList NAME` | the parameter as a list; numbers and bools in it are text |
//! | `paramMap NAME` | the parameter as a map |
//! | `lookup PATH` | an exported value; numbers and bools are text, a list or a map stays one |
//! | `env NAME` | an environment variable, empty when it is unset |
//! | `split SEP TEXT` | a list; ``{{param `x` \| split `,`}}`` |
//! | `join SEP LIST` | text; what is not a list is printed as it is |
//! | `jsonify VALUE` | JSON as Go's encoder writes it: sorted keys, `<`, `>` and `&` escaped |
//! | `platform` | a record: `OS Name PrettyName Version Build LinuxDistribution LinuxLSBLike` |
//!
//! # Differences from Go
//!
//! - A word in single quotes is a string, unless it is one character: `'a'` is 97, `'task.a'` is text.
//! - A wrong number of arguments and a template that is not defined are errors of
//!   [`parse`](Template::parse), not of a run.
//! - A null that a [`Scope`] gives prints as nothing and equals the zero value of what it is compared with,
//!   as an export that is absent did in the original. Inside of a printed list or map it is `<nil>`. A missing
//!   key is Go's `nil`, which an action prints as `<no value>`, and so are its fields.
//! - Text is always UTF-8: `"\xff"` gives U+FFFD, and `slice` cannot cut through a character.
//! - Complex numbers do not exist. `printf` knows `%v %s %q %x %X %d %o %O %b %c %U %t %e %E %f %F %g %G %T %%`, the
//!   flags `- + # 0` and space, width and precision, also as `*`; not `%[1]d`, `%p` and `%#v`. Its notes about
//!   mistakes, such as `%!d(string=a)` and `%!(EXTRA int=1)`, are Go's.
//! - Nesting, and the work of one run, are limited, so that every template ends.
//!
//! # Example
//!
//! ```
//! use converge_core::Value;
//! use converge_core::system::Platform;
//! use converge_core::template::{ReferenceTarget, Scope, ScopeError, Template};
//!
//! struct Names(Platform);
//!
//! impl Scope for Names {
//!     fn param(&self, name: &str) -> Result<Value, ScopeError> {
//!         match name {
//!             "user" => Ok("ada".into()),
//!             _ => Err(ScopeError::NotFound { what: "parameter", name: name.into(), close: Vec::new() }),
//!         }
//!     }
//!
//!     fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
//!         Ok(Value::unknown(path))
//!     }
//!
//!     fn env(&self, _: &str) -> String {
//!         String::new()
//!     }
//!
//!     fn platform(&self) -> &Platform {
//!         &self.0
//!     }
//! }
//!
//! let scope = Names(Platform::new("linux"));
//! let template = Template::parse("/home/{{param `user`}}").unwrap();
//! assert_eq!(template.references()[0].target, ReferenceTarget::Param("user".into()));
//! assert_eq!(template.render(&scope).unwrap(), Value::string("/home/ada"));
//!
//! let template = Template::parse("{{lookup `task.a.status.stdout`}}").unwrap();
//! assert_eq!(template.render(&scope).unwrap(), Value::unknown("task.a.status.stdout"));
//! ```

mod ast;
mod culprit;
mod error;
mod eval;
mod functions;
mod lexer;
mod literal;
mod parser;
mod predicate;
mod references;

#[cfg(test)]
mod tests;

pub(crate) use error::Count;
pub use error::{TemplateError, TemplateErrorKind};
pub(crate) use eval::{Spec, flags, json_string, print_one};
pub use predicate::Predicate;
pub use references::{Reference, ReferenceTarget};

pub use crate::scope::{Each, Scope, ScopeError};

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
    /// Of the text, in bytes.
    length: u32,
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

    /// The length of its text, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.length as usize
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

    /// Runs the template, with a dot where there is one, and gives beside the result the steps that it took,
    /// for those who limit their own work.
    pub(crate) fn render_counted(
        &self,
        dot: Option<Value>,
        scope: &dyn Scope,
    ) -> (Result<Value, TemplateError>, usize) {
        eval::render_counted(self, dot, scope)
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
