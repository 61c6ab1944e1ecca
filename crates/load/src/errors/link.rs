//! Diagnostics about names that cannot be resolved.

use super::hints::{closest, foreign_word};
use crate::diagnostic::{Diagnostic, Span, close_names, suggested};
use crate::graph::EdgeReason;
use crate::language::name_elsewhere;
use converge_value::types::local_path::local_name;

/// The maximum number of `for_each` keys in a message.
const SHOWN_KEYS: usize = 8;

pub(crate) fn unknown_resource(
    path: &str,
    reason: EdgeReason,
    help: Option<String>,
    span: Option<Span>,
) -> Diagnostic {
    if let Some(name) = local_name(path) {
        return unknown_local(name, help.as_deref(), span);
    }
    let message = match reason {
        EdgeReason::Depends | EdgeReason::EvenAfter | EdgeReason::OnChange => {
            format!("`{reason}` names `{path}`, which does not exist")
        }
        _ => format!("lookup of `{path}`, which does not exist"),
    };
    let mut diagnostic = Diagnostic::error("unknown-resource", message).label(span, "no such resource");
    let first = path.split('.').next().unwrap_or_default();
    let elsewhere = || name_elsewhere(first).map(|instead| format!("write {instead}"));
    diagnostic.help = help.or_else(|| foreign_word(first)).or_else(elsewhere);
    diagnostic
}

/// Reports an unknown local; `help` contains paths that may be meant.
fn unknown_local(name: &str, help: Option<&str>, span: Option<Span>) -> Diagnostic {
    let paths = help.map(suggested).unwrap_or_default().into_iter();
    let candidates = paths.filter_map(|path| local_name(path).or(path.strip_prefix("local.")));
    // A path that is similar only because it also starts with `local.` is not suggested.
    let help = match close_names(name, candidates).first() {
        Some(close) => format!("did you mean `local.{close}`?"),
        None => format!("declare it: locals {{ {name} = .. }}"),
    };
    Diagnostic::error("unknown-local", format!("there is no `local.{name}`"))
        .label(span, "no such value")
        .help(help)
}

pub(crate) fn unknown_param(name: &str, params: &[String], span: Option<Span>) -> Diagnostic {
    let help = closest(name, params)
        .unwrap_or_else(|| format!("declare it: param \"{name}\" {{ default = \"..\" }}"));
    Diagnostic::error("unknown-param", format!("unknown parameter `{name}`"))
        .label(span, "no such parameter")
        .help(help)
}

pub(crate) fn unknown_output(
    module: &str,
    output: &str,
    outputs: &[String],
    span: Option<Span>,
) -> Diagnostic {
    let help = closest(output, outputs).unwrap_or_else(|| match outputs {
        [] => format!("it has no outputs: declare it there, output \"{output}\" {{ value = .. }}"),
        known => format!("its outputs are {}", known.join(", ")),
    });
    Diagnostic::error("unknown-output", format!("`{module}` has no output `{output}`"))
        .label(span, "no such output")
        .help(help)
}

pub(crate) fn missing_export(resource: &str, exports: &[String], span: Option<Span>) -> Diagnostic {
    let help = match exports {
        [] => "it exports nothing".to_owned(),
        exports => format!("its exports are {}", exports.join(", ")),
    };
    Diagnostic::error("missing-export", format!("this lookup names no export of `{resource}`"))
        .label(span, "")
        .help(help)
}

/// Reports a lookup of an unknown export: the name `wrong` in the path `field`.
pub(crate) fn unknown_export(
    resource: &str,
    field: &[&str],
    (name, known): (&str, &[String]),
    span: Option<Span>,
) -> Diagnostic {
    let help = closest(name, known).unwrap_or_else(|| match known {
        [] if field.first() == Some(&name) => "it exports nothing".to_owned(),
        [] => "it is a plain value without fields".to_owned(),
        known => format!("its exports are {}", known.join(", ")),
    });
    Diagnostic::error("unknown-export", format!("`{resource}` has no export `{}`", field.join(".")))
        .label(span, "no such export")
        .help(help)
}

pub(crate) fn unknown_instance(
    resource: &str,
    key: Option<&str>,
    keys: Option<&[String]>,
    span: Option<Span>,
) -> Diagnostic {
    let message = match key {
        Some(key) => format!("`{resource}` has no instance `{key}`"),
        None => format!("this lookup names no instance of `{resource}`"),
    };
    let mistake = Diagnostic::error("unknown-instance", message).label(span, "");
    let Some(keys) = keys else { return mistake };
    let help = key.and_then(|key| closest(key, keys)).unwrap_or_else(|| match keys {
        [] => "its `for_each` is empty".to_owned(),
        keys => {
            let ellipsis = if keys.len() > SHOWN_KEYS { ", .." } else { "" };
            format!("its instances are {}{ellipsis}", keys[..keys.len().min(SHOWN_KEYS)].join(", "))
        }
    });
    mistake.help(help)
}

/// Reports the name of an instance with the same key in a block without instances.
pub(crate) fn no_each(name: &str, span: Option<Span>) -> Diagnostic {
    Diagnostic::error(
        "unknown-instance",
        format!("`{name}` needs the key of an instance, and this block has no `for_each`"),
    )
    .label(span, "")
    .help("write the key, as in TYPE.NAME[\"KEY\"], or the name alone for all instances")
}

/// Reports a name that refers to all instances at once, although only a run knows the instances.
pub(crate) fn names_no_instance(resource: &str, span: Option<Span>) -> Diagnostic {
    let message = format!("this names no instance of `{resource}`");
    Diagnostic::error("unknown-instance", message).label(span, "").help(format!(
        "the keys of `for_each` are known only in a run: name an instance as in {resource}[\"KEY\"].FIELD"
    ))
}

pub(crate) fn ambiguous(path: &str, switches: &[&str], span: Option<Span>) -> Diagnostic {
    let quoted_switches: Vec<String> = switches.iter().map(|switch| format!("`{switch}`")).collect();
    let first = switches.first().unwrap_or(&"switch.NAME");
    Diagnostic::error(
        "ambiguous-name",
        format!("`{path}` is in cases of {}", quoted_switches.join(" and of ")),
    )
    .label(span, "")
    .help(format!("write one of them in full: {first}/case.NAME/{path}"))
}

pub(crate) fn names_case(reason: EdgeReason, path: &str, span: Option<Span>) -> Diagnostic {
    let switch = path.rsplit_once("case.").map_or("", |(switch, _)| switch);
    let switch = match switch.trim_end_matches(['/', '.']) {
        "" => "the switch",
        switch => switch,
    };
    Diagnostic::error("names-case", format!("`{reason}` names `{path}`, which is a case"))
        .label(span, "")
        .help(format!("which case is taken is known only later: wait for `{switch}`"))
}
