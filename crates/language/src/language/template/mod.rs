//! Templates: `{{ }}` in strings, in the language of Go's `text/template`.
//!
//! A template is parsed once, when its module is loaded. [`Template::references`] then returns the references
//! in every branch, and [`Template::render`] runs the template as often as needed.
//!
//! The language is that of Go 1.19: actions, pipelines, variables, `if`, `range`, `with`, `break`,
//! `continue`, `define`, `template`, `block`, comments and trim markers. The functions are `and or not eq ne
//! lt le gt ge len index slice print printf println html js urlquery call`, and those below.
//!
//! [`functions`] returns the table below.
//!
//! # Functions
#![doc = include_str!("../../../docs/template-functions.md")]
//! ## Functions of expressions
//!
//! All [functions of expressions](crate::language::expression#functions) can be called, too. Exceptions are
//! those with a name from above (`index`, `join`, `lookup`, `slice`, `split`) and `range`, which is a keyword
//! here:
//!
//! - Their arguments have the same order, after the name: `replace(text, "a", "b")` is ``{{replace $text `a`
//!   `b`}}``.
//! - The piped value is the main argument, as the table there shows: ``{{$text | replace `a` `b`}}`` and
//!   ``{{$text | regex `[0-9]+`}}`` both work on `$text`. The main argument is the first one, except in
//!   `format`, `formatdate`, `formatlist`, `indent`, `regex`, `regexall` and `templatefile`, where it is the
//!   last one. For functions of Go and of the original Converge it is always the last one.
//! - Unlike these, they do not accept null as text, and they compare by kind: ``in 80 (list `80`)`` is false.
//! - `try` and `can` evaluate their arguments one after the other, and handle missing keys. So do `default`,
//!   `coalesce` and `type`. A missing key is an error for all others.
//! - `file` and `templatefile` read files next to the module. In a file that `templatefile` reads they are
//!   errors.
//!
//! Values keep their kind. The parameter values `false`, 0 and an empty list are false in `if`, numbers
//! compare with numbers, and `printf` accepts them for `%d`. The original Converge had text for `param`,
//! `lookup` and the items of `paramList`. Where only text is accepted (`%s`, `split`, `print`, `jsonify`),
//! such a value is used as the text that it prints. For `eq` a list or a map is its text, too.
//!
//! # Differences from Go
//!
//! - A mistake that Go writes into the output is an error at the value or at the format. Examples are `<no
//!   value>`, `<nil>`, `%!d(string=a)`, `%!s(MISSING)` and `%!(EXTRA int=1)`.
//! - A key that a map does not have is an error where it is used, with the position of the key. It can be
//!   tested for: it is false in `if`, `with`, `and`, `or` and `not`, `range` over it does nothing, and `eq`
//!   of it and `nil` is true.
//! - `eq` and `ne` compare text with the printed form of a number or a bool, as modules of the original
//!   Converge do. Integers and floats compare by value.
//! - A word in single quotes is a string, unless it is one character: `'a'` is 97, `'task.a'` is text.
//! - A wrong number of arguments and an undefined template are errors of [`parse`](Template::parse), not of a
//!   run.
//! - A null from a [`Scope`] prints as nothing and equals the zero value of what it is compared with, like an
//!   absent export in the original Converge. A list or a map that contains null cannot be printed.
//! - Text is always UTF-8: `"\xff"` gives U+FFFD, and `slice` cannot cut through a character.
//! - There are no complex numbers. `printf` supports `%v %s %q %x %X %d %o %O %b %c %U %t %e %E %f %F %g %G
//!   %T %%`, the flags `- + # 0` and space, width and precision, also as `*`, and `%[1]d`; not `%p` and
//!   `%#v`.
//! - Nesting and the work of one run are limited, so that every template ends.
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

mod action_lines;
mod builtins;
mod call;
mod constant_prefix;
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
pub(crate) use call::call_function;
#[doc(hidden)]
pub use constant_prefix::KnownTree;
pub use predicate::Predicate;
pub use references::{LazyText, NameStep, PickedName, Reference, ReferenceTarget};
#[doc(hidden)]
pub use template_reader::TemplateReader;
pub use tree::Template;

pub use crate::types::scope::{Each, Scope, ScopeError};
