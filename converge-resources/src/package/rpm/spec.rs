use std::fmt;
use std::str::FromStr;

use converge_sdk::footprint::{Names, kind};
use converge_sdk::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) enum RpmSpec {
    /// A package by its name: `mc`, `mc=4.8.29-2`. As in `rpm -q`, the name may be longer: `mc.x86_64`.
    Package { name: String, version: Option<RpmVersion> },
    /// A package by the path or the URL of its file.
    File(String),
}

/// A version that may omit the epoch, the release or both.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct RpmVersion(String);

/// The footprint has the package without its version, or the path of its file.
impl Names for RpmSpec {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        match self {
            Self::Package { name, .. } if kind == kind::PACKAGE => add(name),
            Self::File(file) if kind == kind::PATH && file.starts_with('/') => add(file),
            Self::Package { .. } | Self::File(_) => {}
        }
    }
}

impl FromStr for RpmSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_url = ["http://", "https://", "ftp://"].iter().any(|scheme| text.starts_with(scheme));
        if is_url || (text.starts_with('/') && !text.ends_with('/')) {
            return Ok(Self::File(text.to_owned()));
        }
        let (name, version) = match text.split_once('=') {
            Some((name, version)) => (name, Some(version.parse()?)),
            None => (text, None),
        };
        let fits = name.starts_with(|first: char| first.is_ascii_alphanumeric())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte));
        if !fits {
            return Err(format!(
                "{text:?} is neither the name of a package, which has a-z A-Z 0-9 + - . _ and begins with a letter or a \
                 digit, nor an absolute path, nor a URL"
            ));
        }
        Ok(Self::Package { name: name.to_owned(), version })
    }
}

impl RpmSpec {
    /// Returns the name for differences: the package without its version, or the file.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Package { name, .. } => name,
            Self::File(file) => file,
        }
    }
}

impl FromStr for RpmVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-~^:_".contains(&byte));
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("{text:?} is not an exact version, such as 1.2 or 1.2-3"))
        }
    }
}

impl RpmVersion {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a package with this epoch, version and release has the version.
    pub(super) fn matches(&self, epoch: &str, version: &str, release: &str) -> bool {
        let (wanted_epoch, target) =
            self.0.split_once(':').map_or((None, self.0.as_str()), |(epoch, rest)| (Some(epoch), rest));
        wanted_epoch.is_none_or(|target| target == epoch)
            && (target == version || target == format!("{version}-{release}"))
    }
}

impl fmt::Display for RpmVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for RpmSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Package { version: Some(version), .. } => write!(f, "={version}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages() {
        let check = |text: &str, expect: Result<bool, &str>| match (text.parse::<RpmSpec>(), expect) {
            (Ok(spec), Ok(is_file)) => {
                assert_eq!(matches!(spec, RpmSpec::File(_)), is_file, "{text}");
                assert_eq!(spec.to_string(), text);
            }
            (Err(error), Err(expect)) => assert!(error.contains(expect), "{text}: {error}"),
            (found, _) => panic!("{text}: {found:?}"),
        };
        for text in
            ["mc", "python3.11", "libstdc++", "NetworkManager", "mc.x86_64", "mc-4.8", "mc=4.8-1", "mc=1:4.8"]
        {
            check(text, Ok(false));
        }
        for text in ["/srv/mc.rpm", "http://example.com/mc.rpm", "https://example.com/mc.rpm?x=1"] {
            check(text, Ok(true));
        }
        for text in ["", "-y", "m*", "@core", "a b", "./mc.rpm", "/srv/", "file:///srv/mc.rpm"] {
            check(text, Err("is neither the name of a package"));
        }
        for text in ["mc=", "mc=*", "mc=-1", "mc=1 "] {
            check(text, Err("is not an exact version"));
        }
    }

    #[test]
    fn versions_may_leave_out_what_stands_around_them() {
        let check = |text: &str, expect: bool| {
            assert_eq!(text.parse::<RpmVersion>().unwrap().matches("1", "4.8", "2"), expect, "{text}");
        };
        for text in ["4.8", "4.8-2", "1:4.8", "1:4.8-2"] {
            check(text, true);
        }
        for text in ["4", "4.8-", "4.8-1", "0:4.8", "2:4.8-2", "4.8.0"] {
            check(text, false);
        }
    }
}
