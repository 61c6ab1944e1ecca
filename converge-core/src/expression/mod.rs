//! Native expressions: attributes that are written without quotes.
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
//! let mistakes = Loader::new(&Registry::new()).load_text("hello.hcl", text).into_graph().unwrap_err();
//! assert!(format!("{mistakes:?}").contains("there is no function `uper`; did you mean `upper`?"));
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
//! | `platform.FIELD` | `os name pretty_name version build linux_distribution linux_lsb_like`, also as templates spell them |
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
//! They have the names and the meaning that they have in Terraform. [`functions`] gives this table.
//!
//! | function | gives | for example | which is |
//! | --- | --- | --- | --- |
//! | `join(separator, list..)` | The items of the lists as one text, with the separator between them. | `join(", ", ["a", "b"])` | `"a, b"` |
//! | `split(separator, string)` | The parts of a text; an empty separator divides between characters. | `split(",", "a,b")` | `["a", "b"]` |
//! | `lower(string)` | The text in lower case. | `lower("ADA")` | `"ada"` |
//! | `upper(string)` | The text in upper case. | `upper("ada")` | `"ADA"` |
//! | `title(string)` | The text with the first letter of each word in upper case. | `title("ada lovelace")` | `"Ada Lovelace"` |
//! | `trim(string, characters)` | The text without these characters at its ends. | `trim("?!up!", "!?")` | `"up"` |
//! | `trimprefix(string, prefix)` | The text without the prefix, if it has it. | `trimprefix("v1.2", "v")` | `"1.2"` |
//! | `trimsuffix(string, suffix)` | The text without the suffix, if it has it. | `trimsuffix("a.conf", ".conf")` | `"a"` |
//! | `trimspace(string)` | The text without white space at its ends. | `trimspace("  up\n")` | `"up"` |
//! | `chomp(string)` | The text without the line ends at its end. | `chomp("up\r\n\n")` | `"up"` |
//! | `substr(string, offset, length)` | A part of the text; a negative offset counts from the end, and the length -1 means the rest. | `substr("hello world", -5, -1)` | `"world"` |
//! | `startswith(string, prefix)` | Whether the text begins with the prefix. | `startswith("https://x", "https:")` | `true` |
//! | `endswith(string, suffix)` | Whether the text ends with the suffix. | `endswith("a.conf", ".d")` | `false` |
//! | `indent(spaces, string)` | The text with spaces in front of every line but the first. | `indent(2, "a:\nb")` | `"a:\n  b"` |
//! | `format(format, value..)` | The format with its verbs replaced by the values: `%s` text, `%d` a whole number, `%f` `%e` `%g` a number, `%x` `%X` `%o` `%b` another base, `%t` a bool, `%q` text in quotes, `%v` any value, `%#v` JSON, `%%` a percent sign. | `format("%s has %03d", "web", 7)` | `"web has 007"` |
//! | `replace(string, part, replacement)` | The text with every part replaced; a part between slashes is a regular expression, and `$1` or `${name}` in the replacement is what its group matched. | `replace("1.2.3", ".", "-")` | `"1-2-3"` |
//! | `regex(pattern, string)` | The first match: text, or with groups a list of what they matched, or with named groups a map. No match is an error. | `regex("(\\d+)\\.(\\d+)", "v1.27")` | `["1", "27"]` |
//! | `regexall(pattern, string)` | Every match, as `regex` gives it. | `regexall("[a-z]+", "ab 1 cd")` | `["ab", "cd"]` |
//! | `concat(list..)` | All items of the lists, one list after the other. | `concat([1], [2, 3])` | `[1, 2, 3]` |
//! | `contains(list, value)` | Whether an item of the list equals the value. | `contains(["a", "b"], "b")` | `true` |
//! | `element(list, index)` | An item; an index past the end begins again at the start, a negative one counts from the end. | `element(["a", "b", "c"], 4)` | `"b"` |
//! | `slice(list, from, to)` | The items from one index up to, and without, another. | `slice([1, 2, 3, 4], 1, 3)` | `[2, 3]` |
//! | `distinct(list)` | The list without items that were in it before. | `distinct(["a", "b", "a"])` | `["a", "b"]` |
//! | `compact(list)` | The list of text without empty items and null. | `compact(["a", "", null])` | `["a"]` |
//! | `flatten(list)` | The list with the items of lists in it in place of these, however deep. | `flatten([[1], [], [2, [3]]])` | `[1, 2, 3]` |
//! | `reverse(list)` | The list from its end. | `reverse([1, 2, 3])` | `[3, 2, 1]` |
//! | `sort(list)` | The items as text, in the order of their characters. | `sort(["b", "a", "B"])` | `["B", "a", "b"]` |
//! | `range(from, to, step)` | The numbers from 0 or another one up to, and without, the last one. | `range(1, 8, 3)` | `[1, 4, 7]` |
//! | `setunion(list..)` | The distinct items of all lists, sorted. | `setunion(["b"], ["a", "b"])` | `["a", "b"]` |
//! | `length(value)` | The number of items of a list or a map, or of characters of a text. | `length(["a", "b"])` | `2` |
//! | `keys(map)` | The keys, sorted. | `keys({b = 1, a = 2})` | `["a", "b"]` |
//! | `values(map)` | The values, in the order of their keys. | `values({b = 1, a = 2})` | `[2, 1]` |
//! | `merge(map..)` | All entries of the maps; of equal keys the last one counts. | `merge({a = 1, b = 1}, {b = 2})` | `{a = 1, b = 2}` |
//! | `zipmap(keys, values)` | A map of a list of keys and a list of values. | `zipmap(["a", "b"], [1, 2])` | `{a = 1, b = 2}` |
//! | `lookup(map, key, default)` | The value of a key, or the default; with one argument, the export of a resource: `lookup("TYPE.NAME.FIELD")`. | `lookup({a = 1}, "b", 0)` | `0` |
//! | `min(number..)` | The smallest number. | `min(3, 1, 2)` | `1` |
//! | `max(number..)` | The largest number. | `max(3, 1, 2)` | `3` |
//! | `sum(list)` | All numbers of the list together. | `sum([1, 2.5])` | `3.5` |
//! | `abs(number)` | The number without its sign. | `abs(-2)` | `2` |
//! | `floor(number)` | The next whole number below. | `floor(-1.5)` | `-2` |
//! | `ceil(number)` | The next whole number above. | `ceil(1.2)` | `2` |
//! | `tostring(value)` | A number or a bool as text. | `tostring(1.50)` | `"1.5"` |
//! | `tonumber(value)` | Text as a number. | `tonumber("15")` | `15` |
//! | `tobool(value)` | The text `true` or `false` as a bool. | `tobool("true")` | `true` |
//! | `tolist(value)` | A list; here lists and sets are one. | `tolist([2, 1])` | `[2, 1]` |
//! | `toset(list)` | The distinct items, sorted. | `toset(["b", "a", "b"])` | `["a", "b"]` |
//! | `tomap(value)` | A map. | `tomap({a = 1})` | `{a = 1}` |
//! | `jsonencode(value)` | JSON with sorted keys and without spaces; `<`, `>` and `&` are escaped. | `jsonencode({b = [1, true], a = null})` | `"{\"a\":null,\"b\":[1,true]}"` |
//! | `jsondecode(string)` | The value of a JSON text. | `jsondecode("{\"a\": [1]}")` | `{a = [1]}` |
//! | `yamlencode(value)` | YAML in block style, with sorted keys and quoted text. | `yamlencode({a = ["b", 1]})` | `"\"a\":\n- \"b\"\n- 1\n"` |
//! | `base64encode(string)` | The bytes of the text in base64. | `base64encode("hello")` | `"aGVsbG8="` |
//! | `base64decode(string)` | The text of base64. | `base64decode("aGVsbG8=")` | `"hello"` |
//! | `sha256(string)` | The SHA-256 hash of the text, in hexadecimal. | `substr(sha256("hello"), 0, 8)` | `"2cf24dba"` |
//! | `file(path)` | The text of a file, which is named relative to the module. | `file("motd")` | `"hello\n"` |
//! | `templatefile(path, variables)` | The text of a file with its `{{ }}` filled in; the variables are its dot, as in `{{.name}}`. | `templatefile("motd.tmpl", {name = "ada"})` | `"hello ada\n"` |
//! | `basename(path)` | The last part of a path. | `basename("/etc/nginx/nginx.conf")` | `"nginx.conf"` |
//! | `dirname(path)` | A path without its last part. | `dirname("/etc/nginx/nginx.conf")` | `"/etc/nginx"` |
//! | `coalesce(value..)` | The first value that is neither null nor empty text. | `coalesce(null, "", "a")` | `"a"` |
//! | `try(expression..)` | The first expression that can be evaluated. | `try({}.name, "none")` | `"none"` |
//! | `can(expression)` | Whether the expression can be evaluated. | `can(tonumber("x"))` | `false` |
//!
//! # Differences from Terraform
//!
//! - There are no sets: `toset` gives a sorted list.
//! - Types are not unified: `true ? 1 : "a"` is `1`, and a list may hold values of several kinds.
//! - `%v` of `format` prints a number as `%s` does, without an exponent.
//! - Regular expressions know no classes of Unicode such as `\p{Greek}`.
//! - `templatefile` reads a template of [`template`](crate::template). It sees the machine (`platform`, `env`) and
//!   its variables; `param` and `lookup` are errors there, so that every reference is seen in the module.
//! - A `range` may have more than 1024 numbers; every expression is limited in what it makes.
//!
//! # Values that are not known, and secrets
//!
//! What decides a result passes on what it is: an unknown operand makes the result unknown, a secret one makes it
//! secret. A list or a map keeps such values as items, so that `length([param.secret])` is known. Functions that
//! look at all of a value (`join`, `jsonencode`) give something unknown or secret when anything in it is; `length`,
//! `keys`, `values`, `merge`, `concat`, `element`, `slice`, `reverse`, `lookup`, `zipmap`, `tolist` and `tomap` look at
//! no items. `try` and `can` are unknown and secret when what they tried is.

mod convert;
mod error;
mod eval;
mod functions;
mod held;
mod lower;
mod tree;
mod work;

#[cfg(test)]
mod tests;

pub use error::{ExpressionError, ExpressionErrorKind, Found};
pub use functions::{Function, functions};

use crate::scope::Scope;
use crate::syntax;
use crate::template::Reference;
use crate::value::Value;

use eval::Machine;
use tree::{Expr, Name};
use work::Work;

/// A native expression, with its names and functions checked.
///
/// It does not keep its text: offsets in [`Reference`]s and [`ExpressionError`]s are bytes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    root: Expr,
    /// What the scope is asked for.
    names: Box<[Name]>,
    references: Box<[Reference]>,
}

impl Expression {
    /// Takes the tree of an expression. `text` is the whole text of its file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong whatever the values are: functions that do not exist, numbers of arguments,
    /// names that stand for nothing, templates in strings that cannot be read, and parts of constants that
    /// can only fail.
    pub(crate) fn lower(tree: syntax::Expression, text: &str) -> Result<Self, Vec<ExpressionError>> {
        let lower::Lowered { root, names, references } = lower::lower(tree, text)?;
        Ok(Self { root, names, references })
    }

    /// Every use of a name, in the order of the text, in branches that are not taken too. Ranges are bytes of
    /// the file.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The value.
    ///
    /// It is unknown when an unknown value decides it, and secret when a secret does. A list or a map keeps
    /// unknown and secret items as items.
    ///
    /// # Errors
    ///
    /// What went wrong, and where. A message never shows a secret.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, ExpressionError> {
        Machine::new(&self.names, scope, Work::new()).run(&self.root)
    }
}
