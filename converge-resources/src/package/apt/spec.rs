use std::fmt;
use std::str::FromStr;

use super::version;
use converge_sdk::footprint::Names;
use converge_sdk::prelude::*;

/// A package, with an optional architecture and version: `libc6:i386=2.36-9`, `hello>=1.0,<2`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct AptSpec {
    pub(super) package: Package,
    pub(super) version: Option<DeclaredVersion>,
}

/// An exact version, or the bounds of a range.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) enum DeclaredVersion {
    Exact(DebianVersion),
    Range(Vec<(Relation, DebianVersion)>),
}

/// The relation of a version to a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    AtLeast,
    AtMost,
    NotEqual,
    Above,
    Below,
}

/// The signs of the relations; those of two characters come first, so that they are found first.
const RELATIONS: [(&str, Relation); 5] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    ("!=", Relation::NotEqual),
    (">", Relation::Above),
    ("<", Relation::Below),
];

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
        let (name, version) = match text.find(['=', '<', '>', '!']).map(|index| text.split_at(index)) {
            Some((name, version)) => (name, Some(version.strip_prefix('=').unwrap_or(version).parse()?)),
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

impl FromStr for DeclaredVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let relation = |part: &str| {
            let (sign, relation) = RELATIONS.into_iter().find(|(sign, _)| part.starts_with(sign))?;
            Some((relation, part.strip_prefix(sign)?.trim().parse::<DebianVersion>()))
        };
        let Some(parts) = text.split(',').map(|part| relation(part.trim())).collect::<Option<Vec<_>>>()
        else {
            return text.parse().map(Self::Exact);
        };
        let bounds = parts.into_iter().map(|(relation, version)| Ok((relation, version?)));
        bounds.collect::<Result<_, String>>().map(Self::Range)
    }
}

impl DeclaredVersion {
    /// Whether a version in the notation of dpkg or apt is a declared one.
    pub(super) fn fits(&self, text: &str) -> bool {
        let fits = |(relation, bound): &(Relation, DebianVersion)| {
            let order = version::compare(text, bound.as_str());
            match relation {
                Relation::AtLeast => order.is_ge(),
                Relation::AtMost => order.is_le(),
                Relation::NotEqual => order.is_ne(),
                Relation::Above => order.is_gt(),
                Relation::Below => order.is_lt(),
            }
        };
        match self {
            Self::Exact(version) => version.matches_text(text),
            Self::Range(bounds) => bounds.iter().all(fits),
        }
    }
}

impl fmt::Display for DeclaredVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = match self {
            Self::Exact(version) => return version.fmt(f),
            Self::Range(bounds) => bounds,
        };
        for (index, (relation, version)) in bounds.iter().enumerate() {
            let sign = RELATIONS.iter().find(|(_, other)| other == relation).map_or("", |(sign, _)| sign);
            write!(f, "{}{sign}{version}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
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
        match &self.version {
            None => Ok(()),
            Some(DeclaredVersion::Exact(version)) => write!(f, "={version}"),
            Some(range) => range.fmt(f),
        }
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
        check("mc>=1.0,<2", Ok("mc>=1.0,<2"));
        check("mc:i386 ", Err("is not an architecture"));
        check("mc!=0:1.0, > 0.9", Ok("mc!=1.0,>0.9"));
        for text in ["mc>", "mc>=1.*", "mc>=1,2", "mc<<2", "mc~=1"] {
            assert!(text.parse::<AptSpec>().is_err(), "{text}");
        }
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
    fn versions_in_a_range() {
        let check = |range: &str, fitting: &[&str], others: &[&str]| {
            let declared: DeclaredVersion = range.parse().unwrap();
            for (versions, expect) in [(fitting, true), (others, false)] {
                for version in versions {
                    assert_eq!(declared.fits(version), expect, "{range} {version}");
                }
            }
        };
        check(">=1.0,<2", &["1.0", "1.0-1", "1.9", "2~rc1"], &["0.9", "1.0~rc1", "2", "2.0", "1:1.5"]);
        check(">1.0,<=2", &["1.0-1", "2"], &["1.0", "2-1"]);
        check("!=1.0", &["1.1", "0.9"], &["1.0", "0:1.0"]);
        check("1.0", &["1.0", "0:1.0"], &["1.0-1"]);
    }

    #[test]
    fn an_epoch_of_zero_is_none() {
        let version = |text: &str| text.parse::<DebianVersion>().unwrap();
        assert!(version("0:1.0").matches_text("1.0") && version("1.0").matches_text("0:1.0"));
        assert!(!version("1:1.0").matches_text("1.0"));
    }
}
