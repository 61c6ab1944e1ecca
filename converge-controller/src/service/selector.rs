//! Selection of resources by the notes in their metadata.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::debug_as_text;
use crate::resource::Metadata;

/// A selector of resources by their metadata: all requirements must be met.
///
/// Without any, it selects all.
///
/// The text form separates requirements by commas. A missing note differs from every text.
///
/// ```
/// use converge_controller::Metadata;
/// use converge_controller::service::MetadataSelector;
///
/// let selector: MetadataSelector = "team=web, tier in (front, edge), state != retired".parse()?;
/// assert_eq!(selector, MetadataSelector::default().equal("team", "web").one_of("tier", ["front", "edge"])
///     .differs("state", "retired"));
///
/// let mut metadata = Metadata::default();
/// metadata.set("team", "web")?;
/// assert!(!selector.matches(&metadata));
/// metadata.set("tier", "edge")?;
/// assert!(selector.matches(&metadata));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetadataSelector(Vec<Requirement>);

/// A requirement for one note.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    asks: Asks,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Asks {
    Equal(String),
    Differs(String),
    OneOf(BTreeSet<String>),
}

/// The error of a text that is not a [`MetadataSelector`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// A requirement has the wrong form.
    #[error(
        "{text:?} is not a selector: write key=value, key!=value or key in (a, b), with commas between them"
    )]
    Form {
        /// The requirement.
        text: String,
    },
    /// The key of a requirement is reserved for the service.
    #[error("{key:?} is set by the service: a selector can ask for other notes only")]
    Reserved {
        /// The key.
        key: String,
    },
}

debug_as_text!(SelectorError);

impl MetadataSelector {
    /// Requires a note to have this text.
    pub fn equal(self, key: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(key.into(), Asks::Equal(text.into()))
    }

    /// Requires a note to have another text, or to be absent.
    pub fn differs(self, key: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(key.into(), Asks::Differs(text.into()))
    }

    /// Requires a note to have one of these texts.
    pub fn one_of<T: Into<String>>(self, key: impl Into<String>, texts: impl IntoIterator<Item = T>) -> Self {
        self.with(key.into(), Asks::OneOf(texts.into_iter().map(Into::into).collect()))
    }

    fn with(mut self, key: String, asks: Asks) -> Self {
        self.0.push(Requirement { key, asks });
        self
    }

    /// Returns whether the selector matches this metadata.
    pub fn matches(&self, metadata: &Metadata) -> bool {
        self.0.iter().all(|Requirement { key, asks }| {
            let note = metadata.get(key);
            match asks {
                Asks::Equal(text) => note == Some(text),
                Asks::Differs(text) => note != Some(text),
                Asks::OneOf(texts) => note.is_some_and(|note| texts.contains(note)),
            }
        })
    }
}

impl FromStr for MetadataSelector {
    type Err = SelectorError;

    fn from_str(text: &str) -> Result<Self, SelectorError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        Ok(Self(parts(text).map(requirement).collect::<Result<_, _>>()?))
    }
}

/// Splits a text at the commas that are not in parentheses.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.split(move |character| {
        inside = character == '(' || (inside && character != ')');
        character == ',' && !inside
    })
}

fn requirement(text: &str) -> Result<Requirement, SelectorError> {
    let form = || SelectorError::Form { text: text.trim().to_owned() };
    let (key, asks) = list(text).or_else(|| comparison(text)).ok_or_else(form)?;
    let legal = |text: &str| !text.contains(['=', '!', '(', ')', ',']);
    if key.is_empty() || key.contains(char::is_whitespace) || !legal(key) {
        return Err(form());
    }
    let texts_are_legal = match &asks {
        Asks::Equal(text) | Asks::Differs(text) => legal(text),
        Asks::OneOf(texts) => texts.iter().all(|text| legal(text)),
    };
    if !texts_are_legal {
        return Err(form());
    }
    if key == Metadata::DELETION_TIMESTAMP || key == Metadata::FINALIZERS {
        return Err(SelectorError::Reserved { key: key.to_owned() });
    }
    Ok(Requirement { key: key.to_owned(), asks })
}

/// Parses `key in (a, b)`.
fn list(text: &str) -> Option<(&str, Asks)> {
    let (head, texts) = text.trim().strip_suffix(')')?.split_once('(')?;
    let key = head.trim_end().strip_suffix("in")?;
    let texts = texts.split(',').map(|text| text.trim().to_owned());
    key.ends_with(char::is_whitespace).then(|| (key.trim(), Asks::OneOf(texts.collect())))
}

/// Parses `key=text` and `key!=text`.
fn comparison(text: &str) -> Option<(&str, Asks)> {
    let (key, text) = text.split_once('=')?;
    let text = text.trim().to_owned();
    Some(match key.strip_suffix('!') {
        Some(key) => (key.trim(), Asks::Differs(text)),
        None => (key.trim(), Asks::Equal(text)),
    })
}

impl fmt::Display for MetadataSelector {
    /// Writes the form that can be parsed, unless a text contains a comma, a parenthesis, `=` or `!`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Requirement { key, asks }) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            match asks {
                Asks::Equal(text) => write!(f, "{separator}{key}={text}")?,
                Asks::Differs(text) => write!(f, "{separator}{key}!={text}")?,
                Asks::OneOf(texts) => {
                    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                    write!(f, "{separator}{key} in ({})", texts.join(","))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Result<&str, &str>) {
        let actual = text.parse::<MetadataSelector>();
        let actual = actual.map(|selector| selector.to_string()).map_err(|error| error.to_string());
        assert_eq!(actual, expect.map(str::to_owned).map_err(str::to_owned), "{text:?}");
    }

    #[test]
    fn texts() {
        check("", Ok(""));
        check("  ", Ok(""));
        check("team=web", Ok("team=web"));
        check(" team = web ,tier!=x", Ok("team=web,tier!=x"));
        check("team=", Ok("team="));
        check("team in (b, a ,b)", Ok("team in (a,b)"));
        check("team in(a),x=y", Ok("team in (a),x=y"));
        check("team in ()", Ok("team in ()"));
        check("in in (in)", Ok("in in (in)"));

        let form = |text: &str| {
            format!(
                "{text:?} is not a selector: write key=value, key!=value or key in (a, b), with commas between them"
            )
        };
        for invalid in [
            "team",
            "=web",
            "!=web",
            "team==web",
            "team in",
            "team in a",
            "teamin (a)",
            "in (a)",
            "team in (a",
        ] {
            check(invalid, Err(&form(invalid)));
        }
        for invalid in ["two words=x", "a=b)", "a=(b)", "team in (a=b)", "team in (a)(b)", "a!b=c", "a=b!=c"]
        {
            check(invalid, Err(&form(invalid)));
        }
        check("a=b,", Err(&form("")));
        check(
            "finalizers=x",
            Err("\"finalizers\" is set by the service: a selector can ask for other notes only"),
        );
    }

    #[test]
    fn who_is_meant() {
        let mut metadata = Metadata::default();
        metadata.set("team", "web").unwrap();
        let check = |selector: &str, expect| {
            let selector: MetadataSelector = selector.parse().unwrap();
            assert_eq!(selector.matches(&metadata), expect, "{selector}");
        };
        check("", true);
        check("team=web", true);
        check("team=db", false);
        check("other=", false);
        check("team!=db", true);
        check("team!=web", false);
        check("other!=x", true);
        check("team in (db,web)", true);
        check("team in (db)", false);
        check("other in (db,)", false);
        check("team=web,other=x", false);
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused_and_what_is_taken_is_shown_as_it_is(text in "[ab =!,()n i]{0,12}") {
            if let Ok(selector) = text.parse::<MetadataSelector>() {
                prop_assert_eq!(selector.to_string().parse::<MetadataSelector>(), Ok(selector));
            }
        }
    }
}
