//! Blocks with a wrong head, and what is written where nothing can be.

use super::{instead, suggest};
use crate::registry::Registry;
use crate::report::{Diagnostic, Span};

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::load) enum BlockError {
    /// `name = value` outside of any block.
    StrayAttribute { name: String, span: Span },
    /// A block whose type is not registered.
    UnknownType { name: String, known: Vec<String>, span: Option<Span> },
    /// A block whose type is left out of this program, with what it needs.
    AbsentType { name: String, needs: &'static str, span: Option<Span> },
    /// A module or a switch in a graph that is built in Rust.
    StructureInCode { kind: String },
    /// A block with no name, or with more labels than one.
    WrongLabels { kind: String, labels: usize, span: Span },
    /// A name that cannot be part of an id.
    BadName { kind: String, name: String, span: Option<Span> },
    /// Two of one type and name.
    Duplicate { name: String, first: Option<Span>, second: Option<Span> },
    /// A nested block with labels.
    LabelledField { field: String, span: Span },
    /// The same field as a value and as a block, or twice under its name and an alias.
    FieldWrittenTwice { field: String, first: Option<Span>, second: Option<Span> },
}

impl BlockError {
    /// A type that `registry` does not have.
    pub(in crate::load) fn no_such_type(registry: &Registry, name: &str, span: Option<Span>) -> Self {
        let name = name.to_owned();
        if let Some(needs) = registry.absent(&name) {
            return Self::AbsentType { name, needs, span };
        }
        let known = registry.iter().map(|resource| resource.name().to_owned()).collect();
        Self::UnknownType { name, known, span }
    }
}

impl From<BlockError> for Diagnostic {
    fn from(error: BlockError) -> Self {
        match error {
            BlockError::StrayAttribute { name, span } => {
                Self::error("stray-attribute", format!("`{name}` is written outside of any resource"))
                    .label(span, "")
                    .help("a module holds only blocks: TYPE \"NAME\" { .. }")
            }
            BlockError::UnknownType { name, known, span } => {
                let help = instead(&name).map(str::to_owned).or_else(|| suggest(&name, &known));
                let help =
                    help.unwrap_or_else(|| "`converge docs` lists the types that there are".to_owned());
                Self::error("unknown-type", format!("unknown resource type `{name}`"))
                    .at(span, "no such type")
                    .help(help)
            }
            BlockError::AbsentType { name, needs, span } => {
                Self::error("absent-type", format!("`{name}` is left out of this program"))
                    .at(span, "this type is not there")
                    .help(format!("it needs {needs}, without which this program was built"))
            }
            BlockError::StructureInCode { kind } => Self::error(
                "unsupported-block",
                format!("a `{kind}` cannot be put into a graph that is built in Rust"),
            )
            .help("add its resources to the graph"),
            BlockError::WrongLabels { kind, labels, span } => {
                let message = match labels {
                    0 => format!("this `{kind}` has no name"),
                    labels => format!("this `{kind}` has {labels} names"),
                };
                Self::error("wrong-labels", message)
                    .label(span, "")
                    .help(format!("write one name: {kind} \"NAME\" {{ .. }}"))
            }
            BlockError::BadName { kind, name, span } => {
                Self::error("bad-name", format!("{name:?} cannot be the name of a `{kind}`"))
                    .at(span, "")
                    .help("a name is not empty and has no `/`, no `[\"`, no line break and no template")
            }
            BlockError::Duplicate { name, first, second } => {
                Self::error("duplicate-resource", format!("`{name}` is declared twice"))
                    .at(second, "declared again here")
                    .at(first, "first declared here")
                    .help("give one of them another name")
            }
            BlockError::LabelledField { field, span } => {
                Self::error("labelled-field", format!("`{field}` is a field and takes no name"))
                    .label(span, "")
                    .help(format!("write {field} {{ .. }}"))
            }
            BlockError::FieldWrittenTwice { field, first, second } => {
                Self::error("duplicate-field", format!("`{field}` is written twice"))
                    .at(second, "written again here")
                    .at(first, "first written here")
                    .help("keep one of them")
            }
        }
    }
}
