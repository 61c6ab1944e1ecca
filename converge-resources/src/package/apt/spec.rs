use std::fmt;
use std::str::FromStr;

use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;

/// A package, with an optional architecture and version: `libc6:i386=2.36-9`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct AptSpec {
    pub(super) package: Package,
    pub(super) version: Option<DebianVersion>,
}

/// The name of a package, with an optional architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) arch: Option<String>,
}

/// An exact version. An epoch of 0 is removed, because it means the same as none.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct DebianVersion(String);

/// The footprint has the package, without architecture and version.
impl Names for AptSpec {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        add(&self.package.name);
    }
}

impl FromStr for AptSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, version) = match text.split_once('=') {
            Some((name, version)) => (name, Some(version.parse()?)),
            None => (text, None),
        };
        let (name, arch) = match name.split_once(':') {
            Some((name, arch)) => (name, Some(arch)),
            None => (name, None),
        };
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = name.as_bytes();
        if bytes.len() < 2
            || !bytes.first().copied().is_some_and(letter)
            || !bytes.iter().all(|byte| letter(*byte) || b"+-.".contains(byte))
        {
            return Err(format!(
                "{text:?} is not the name of a Debian package, which has two or more of a-z 0-9 + - . and begins with a \
                 letter or a digit; a version follows it as in `name=1.0-1`, an architecture as in `name:i386`"
            ));
        }
        if let Some(arch) = arch
            && (arch.is_empty() || !arch.bytes().all(|byte| letter(byte) || byte == b'-'))
        {
            return Err(format!("{arch:?} is not an architecture, such as amd64"));
        }
        let package = Package { name: name.to_owned(), arch: arch.map(str::to_owned) };
        Ok(Self { package, version })
    }
}

impl FromStr for DebianVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // A leading dash could be an option, and apt reads `*` and `?` as patterns of versions.
        let fits = text.starts_with(|first: char| first.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-~:".contains(&byte));
        if !fits {
            return Err(format!("{text:?} is not an exact version of a Debian package, such as 1.2-3"));
        }
        Ok(Self(text.strip_prefix("0:").unwrap_or(text).to_owned()))
    }
}

impl DebianVersion {
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `text` is this version in the notation of dpkg or apt.
    pub(super) fn matches_text(&self, text: &str) -> bool {
        self.0 == text.strip_prefix("0:").unwrap_or(text)
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.arch.as_ref().map_or(Ok(()), |arch| write!(f, ":{arch}"))
    }
}

impl fmt::Display for DebianVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AptSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.package.fmt(f)?;
        self.version.as_ref().map_or(Ok(()), |version| write!(f, "={version}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packages() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let actual = text.parse::<AptSpec>().map(|spec| format!("{spec:?}"));
            match (actual, expect) {
                (Ok(_), Ok(expect)) => assert_eq!(text.parse::<AptSpec>().unwrap().to_string(), expect),
                (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        };
        check("mc", Ok("mc"));
        check("g++", Ok("g++"));
        check("libstdc++6:i386", Ok("libstdc++6:i386"));
        check("libc6:i386=0:2.36-9+deb12u1", Ok("libc6:i386=2.36-9+deb12u1"));
        check("vim=2:9.0~rc1", Ok("vim=2:9.0~rc1"));
        for text in ["", "x", "-y", "Mc", "mc ", "m*", "mc/bookworm", "lib?", "a b", "+a", "./mc.deb"] {
            check(text, Err("is not the name of a Debian package"));
        }
        check("mc:", Err("is not an architecture"));
        check("mc:AMD64", Err("is not an architecture"));
        for text in ["mc=", "mc=1.*", "mc=-1", "mc=v1", "mc=1 ", "mc==1"] {
            check(text, Err("is not an exact version"));
        }
    }

    #[test]
    fn an_epoch_of_zero_is_none() {
        let version = |text: &str| text.parse::<DebianVersion>().unwrap();
        assert!(version("0:1.0").matches_text("1.0") && version("1.0").matches_text("0:1.0"));
        assert!(!version("1:1.0").matches_text("1.0"));
    }
}
