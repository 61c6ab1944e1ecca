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
//! Types are kept: a list stays a list. An expression is lowered once, when its module is loaded. This finds
//! every error that does not depend on values, such as an unknown function or `1 / 0`.
//! [`Expression::references`] then returns the references in every branch, and [`Expression::evaluate`]
//! computes the value as often as needed.
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
//! | `platform.FIELD` | the machine: `os family distribution version major_version` and so on, also as templates spell them |
//!
//! A variable of `for` hides all of these. A name with a character that is not allowed in names is written as
//! an index: `param["a-b"]`. Strings may contain templates, which see the names of templates but no variables
//! of `for`.
//!
//! # Operators
//!
//! The table is sorted from the lowest to the highest precedence. Operators in one line are evaluated from
//! left to right.
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
//! Text that is a decimal number counts as a number where one is needed. `"true"` and `"false"` (or `"1"` and
//! `"0"`) count as bools, and numbers and bools count as text. Maps are traversed in the order of their keys.
//! There is one kind of number: `1.0` is `1`. Integers have 64 bits.
//!
//! # Functions
//!
//! Functions that Terraform has keep its names and behaviour. [`functions`] returns this table. Templates can
//! call the functions, too. The second column shows how a value is piped into one;
//! [`template`](crate::language::template#functions-of-expressions) explains the rest. Functions without an
//! entry there can only be called here, because templates have another function of that name.
//!
//! ## Table of functions
#![doc = include_str!("../../../docs/functions.md")]
//! # Differences from Terraform
//!
//! - There are no sets: `toset` returns a sorted list.
//! - Types are not unified: `true ? 1 : "a"` is `1`, and a list may contain values of several kinds.
//! - `%v` of `format` prints a number like `%s`, without an exponent.
//! - Regular expressions do not support Unicode classes such as `\p{Greek}`.
//! - `templatefile` reads a template of [`template`](crate::language::template). It sees the machine
//!   (`platform`, `env`) and its variables. `param` and `lookup` are errors there, so that every reference is
//!   visible in the module.
//! - `urlparse`, `versioncmp`, `versionmatches`, `deepmerge`, `quote`, `in`, `cidrcontains`, `csvencode`,
//!   `inidecode`, `iniencode`, `urldecode`, `sha512crypt`, `issensitive` of an unknown value, and functions
//!   that correspond to operators, are specific to Converge. There is no `nonsensitive`: a value made from a
//!   secret is secret.
//! - `strrev` reverses characters, and `yamldecode` only supports the core schema of YAML 1.2: `yes` is text.
//! - A `range` may have more than 1024 numbers; the total work of an expression is limited instead.
//!
//! # Unknown values and secrets
//!
//! A value that decides a result passes on its state: an unknown operand makes the result unknown, and a
//! secret one makes it secret. A list or a map keeps such values as items, so `length([param.secret])` is
//! known. Functions that look at a whole value (`join`, `jsonencode`) return an unknown or secret result if
//! anything in it is. `length`, `keys`, `values`, `merge`, `deepmerge`, `concat`, `element`, `slice`,
//! `reverse`, `chunklist`, `one`, `coalescelist`, `list`, `dict`, `lookup`, `zipmap`, `type`, `tolist` and
//! `tomap` do not look at items. `try` and `can` are unknown or secret if what they tried is.

mod budget;
mod eval;
mod lower;
mod tree;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use budget::MAX_CONSTANT_STEPS;
pub use tree::Expression;

pub use crate::language::actual_value::Actual;
pub use crate::language::functions::{Function, functions};
