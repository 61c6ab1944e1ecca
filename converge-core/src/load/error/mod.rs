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

fn suggest(given: &str, known: &[String]) -> Option<String> {
    did_you_mean(given, known.iter().map(String::as_str))
}
