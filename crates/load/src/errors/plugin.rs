//! Diagnostics about plugins that a module names.

use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::model::plugin_blocks::ATTRIBUTES;
use crate::model::spanned_text::Spanned;
use crate::sdk::registry::PluginProblem;

pub(crate) fn bad_name(name: &Spanned) -> Diagnostic {
    Diagnostic::error("bad-name", format!("{:?} cannot be the name of a plugin", name.text))
        .label(name.span, "")
        .help("a name is letters, digits, `-` and `_`")
}

pub(crate) fn unknown_argument(name: &Spanned) -> Diagnostic {
    let help = did_you_mean(&name.text, ATTRIBUTES);
    Diagnostic::error("unknown-argument", format!("a plugin takes no `{}`", name.text))
        .label(name.span, "no such argument")
        .help(help.unwrap_or_else(|| "a plugin takes source, sha256 and version".to_owned()))
}

pub(crate) fn no_text(argument: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "bad-plugin",
        format!("`{argument}` of a plugin is a text that is known before anything is computed"),
    )
    .label(span, "")
    .help(format!("write it in quotes, without templates: {argument} = \"..\""))
}

pub(crate) fn missing(argument: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("bad-plugin", format!("the plugin `{name}` has no `{argument}`")).label(span, "").help(
        match argument {
            "sha256" => "`sha256sum FILE` prints it: the hash ensures that only the intended file runs with your permissions",
            _ => "write the path of its file relative to this module: source = \"./converge-plugin-x\"",
        },
    )
}

pub(crate) fn not_started(problem: &PluginProblem, span: Span) -> Diagnostic {
    let error = Diagnostic::error("plugin", problem.message.clone()).label(span, "");
    match &problem.help {
        Some(help) => error.help(help.clone()),
        None => error,
    }
}

pub(crate) fn elsewhere(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("plugin", format!("the plugin `{name}` is not started from this module"))
        .label(span, "")
        .help(
            "write the block in the module that is given to the command; modules that it calls may repeat the block; a program that embeds the engine starts plugins itself",
        )
}
