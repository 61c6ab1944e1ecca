use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// A Python package in a requirement: `requests`, `requests[socks]==2.31.0`, `django>=4.2,<5`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct PipSpec {
    /// The name as declared, without extras.
    pub(super) name: String,
    /// The extras in brackets as declared; empty if there are none.
    extras: String,
    /// The accepted versions: `==2.31.0`; empty for any.
    pub(super) versions: String,
}

/// Returns the normal form of a name (PEP 503).
///
/// It is in lower case, with one dash for any number of dashes, dots and underscores.
pub(super) fn normal(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn is_name(text: &str) -> bool {
    let edge = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    edge(bytes.first())
        && edge(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}

/// Whether the text compares a version, such as `>=4.2`.
fn is_comparison(text: &str) -> bool {
    let text = text.trim();
    let operators = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];
    let version = operators.iter().find_map(|operator| text.strip_prefix(operator)).map(str::trim);
    version.is_some_and(|version| {
        version.starts_with(|first: char| first.is_ascii_alphanumeric())
            && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".*+!_-".contains(&byte))
    })
}

impl FromStr for PipSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            format!(
                "{text:?} is not the name of a package of Python, with extras as in `name[extra]` and versions as in \
                 `name==1.0` or `name>=1.0,<2`"
            )
        };
        let (front, versions) = text.split_at(text.find(['=', '<', '>', '~', '!']).unwrap_or(text.len()));
        let (name, extras) = match front.trim_end_matches(' ').split_once('[') {
            Some((name, rest)) => (name, rest.strip_suffix(']').ok_or_else(error)?),
            None => (front.trim_end_matches(' '), ""),
        };
        let fits = is_name(name)
            && (extras.is_empty() || extras.split(',').all(|extra| is_name(extra.trim())))
            && (versions.is_empty() || versions.split(',').all(is_comparison))
            && (!front.contains('[') || !extras.is_empty());
        if !fits {
            return Err(error());
        }
        let extras = if extras.is_empty() { String::new() } else { format!("[{extras}]") };
        Ok(Self { name: name.to_owned(), extras, versions: versions.to_owned() })
    }
}

impl PipSpec {
    pub(super) fn normal(&self) -> String {
        normal(&self.name)
    }

    /// Adds a version that is declared separately.
    pub(super) fn with_version(&self, version: &str) -> Result<Self, String> {
        format!("{}{}=={version}", self.name, self.extras).parse()
    }

    /// Returns the version, if exactly one is accepted.
    pub(super) fn exact(&self) -> Option<&str> {
        self.versions.strip_prefix("==").filter(|version| !version.contains([',', '*', '=']))
    }
}

impl fmt::Display for PipSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.name, self.extras, self.versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages() {
        for text in [
            "requests",
            "Zope.Interface",
            "a",
            "requests[socks,x]==2.31.0",
            "django>=4.2,<5",
            "x~=1.4.2",
            "x==1.*",
        ] {
            assert_eq!(text.parse::<PipSpec>().map(|spec| spec.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "-r",
            "--index-url=x",
            "a b",
            "a==",
            "a==-1",
            "a=1",
            "a[",
            "a[]",
            "a]",
            "./a",
            "/srv/a.whl",
            "git+https://x/y",
            "a @ https://x",
            "a;python_version<'3'",
            "a\n",
            "a==1\n-r x",
            "-a-",
        ] {
            assert!(text.parse::<PipSpec>().is_err_and(|error| error.contains("is not the name")), "{text}");
        }
    }

    #[test]
    fn normal_names() {
        let check = |name: &str, expect: &str| assert_eq!(normal(name), expect);
        check("Zope.Interface", "zope-interface");
        check("a__B--c..d", "a-b-c-d");
        check("six", "six");
    }
}
