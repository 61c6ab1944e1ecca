use std::fmt;

/// The registry of names that name none.
pub(super) const DEFAULT_REGISTRY: &str = "docker.io";

const DEFAULT_TAG: &str = "latest";

/// The maximum length of a tag.
const LONGEST_TAG: usize = 128;

/// An image name with a tag or digest: `nginx:latest`, `registry.local:5000/team/app@sha256:..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The registry and the path, as written.
    name: String,
    version: Version,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Version {
    Tag(String),
    /// `sha256:` and the digits.
    Digest(String),
}

/// The reason why a text is not an image name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReferenceError {
    #[error(
        "{name:?} is not the name of an image: write lower case letters, digits, `.`, `_`, `-` and `/`, after a \
         registry where there is one, as in \"registry.example.com:5000/team/app\""
    )]
    Name { name: String },
    #[error(
        "{tag:?} is not a tag: write letters, digits, `.`, `_` and `-`, not beginning with `.` or `-`, and {LONGEST_TAG} at most"
    )]
    Tag { tag: String },
    #[error("{digest:?} is not a digest: write `sha256:` and 64 hexadecimal digits")]
    Digest { digest: String },
    #[error("{name:?} already selects an image with `{has}`: remove that, or leave out `tag`")]
    Twice { name: String, has: String },
}

impl ReferenceError {
    pub(super) fn is_about_the_tag(&self) -> bool {
        matches!(self, Self::Tag { .. } | Self::Digest { .. })
    }
}

impl Reference {
    /// Parses a name with its tag or digest. The default tag is `latest`.
    pub(super) fn parse(text: &str) -> Result<Self, ReferenceError> {
        let (name, version) = split(text);
        let version = version.unwrap_or_else(|| Version::Tag(DEFAULT_TAG.to_owned()));
        Self::checked(name, version)
    }

    /// Parses a name, combined with a tag or digest that is given separately.
    pub(super) fn with_tag(name: &str, tag: Option<&str>) -> Result<Self, ReferenceError> {
        let Some(tag) = tag else { return Self::parse(name) };
        let (base, version) = split(name);
        if let Some(version) = version {
            return Err(ReferenceError::Twice { name: name.to_owned(), has: version.to_string() });
        }
        let version = if tag.contains(':') { Version::Digest } else { Version::Tag };
        Self::checked(base, version(tag.to_owned()))
    }

    fn checked(name: &str, version: Version) -> Result<Self, ReferenceError> {
        let (registry, path) = registry_and_path(name);
        if !registry.is_none_or(is_registry) || !path.split('/').all(is_component) {
            return Err(ReferenceError::Name { name: name.to_owned() });
        }
        match &version {
            Version::Tag(tag) if !is_tag(tag) => return Err(ReferenceError::Tag { tag: tag.clone() }),
            Version::Digest(digest) if !is_digest(digest) => {
                return Err(ReferenceError::Digest { digest: digest.clone() });
            }
            Version::Tag(_) | Version::Digest(_) => {}
        }
        Ok(Self { name: name.to_owned(), version })
    }

    /// Returns the registry and the path, as written.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn version(&self) -> &str {
        match &self.version {
            Version::Tag(version) | Version::Digest(version) => version,
        }
    }

    /// Returns the registry of the image: a host, and a port if one is given.
    pub(super) fn registry(&self) -> &str {
        let registry = registry_and_path(&self.name).0.unwrap_or(DEFAULT_REGISTRY);
        if registry == "index.docker.io" { DEFAULT_REGISTRY } else { registry }
    }

    /// Returns the full name, including the parts that may be omitted.
    #[cfg(test)]
    pub(super) fn canonical(&self) -> String {
        let registry = self.registry();
        let path = registry_and_path(&self.name).1;
        let short = registry == DEFAULT_REGISTRY && !path.contains('/');
        format!("{registry}/{}{path}{}", if short { "library/" } else { "" }, self.version)
    }
}

/// Writes the form that the Engine API takes.
impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(f, ":{tag}"),
            Self::Digest(digest) => write!(f, "@{digest}"),
        }
    }
}

/// Splits tag or digest off a name.
///
/// In a name with both, as in `app:1@sha256:..`, the digest counts.
fn split(text: &str) -> (&str, Option<Version>) {
    if let Some((name, digest)) = text.split_once('@') {
        return (without_tag(name).0, Some(Version::Digest(digest.to_owned())));
    }
    let (name, tag) = without_tag(text);
    (name, tag.map(|tag| Version::Tag(tag.to_owned())))
}

/// Splits the tag off a name. A colon before the last slash is that of a port.
fn without_tag(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once(':') {
        Some((bare, tag)) if !tag.contains('/') => (bare, Some(tag)),
        _ => (name, None),
    }
}

/// Splits a name into registry and path.
///
/// The first part is a registry if it cannot be the first part of a path.
fn registry_and_path(name: &str) -> (Option<&str>, &str) {
    match name.split_once('/') {
        Some((first, path))
            if first == "localhost"
                || first.contains(['.', ':'])
                || first.chars().any(|letter| letter.is_ascii_uppercase()) =>
        {
            (Some(first), path)
        }
        _ => (None, name),
    }
}

fn is_registry(registry: &str) -> bool {
    let (host, port) = match registry.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (registry, None),
    };
    let is_address = || {
        let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        bracketed.is_some_and(|address| address.parse::<std::net::Ipv6Addr>().is_ok())
    };
    let is_name = || {
        host.split('.').all(|label| {
            let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
            !label.is_empty()
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(is_sign)
        })
    };
    port.is_none_or(|port| port.parse::<u16>().is_ok()) && (is_name() || is_address())
}

/// Whether the text has only lower case letters and digits, with single separators between them.
fn is_component(component: &str) -> bool {
    let is_word = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit();
    let mut separators = component.split(is_word);
    let (first, last) = (component.chars().next(), component.chars().next_back());
    first.is_some_and(is_word)
        && last.is_some_and(is_word)
        && separators.all(|separator| {
            matches!(separator, "" | "." | "_" | "__") || separator.chars().all(|sign| sign == '-')
        })
}

fn is_tag(tag: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '.' | '-');
    !tag.is_empty() && tag.len() <= LONGEST_TAG && !tag.starts_with(['.', '-']) && tag.chars().all(is_sign)
}

fn is_digest(digest: &str) -> bool {
    let is_digit = |sign: char| sign.is_ascii_digit() || matches!(sign, 'a'..='f');
    digest.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.chars().all(is_digit))
}

#[cfg(test)]
mod tests;
