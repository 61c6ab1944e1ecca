//! Names and link targets in an archive, with their validation.

use std::fmt;

/// The maximum length of a file name, in bytes.
const NAME_BYTES: usize = 255;

/// The maximum length of a path in bytes, as in Linux.
const PATH_BYTES: usize = 4095;

/// The path of an entry below the destination: names joined by `/`, none of which is `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct EntryPath(String);

impl EntryPath {
    /// Parses the name of an entry, or returns `None` for the destination itself.
    pub(super) fn parse(name: &[u8]) -> Result<Option<Self>, String> {
        let name = text(name)?;
        if name.is_empty() {
            return Err("has no name".to_owned());
        }
        if name.starts_with('/') {
            return Err("is an absolute path".to_owned());
        }
        let mut path = String::with_capacity(name.len());
        for step in name.split('/') {
            match step {
                "" | "." => continue,
                ".." => return Err("leads out of the destination through `..`".to_owned()),
                long if long.len() > NAME_BYTES => return Err("has a name that is too long".to_owned()),
                _ => {}
            }
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(step);
        }
        Ok((!path.is_empty()).then_some(Self(path)))
    }

    /// Removes the first names, or returns `None` if no name is left.
    pub(super) fn without_first(self, count: usize) -> Option<Self> {
        if count == 0 {
            return Some(self);
        }
        let rest = self.0.splitn(count + 1, '/').nth(count)?;
        Some(Self(rest.to_owned()))
    }

    /// Returns the directory of the entry, or `None` for the destination.
    pub(super) fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// Returns all directories above the entry, the nearest first.
    pub(super) fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    pub(super) fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Returns the number of directories above the entry.
    pub(super) fn depth(&self) -> usize {
        self.0.matches('/').count()
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The target of a symbolic link: up some directories, and down by names from there.
///
/// No `..` follows a name. Therefore a link that leads inside cannot lead outside by way of another link:
/// going down leaves no directory, except through a link that leads inside as well. The price is that
/// `a/../b` is refused, which is rare in archives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkTarget {
    text: String,
    ups: usize,
}

impl LinkTarget {
    /// Parses the target of a link in a directory at `depth` below the destination.
    pub(super) fn parse(target: &[u8], depth: usize) -> Result<Self, String> {
        let text = text(target)?;
        if text.is_empty() {
            return Err("is a symbolic link to nowhere".to_owned());
        }
        if text.starts_with('/') {
            return Err(link_out(text));
        }
        let mut ups = 0;
        let mut is_below = false;
        for step in text.split('/') {
            match step {
                "" | "." => {}
                ".." if is_below => {
                    return Err(format!(
                        "is a symbolic link to {text:?}: only the beginning of where it leads may be `..`"
                    ));
                }
                ".." => ups += 1,
                _ => is_below = true,
            }
        }
        let target = Self { text: text.to_owned(), ups };
        if target.leaves(depth) { Err(link_out(text)) } else { Ok(target) }
    }

    /// Whether the target is outside the destination, seen from a directory at `depth` below it.
    pub(super) fn leaves(&self, depth: usize) -> bool {
        self.ups > depth
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}

pub(super) fn link_out(target: &str) -> String {
    format!("is a symbolic link to {target:?}, which is outside of the destination")
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
    if text.contains('\0') {
        return Err("has a name with a NUL in it".to_owned());
    }
    if text.len() > PATH_BYTES {
        return Err("has a name that is too long".to_owned());
    }
    Ok(text)
}
