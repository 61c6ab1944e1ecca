//! Computed expressions: attributes that are written without quotes.
//!
//! ```hcl
//! file.content "motd" {
//!   destination = param.path
//!   content     = format("up on %s\n", task.query.host.status.stdout)
//!   mode        = param.strict ? "0600" : "0644"
//! }
//! ```
//!
//! Types are kept: a list stays a list. An expression is lowered once, when its module is loaded; that finds
//! every mistake that does not depend on values, such as a function that does not exist and `1 / 0`.
//! [`Expression::references`] then says what it refers to in every branch, and [`Expression::evaluate`] gives
//! its value as often as needed.
//!
//! ```
//! use converge_core::Registry;
//! use converge_core::load::Loader;
//!
//! let text = r#"param "who" { default = uper("ada") }"#;
//! let error = Loader::new(&Registry::new()).load_text("hello.hcl", text).into_graph().unwrap_err();
//! assert!(error.to_string().contains("there is no function `uper`; did you mean `upper`?"));
//! ```
//!
//! # Names
//!
//! | name | stands for |
//! | --- | --- |
//! | `param.NAME` | a parameter of the module |
//! | `TYPE.NAME`, `TYPE.NAME.FIELD` | what a resource exports, all of it or one value; `TYPE.NAME["key"].FIELD` with `for_each` |
//! | `self.FIELD` | another field of the same resource |
//! | `each.key`, `each.value` | the part of a `for_each` that an instance stands for |
//! | `env.NAME` | an environment variable, empty when it is unset |
//! | `path.module`, `path.root`, `path.cwd` | the folder of the module, of the module that is run, and the working directory |
//! | `platform.FIELD` | [the machine](crate::system::Platform): `os family distribution version major_version` and so on, also as templates spell them |
//!
//! A variable of `for` hides all of these. A name with a character that a name cannot have is written as an
//! index: `param["a-b"]`. Strings may hold templates, which see what templates see, but no variables of `for`.
//!
//! # Operators
//!
//! From those that bind least to those that bind most; operators of one line go from left to right.
//!
//! | operator | gives |
//! | --- | --- |
//! | `a ? b : c` | one of the two; the other one is not evaluated |
//! | `a \|\| b` | whether one is true; `b` is only evaluated when `a` is false |
//! | `a && b` | whether both are true; `b` is only evaluated when `a` is true |
//! | `a == b`, `a != b` | equality by kind and value: `"1" == 1` is false, `1 == 1.0` is true |
//! | `a < b`, `a <= b`, `a > b`, `a >= b` | the order of numbers |
//! | `a + b`, `a - b` | numbers; a result that does not fit is an error |
//! | `a * b`, `a / b`, `a % b` | numbers; `7 / 2` is `3.5`, the sign of `a % b` is that of `a` |
//! | `-a`, `!a` | a number, a bool |
//! | `a.name`, `a[index]` | the entry of a map, the item of a list from 0; what is not there is an error |
//! | `a[*].name` | the same of every item; a single value counts as a list of one, null as an empty list |
//! | `[for x in list : x if x > 1]` | a list; with `for k, v in ..` also the position or the key |
//! | `{for k, v in map : v => k}` | a map; `=> k...` collects the values of equal keys in lists |
//! | `f(a, b...)` | a function; with `...` the items of the last argument are arguments |
//!
//! Text that is a decimal number counts as a number where one is needed, `"true"` and `"false"` (or `"1"` and
//! `"0"`) as bools, and numbers and bools as text. Maps are gone through in the order of their keys. There is
//! one kind of number: `1.0` is `1`. Whole numbers have 64 bits.
//!
//! # Functions
//!
//! Those that Terraform has have its names and its meaning. [`functions`] gives this table. Templates can call them, too: the second
//! column says how a value is piped into one, and [`template`](crate::language::template#functions-of-expressions) the rest. Those
//! without it are only here, because templates have another function of that name.
//!
#![doc = include_str!("../../../docs/functions.md")]
//!
//! # Differences from Terraform
//!
//! - There are no sets: `toset` gives a sorted list.
//! - Types are not unified: `true ? 1 : "a"` is `1`, and a list may hold values of several kinds.
//! - `%v` of `format` prints a number as `%s` does, without an exponent.
//! - Regular expressions know no classes of Unicode such as `\p{Greek}`.
//! - `templatefile` reads a template of [`template`](crate::language::template). It sees the machine (`platform`, `env`) and
//!   its variables; `param` and `lookup` are errors there, so that every reference is seen in the module.
//! - `urlparse`, `versioncmp`, `versionmatches`, `deepmerge`, `quote`, `in`, `cidrcontains`, `csvencode`, `inidecode`, `iniencode`,
//!   `urldecode`, `sha512crypt`, `issensitive` of what is not known, and functions for what operators do, are ours. There is no
//!   `nonsensitive`: what is made of a secret is one.
//! - `strrev` goes by characters, and `yamldecode` knows only the core schema of YAML 1.2: `yes` is a text.
//! - A `range` may have more than 1024 numbers; every expression is limited in what it makes.
//!
//! # Values that are not known, and secrets
//!
//! What decides a result passes on what it is: an unknown operand makes the result unknown, a secret one makes it
//! secret. A list or a map keeps such values as items, so that `length([param.secret])` is known. Functions that
//! look at all of a value (`join`, `jsonencode`) give something unknown or secret when anything in it is; `length`,
//! `keys`, `values`, `merge`, `deepmerge`, `concat`, `element`, `slice`, `reverse`, `chunklist`, `one`, `coalescelist`, `list`, `dict`,
//! `lookup`, `zipmap`, `type`, `tolist` and `tomap` look at no items. `try` and `can` are unknown and secret when what they tried is.

mod budget;
mod error;
mod eval;
mod lower;
mod tree;

#[cfg(test)]
mod tests;

pub(crate) use budget::MAX_CONSTANT_STEPS;
pub use error::{ExpressionError, ExpressionErrorKind};
pub use tree::Expression;

pub use crate::language::actual_value::Actual;
pub use crate::language::functions::{Function, functions};
