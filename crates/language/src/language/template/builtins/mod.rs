//! Functions that templates can call.

pub(super) mod builtin;
mod compare;
mod converge_functions;
pub(super) mod index;
pub(super) mod printf;
pub(super) mod program_functions;

use crate::types::base_path::BasePath;
use crate::types::platform::Platform;

use std::sync::LazyLock;

use crate::language::functions::{self as library, DEFAULT};
use builtin::{Builtin, Evaluation, NameUse};

/// Returns the functions of every template: template-only functions, and those of expressions.
///
/// A template-only function hides the expression function of the same name.
pub(super) fn all() -> [&'static [Builtin]; 2] {
    static LIBRARY: LazyLock<Vec<Builtin>> = LazyLock::new(|| {
        library::functions().filter(|function| !function.is_hidden).map(Builtin::library).collect()
    });
    [&BUILTINS, &LIBRARY]
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
pub struct TemplateFunction(&'static Builtin);

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
        self.0.doc
    }

    /// Returns an example template and its output.
    pub fn example(self) -> (&'static str, &'static str) {
        (self.0.example[0], self.0.example[1])
    }
}

/// The functions that only templates have, sorted by name.
pub(super) static BUILTINS: [Builtin; 32] = [
    Builtin::short("and", Evaluation::And).about(
        "VALUE..",
        "The first value that is false, 0 or empty, else the last one; the others are not evaluated.",
        ["{{and true `a`}}", "a"],
    ),
    Builtin::new("call", 1, None, converge_functions::call).about(
        "FUNCTION VALUE..",
        "Always an error, as no value is a function.",
        ["{{if false}}{{call 1}}{{end}}none", "none"],
    ),
    Builtin::library(&DEFAULT).about(
        "FALLBACK VALUE",
        "The value, or the fallback where it is missing, null or empty text.",
        ["{{param `null` | default `none`}}", "none"],
    ),
    Builtin {
        names: NameUse::Each,
        ..Builtin::record("each", converge_functions::each, &["key", "value"], converge_functions::field_of_each).about(
            "",
            "The entry of a `for_each`: `each.key` and `each.value`.",
            ["{{each.key}}: {{each.value.port}}", "web: 80"],
        )
    },
    Builtin::new("env", 1, Some(1), converge_functions::env).about(
        "NAME",
        "An environment variable; empty when it is not set.",
        ["{{env `HOME`}}", "/root"],
    ),
    Builtin::new("eq", 2, None, compare::eq).sees_missing().about(
        "VALUE OTHER..",
        "Whether the value equals one of the others.",
        ["{{eq `a` `b` `a`}}", "true"],
    ),
    Builtin::new("ge", 2, Some(2), compare::ge).about(
        "VALUE OTHER",
        "Whether the value is the other one, or after it.",
        ["{{ge 2 2}}", "true"],
    ),
    Builtin::new("gt", 2, Some(2), compare::gt).about(
        "VALUE OTHER",
        "Whether the value is after the other one.",
        ["{{gt 2 10}}", "false"],
    ),
    Builtin::new("html", 0, None, converge_functions::html).about(
        "VALUE..",
        "The values as text for HTML.",
        ["{{html `a < b`}}", "a &lt; b"],
    ),
    Builtin::new("index", 1, None, index::index).about(
        "VALUE KEY..",
        "The item of a list at a position, the entry of a map, or the byte of a text; with several keys the item of that, and so on.",
        ["{{index (list `a` `b`) 1}}", "b"],
    ),
    Builtin::new("join", 2, Some(2), converge_functions::join).about(
        "SEPARATOR LIST",
        "The items of the list as one text, with the separator between them; other values are printed as they are.",
        ["{{list 1 2 | join `,`}}", "1,2"],
    ),
    Builtin::new("js", 0, None, converge_functions::js).about(
        "VALUE..",
        "The values as text for JavaScript.",
        ["{{js `it's`}}", "it\\'s"],
    ),
    Builtin::new("jsonify", 1, Some(1), converge_functions::jsonify).about(
        "VALUE",
        "JSON with sorted keys and without spaces; parameters and exports other than lists and maps are text in it.",
        ["{{jsonify (list `a` 1)}}", "[\"a\",1]"],
    ),
    Builtin::new("le", 2, Some(2), compare::le).about(
        "VALUE OTHER",
        "Whether the value is the other one, or before it.",
        ["{{le 2 10}}", "true"],
    ),
    Builtin::new("len", 1, Some(1), index::len).about(
        "VALUE",
        "The number of items of a list or a map, or of bytes of a text.",
        ["{{len (list `a` `b`)}}", "2"],
    ),
    Builtin::naming("local", NameUse::Local, converge_functions::local).about(
        "NAME",
        "A value of `locals`.",
        ["{{local `port`}}", "8080"],
    ),
    Builtin::naming("lookup", NameUse::Lookup, converge_functions::lookup).about(
        "PATH",
        "What a resource exports; names match in any case.",
        ["{{lookup `task.query.host.status.stdout`}}", "web1"],
    ),
    Builtin::new("lt", 2, Some(2), compare::lt).about(
        "VALUE OTHER",
        "Whether the value is before the other one.",
        ["{{lt `a` `b`}}", "true"],
    ),
    Builtin::new("ne", 2, Some(2), compare::ne).sees_missing().about(
        "VALUE OTHER",
        "Whether the value differs from the other one.",
        ["{{ne 1 2}}", "true"],
    ),
    Builtin::new("not", 1, Some(1), converge_functions::not).sees_missing().about(
        "VALUE",
        "Whether the value is false, 0 or empty.",
        ["{{not false}}", "true"],
    ),
    Builtin::short("or", Evaluation::Or).about(
        "VALUE..",
        "The first value that is neither false, 0 nor empty, else the last one; the others are not evaluated.",
        ["{{or 0 `a`}}", "a"],
    ),
    Builtin::naming("param", NameUse::Param, converge_functions::param).about(
        "NAME",
        "The parameter.",
        ["{{param `user`}}", "ada"],
    ),
    Builtin::naming("paramList", NameUse::Param, converge_functions::param_list).about(
        "NAME",
        "The parameter as a list.",
        ["{{range paramList `users`}}{{.}};{{end}}", "ada;bob;"],
    ),
    Builtin::naming("paramMap", NameUse::Param, converge_functions::param_map).about(
        "NAME",
        "The parameter as a map.",
        ["{{(paramMap `ports`).web}}", "80"],
    ),
    Builtin::record("path", converge_functions::path, &BasePath::NAMES, converge_functions::field_of_path).about(
        "",
        "Folders: `path.module`, `path.root`, `path.cwd`.",
        ["{{path.module}}/motd", "/srv/site/motd"],
    ),
    Builtin {
        spellings: &Platform::FIELDS,
        ..Builtin::record("platform", converge_functions::platform, &Platform::TEMPLATE_FIELDS, converge_functions::field_of_platform).about(
            "",
            "The machine: `platform.family`, `platform.hostname`, `platform.cpus` and the rest of what expressions know of it.",
            ["{{platform.os}}", "linux"],
        )
    },
    Builtin::new("print", 0, None, converge_functions::print).about(
        "VALUE..",
        "The values as text, with a space between two of which neither is text.",
        ["{{print `a` 1 2}}", "a1 2"],
    ),
    Builtin::new("printf", 1, None, printf::printf).about(
        "FORMAT VALUE..",
        "The format with its verbs replaced by the values, as in Go.",
        ["{{printf `%s has %03d` `web` 7}}", "web has 007"],
    ),
    Builtin::new("println", 0, None, converge_functions::println).about(
        "VALUE..",
        "The values as text, with spaces between them, and a line end.",
        ["{{println `a` 1 | trimspace}}", "a 1"],
    ),
    Builtin::new("slice", 1, Some(4), index::slice).about(
        "VALUE FROM TO",
        "The items of a list, or the bytes of a text, from one position up to, and without, another.",
        ["{{slice `hello` 1 3}}", "el"],
    ),
    Builtin::new("split", 2, Some(2), converge_functions::split).about(
        "SEPARATOR TEXT",
        "The parts of a text; an empty separator divides between characters.",
        ["{{`a,b` | split `,` | len}}", "2"],
    ),
    Builtin::new("urlquery", 0, None, converge_functions::urlquery).about(
        "VALUE..",
        "The values as text for the query of a URL.",
        ["{{urlquery `a b`}}", "a+b"],
    ),
];
