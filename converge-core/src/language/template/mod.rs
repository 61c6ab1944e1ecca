//! Templates: `{{ }}` in strings, in the language of Go's `text/template`.
//!
//! A template is parsed once, when its module is loaded; [`Template::references`] then says what it
//! refers to in every branch, and [`Template::render`] runs it as often as needed.
//!
//! The language is that of Go 1.19: actions, pipelines, variables, `if`, `range`, `with`, `break`,
//! `continue`, `define`, `template`, `block`, comments and trim markers; and `and or not eq ne lt le gt ge
//! len index slice print printf println html js urlquery call`.
//!
//! # Functions
//!
//! [`functions`] gives this table.
//!
#![doc = include_str!("../../../docs/template-functions.md")]
//!
//! ## Functions of expressions
//!
//! All [functions of expressions](crate::language::expression#functions) can be called, too, but for those of the names above
//! (`index`, `join`, `lookup`, `slice`, `split`) and `range`, which is a word here:
//!
//! - Their arguments stand in the same order, behind the name: `replace(text, "a", "b")` is ``{{replace $text `a` `b`}}``.
//! - What is piped in is what the function is about, as the table there says: ``{{$text | replace `a` `b`}}`` and
//!   ``{{$text | regex `[0-9]+`}}`` both are about `$text`. That is its first argument, and the last one of `format`, `formatdate`,
//!   `formatlist`, `indent`, `regex`, `regexall` and `templatefile`. For Go's and the original's functions it is the last one, always.
//! - Unlike these, they take no null for a text, and compare by kind: ``in 80 (list `80`)`` is false.
//! - `try` and `can` evaluate their arguments one after the other, and know of keys that are missing; so do `default`, `coalesce` and
//!   `type`. A key that is missing is an error for all others.
//! - `file` and `templatefile` read what is next to the module; in a file that `templatefile` reads they are errors.
//!
//! Values keep their kind: of a parameter, `false`, 0 and an empty list are false in `if`, numbers compare with numbers, and
//! `printf` takes them for `%d`. The original gave `param`, `lookup` and the items of `paramList` as text; wherever only
//! text will do (`%s`, `split`, `print`, `jsonify`), they are the text that they print, and a list or a map is so for `eq`.
//!
//! # Differences from Go
//!
//! - What Go writes into the text for a mistake never reaches it: `<no value>`, `<nil>`, `%!d(string=a)`, `%!s(MISSING)`,
//!   `%!(EXTRA int=1)` and the like are errors at the value, or at the format.
//! - A key that a map does not have is an error where it is used, with the place of the key. It can be asked for: it is
//!   false in `if`, `with`, `and`, `or` and `not`, `range` over it does nothing, and `eq` of it and `nil` is true.
//! - `eq` and `ne` compare a text with what a number or a bool prints as, as modules of the original do; whole numbers and
//!   numbers with a fraction compare by value.
//! - A word in single quotes is a string, unless it is one character: `'a'` is 97, `'task.a'` is text.
//! - A wrong number of arguments and a template that is not defined are errors of
//!   [`parse`](Template::parse), not of a run.
//! - A null that a [`Scope`] gives prints as nothing and equals the zero value of what it is compared with,
//!   as an export that is absent did in the original. A list or a map with a null in it cannot be printed.
//! - Text is always UTF-8: `"\xff"` gives U+FFFD, and `slice` cannot cut through a character.
//! - Complex numbers do not exist. `printf` knows `%v %s %q %x %X %d %o %O %b %c %U %t %e %E %f %F %g %G %T %%`, the
//!   flags `- + # 0` and space, width and precision, also as `*`, and `%[1]d`; not `%p` and `%#v`.
//! - Nesting, and the work of one run, are limited, so that every template ends.
//!
//! # Example
//!
//! ```
//! use converge_core::value::Value;
//! use converge_core::system::Platform;
//! use converge_core::language::template::{ReferenceTarget, Scope, ScopeError, Template};
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

mod builtins;
mod constant_prefix;
mod data;
mod error;
mod eval;
mod file;
mod lexer;
mod literal;
mod parser;
mod predicate;
mod references;
mod template_reader;
mod tree;
mod value_origin;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use builtins::function_names;
pub use builtins::{TemplateFunction, functions};
pub(crate) use constant_prefix::KnownTree;
pub use error::{TemplateError, TemplateErrorKind};
pub(crate) use file::templatefile;
pub use predicate::Predicate;
pub use references::{Reference, ReferenceTarget};
pub(crate) use template_reader::TemplateReader;
pub use tree::Template;

pub use crate::types::scope::{Each, Scope, ScopeError};
