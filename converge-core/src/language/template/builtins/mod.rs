//! The functions that templates can call.

pub(super) mod call;
mod compare;
pub(super) mod index;
pub(super) mod own;
pub(super) mod printf;
mod standard;

use crate::types::base_path::BasePath;
use crate::types::platform::Platform;

use call::{Builtin, Evaluation, NameUse};

/// Their names.
#[cfg(any(test, feature = "assist"))]
pub(crate) fn function_names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

/// The functions of every template, by name.
pub(super) static BUILTINS: [Builtin; 30] = [
    Builtin::short("and", Evaluation::And),
    Builtin::new("call", 1, None, standard::call),
    Builtin {
        names: NameUse::Each,
        ..Builtin::record("each", standard::each, &["key", "value"], standard::field_of_each)
    },
    Builtin::new("env", 1, Some(1), standard::env),
    Builtin::new("eq", 2, None, compare::eq).sees_missing(),
    Builtin::new("ge", 2, Some(2), compare::ge),
    Builtin::new("gt", 2, Some(2), compare::gt),
    Builtin::new("html", 0, None, standard::html),
    Builtin::new("index", 1, None, index::index),
    Builtin::new("join", 2, Some(2), standard::join),
    Builtin::new("js", 0, None, standard::js),
    Builtin::new("jsonify", 1, Some(1), standard::jsonify),
    Builtin::new("le", 2, Some(2), compare::le),
    Builtin::new("len", 1, Some(1), index::len),
    Builtin::naming("lookup", NameUse::Lookup, standard::lookup),
    Builtin::new("lt", 2, Some(2), compare::lt),
    Builtin::new("ne", 2, Some(2), compare::ne).sees_missing(),
    Builtin::new("not", 1, Some(1), standard::not).sees_missing(),
    Builtin::short("or", Evaluation::Or),
    Builtin::naming("param", NameUse::Param, standard::param),
    Builtin::naming("paramList", NameUse::Param, standard::param_list),
    Builtin::naming("paramMap", NameUse::Param, standard::param_map),
    Builtin::record("path", standard::path, &BasePath::NAMES, standard::field_of_path),
    Builtin::record("platform", standard::platform, &Platform::TEMPLATE_FIELDS, standard::field_of_platform),
    Builtin::new("print", 0, None, standard::print),
    Builtin::new("printf", 1, None, printf::printf),
    Builtin::new("println", 0, None, standard::println),
    Builtin::new("slice", 1, Some(4), index::slice),
    Builtin::new("split", 2, Some(2), standard::split),
    Builtin::new("urlquery", 0, None, standard::urlquery),
];
