//! Parsing of the footprint attributes `manages`, `ensures`, `needs` and `touches`.

use syn::LitStr;

use super::{Items, split};
use crate::error_collector::Ctxt;

/// One footprint declaration of a field: `path:mode of destination`.
#[derive(Clone)]
pub(crate) struct FootprintAttr {
    pub(crate) verb: FootprintVerb,
    pub(crate) kind: String,
    pub(crate) aspect: Option<String>,
    pub(crate) name: FootprintName,
    pub(crate) literal: LitStr,
}

/// The source of the name of a thing.
#[derive(Clone)]
pub(crate) enum FootprintName {
    /// The value of the field.
    Own,
    /// The value of another field.
    Field(String),
    /// A fixed name.
    Fixed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FootprintVerb {
    Manages,
    Ensures,
    Needs,
    Touches,
}

impl FootprintVerb {
    const ALL: [Self; 4] = [Self::Manages, Self::Ensures, Self::Needs, Self::Touches];

    /// Returns the name of the attribute and the variant of `Verb`.
    pub(crate) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Manages => ("manages", "Manages"),
            Self::Ensures => ("ensures", "Ensures"),
            Self::Needs => ("needs", "Needs"),
            Self::Touches => ("touches", "Touches"),
        }
    }
}

pub(super) fn read(cx: &Ctxt, items: &Items) -> Vec<FootprintAttr> {
    let mut attributes = Vec::new();
    for verb in FootprintVerb::ALL {
        let (attribute, _) = verb.words();
        let Some(literal) = items.text(attribute) else { continue };
        for entry in split(cx, attribute, &literal) {
            let Some((kind, aspect, name)) = parse(&entry) else {
                let message = format!(
                    "{entry:?} is no thing on a machine: write its kind, what about it, and where its name comes from, \
                     such as `path`, `path:content`, `path:mode of destination` or `path:tree at /etc/apt`"
                );
                cx.error(&literal, message);
                continue;
            };
            attributes.push(FootprintAttr { verb, kind, aspect, name, literal: literal.clone() });
        }
    }
    attributes
}

/// Parses `KIND` or `KIND:ASPECT`, optionally followed by ` of FIELD` or ` at NAME`.
fn parse(entry: &str) -> Option<(String, Option<String>, FootprintName)> {
    let (thing, name) = match (entry.split_once(" of "), entry.split_once(" at ")) {
        (Some((thing, field)), None) => (thing, FootprintName::Field(word(field)?)),
        (None, Some((thing, name))) => (thing, FootprintName::Fixed(name.trim().to_owned())),
        (None, None) => (entry, FootprintName::Own),
        (Some(_), Some(_)) => return None,
    };
    let (kind, aspect) = match thing.split_once(':') {
        Some((kind, aspect)) => (kind, Some(word(aspect)?)),
        None => (thing, None),
    };
    Some((word(kind)?, aspect, name))
}

fn word(text: &str) -> Option<String> {
    let text = text.trim();
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_word.then(|| text.to_owned())
}
