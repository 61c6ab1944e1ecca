//! Functions that templates can call.

mod compare;
mod converge_functions;
pub(super) mod index;
pub(super) mod printf;

use crate::types::base_path::BasePath;
use crate::types::platform::Platform;

use std::sync::LazyLock;

use crate::language::functions::{DEFAULT, FAMILIES, Function, Implementation, NameUse, Record};

/// Returns the functions of every template: template-only functions, and those of expressions.
///
/// A template-only function hides the expression function of the same name.
pub(super) fn all() -> &'static [&'static [Function]] {
    static ALL: LazyLock<Vec<&[Function]>> =
        LazyLock::new(|| [&BUILTINS[..]].into_iter().chain(FAMILIES).collect());
    &ALL
}

#[cfg(test)]
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

/// Returns every function that only templates can call.
///
/// Templates can also call the functions of expressions
/// ([`functions`](crate::language::expression::functions)).
///
/// ```
/// let split = converge_core::language::template::functions().find(|function| function.name() == "split");
/// assert_eq!(split.map(|split| split.signature()).as_deref(), Some("split SEPARATOR TEXT"));
/// ```
pub fn functions() -> impl Iterator<Item = TemplateFunction> {
    BUILTINS.iter().map(TemplateFunction)
}

/// A function that only templates can call.
#[derive(Clone, Copy, Debug)]
pub struct TemplateFunction(&'static Function);

impl TemplateFunction {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Returns the signature: `split SEPARATOR TEXT`.
    pub fn signature(self) -> String {
        format!("{} {}", self.0.name, self.0.parameters).trim_end().to_owned()
    }

    /// Returns a description of the result, in one sentence.
    pub fn doc(self) -> &'static str {
        self.0.doc()
    }

    /// Returns an example template and its output.
    pub fn example(self) -> (&'static str, &'static str) {
        self.0.example()
    }
}

const EACH: Record =
    Record { fields: &["key", "value"], spellings: &[], field: converge_functions::field_of_each };
const PATH: Record =
    Record { fields: &BasePath::NAMES, spellings: &[], field: converge_functions::field_of_path };
const PLATFORM: Record = Record {
    fields: &Platform::TEMPLATE_FIELDS,
    spellings: &Platform::FIELDS,
    field: converge_functions::field_of_platform,
};

/// The functions that only templates have, sorted by name.
pub(super) static BUILTINS: [Function; 32] = [
    Function::short_circuit("and", Implementation::And).about(
        "VALUE..",
        "The first value that is false, 0 or empty, else the last one; the others are not evaluated.",
        ["{{and true `a`}}", "a"],
    ),
    Function::template("call", 1, None, converge_functions::call).about(
        "FUNCTION VALUE..",
        "Always an error, as no value is a function.",
        ["{{if false}}{{call 1}}{{end}}none", "none"],
    ),
    DEFAULT.about(
        "FALLBACK VALUE",
        "The value, or the fallback where it is missing, null or empty text.",
        ["{{param `null` | default `none`}}", "none"],
    ),
    Function::record("each", converge_functions::each, EACH).naming(NameUse::Each).about(
        "",
        "The entry of a `for_each`: `each.key` and `each.value`.",
        ["{{each.key}}: {{each.value.port}}", "web: 80"],
    ),
    Function::template("env", 1, Some(1), converge_functions::env).about(
        "NAME",
        "An environment variable; empty when it is not set.",
        ["{{env `HOME`}}", "/root"],
    ),
    Function::template("eq", 2, None, compare::eq).sees_missing().about(
        "VALUE OTHER..",
        "Whether the value equals one of the others.",
        ["{{eq `a` `b` `a`}}", "true"],
    ),
    Function::template("ge", 2, Some(2), compare::ge).about(
        "VALUE OTHER",
        "Whether the value is the other one, or after it.",
        ["{{ge 2 2}}", "true"],
    ),
    Function::template("gt", 2, Some(2), compare::gt).about(
        "VALUE OTHER",
        "Whether the value is after the other one.",
        ["{{gt 2 10}}", "false"],
    ),
    Function::template("html", 0, None, converge_functions::html).about(
        "VALUE..",
        "The values as text for HTML.",
        ["{{html `a < b`}}", "a &lt; b"],
    ),
    Function::template("index", 1, None, index::index).about(
        "VALUE KEY..",
        "The item of a list at a position, the entry of a map, or the byte of a text; with several keys the item of that, and so on.",
        ["{{index (list `a` `b`) 1}}", "b"],
    ),
    Function::template("join", 2, Some(2), converge_functions::join).about(
        "SEPARATOR LIST",
        "The items of the list as one text, with the separator between them; other values are printed as they are.",
        ["{{list 1 2 | join `,`}}", "1,2"],
    ),
    Function::template("js", 0, None, converge_functions::js).about(
        "VALUE..",
        "The values as text for JavaScript.",
        ["{{js `it's`}}", "it\\'s"],
    ),
    Function::template("jsonify", 1, Some(1), converge_functions::jsonify).about(
        "VALUE",
        "JSON with sorted keys and without spaces; parameters and exports other than lists and maps are text in it.",
        ["{{jsonify (list `a` 1)}}", "[\"a\",1]"],
    ),
    Function::template("le", 2, Some(2), compare::le).about(
        "VALUE OTHER",
        "Whether the value is the other one, or before it.",
        ["{{le 2 10}}", "true"],
    ),
    Function::template("len", 1, Some(1), index::len).about(
        "VALUE",
        "The number of items of a list or a map, or of bytes of a text.",
        ["{{len (list `a` `b`)}}", "2"],
    ),
    Function::template("local", 1, Some(1), converge_functions::local).naming(NameUse::Local).about(
        "NAME",
        "A value of `locals`.",
        ["{{local `port`}}", "8080"],
    ),
    Function::template("lookup", 1, Some(1), converge_functions::lookup).naming(NameUse::Lookup).about(
        "PATH",
        "What a resource exports; names match in any case.",
        ["{{lookup `task.query.host.status.stdout`}}", "web1"],
    ),
    Function::template("lt", 2, Some(2), compare::lt).about(
        "VALUE OTHER",
        "Whether the value is before the other one.",
        ["{{lt `a` `b`}}", "true"],
    ),
    Function::template("ne", 2, Some(2), compare::ne).sees_missing().about(
        "VALUE OTHER",
        "Whether the value differs from the other one.",
        ["{{ne 1 2}}", "true"],
    ),
    Function::template("not", 1, Some(1), converge_functions::not).sees_missing().about(
        "VALUE",
        "Whether the value is false, 0 or empty.",
        ["{{not false}}", "true"],
    ),
    Function::short_circuit("or", Implementation::Or).about(
        "VALUE..",
        "The first value that is neither false, 0 nor empty, else the last one; the others are not evaluated.",
        ["{{or 0 `a`}}", "a"],
    ),
    Function::template("param", 1, Some(1), converge_functions::param).naming(NameUse::Param).about(
        "NAME",
        "The parameter.",
        ["{{param `user`}}", "ada"],
    ),
    Function::template("paramList", 1, Some(1), converge_functions::param_list).naming(NameUse::Param).about(
        "NAME",
        "The parameter as a list.",
        ["{{range paramList `users`}}{{.}};{{end}}", "ada;bob;"],
    ),
    Function::template("paramMap", 1, Some(1), converge_functions::param_map).naming(NameUse::Param).about(
        "NAME",
        "The parameter as a map.",
        ["{{(paramMap `ports`).web}}", "80"],
    ),
    Function::record("path", converge_functions::path, PATH).about(
        "",
        "Folders: `path.module`, `path.root`, `path.cwd`.",
        ["{{path.module}}/motd", "/srv/site/motd"],
    ),
    Function::record("platform", converge_functions::platform, PLATFORM).about(
        "",
        "The machine: `platform.family`, `platform.hostname`, `platform.cpus` and the rest of what expressions know of it.",
        ["{{platform.os}}", "linux"],
    ),
    Function::template("print", 0, None, converge_functions::print).about(
        "VALUE..",
        "The values as text, with a space between two of which neither is text.",
        ["{{print `a` 1 2}}", "a1 2"],
    ),
    Function::template("printf", 1, None, printf::printf).about(
        "FORMAT VALUE..",
        "The format with its verbs replaced by the values, as in Go.",
        ["{{printf `%s has %03d` `web` 7}}", "web has 007"],
    ),
    Function::template("println", 0, None, converge_functions::println).about(
        "VALUE..",
        "The values as text, with spaces between them, and a line end.",
        ["{{println `a` 1 | trimspace}}", "a 1"],
    ),
    Function::template("slice", 1, Some(4), index::slice).about(
        "VALUE FROM TO",
        "The items of a list, or the bytes of a text, from one position up to, and without, another.",
        ["{{slice `hello` 1 3}}", "el"],
    ),
    Function::template("split", 2, Some(2), converge_functions::split).about(
        "SEPARATOR TEXT",
        "The parts of a text; an empty separator divides between characters.",
        ["{{`a,b` | split `,` | len}}", "2"],
    ),
    Function::template("urlquery", 0, None, converge_functions::urlquery).about(
        "VALUE..",
        "The values as text for the query of a URL.",
        ["{{urlquery `a b`}}", "a+b"],
    ),
];
