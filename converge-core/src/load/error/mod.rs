//! What can be wrong with a module beyond its syntax and the values of its fields: one enum for each part of the
//! language, each with what is needed to explain it.

mod block;
mod link;
mod meta;
mod module;
mod param;
mod switch;

use crate::report::{Diagnostic, Span, did_you_mean};

pub(super) use block::BlockError;
pub(super) use link::{CycleStep, LinkError};
pub(super) use meta::MetaError;
pub(super) use module::ModuleError;
pub(super) use param::ParamError;
pub(super) use switch::SwitchError;

impl Diagnostic {
    /// Adds a place, where there is one: what is built in Rust has none.
    fn at(self, span: Option<Span>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.label(span, text),
            None => self,
        }
    }

    /// Says how to fix it, where there is something to say.
    fn advise(self, help: Option<String>) -> Self {
        match help {
            Some(help) => self.help(help),
            None => self,
        }
    }
}

/// What to write instead of a word of another language, in the place of a block, an argument or the first name of
/// a path.
pub(super) fn instead(word: &str) -> Option<&'static str> {
    Some(match word {
        "resource" | "data" => "write the type alone: file.content \"NAME\" { .. }",
        "variable" | "locals" => "a value with a name is a parameter: param \"NAME\" { default = .. }",
        "output" => "what a resource exports is looked up from outside: module.NAME.TYPE.NAME.FIELD",
        "count" => "use `for_each`, which makes one for each entry: for_each = [\"a\", \"b\"]",
        "depends_on" => "write depends = [\"TYPE.NAME\"]",
        "triggers" | "notify" | "subscribe" => "write on_change_of = [\"TYPE.NAME\"]",
        "var" | "local" => "a parameter is param.NAME",
        "path" => "paths in `file` and `templatefile` begin where the module is",
        _ => return None,
    })
}

fn suggest(given: &str, known: &[String]) -> Option<String> {
    did_you_mean(given, known.iter().map(String::as_str))
}
