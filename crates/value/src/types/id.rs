//! Identifiers of nodes.
//!
//! The id of a node never depends on other nodes, so it is the same in every plan.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, de};

use super::concat::joined;
use crate::debug_as_text;
use crate::redact::Redactor;

/// The placeholder for the key of an instance that is not known yet; real keys are quoted.
#[doc(hidden)]
pub const PATTERN_KEY: &str = "[each.key]";

/// The path of a node: `root/file.content.index`, `root/module.web/task.build`.
///
/// ```
/// use converge_core::graph::NodeId;
///
/// let id = NodeId::root().child("module.web").child("file.content.index");
/// assert_eq!(id.as_str(), "root/module.web/file.content.index");
/// assert_eq!(id.name(), "file.content.index");
/// assert_eq!(id.parent(), Some(NodeId::root().child("module.web")));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Returns the id of the root module.
    pub fn root() -> Self {
        Self("root".into())
    }

    /// Returns the id of a node directly inside this one.
    pub fn child(&self, name: &str) -> Self {
        Self(joined([&self.0, "/", name]))
    }

    /// Returns the id of a resource of a type directly inside this node.
    #[doc(hidden)]
    pub fn resource(&self, resource_type: &str, name: &str) -> Self {
        Self(joined([&self.0, "/", resource_type, ".", name]))
    }

    #[doc(hidden)]
    pub fn is_root(&self) -> bool {
        &*self.0 == "root"
    }

    /// Returns the id with secrets redacted, because names and `for_each` keys may contain anything.
    #[doc(hidden)]
    pub fn redacted(&self, redactor: &Redactor) -> Self {
        let (root, rest) = self.0.split_at(self.0.find('/').unwrap_or(0));
        match redactor.redact(rest) {
            Cow::Borrowed(_) => self.clone(),
            Cow::Owned(shown) => Self([root, &shown].concat().into()),
        }
    }

    #[doc(hidden)]
    pub fn param(&self, name: &str) -> String {
        [&self.0, "/param.", name].concat()
    }

    /// Returns the id of one instance of this node, which has `for_each`: `root/file.content.page["a"]`.
    ///
    /// ```
    /// use converge_core::graph::NodeId;
    ///
    /// let page = NodeId::root().child("file.content.page").instance("etc/motd");
    /// assert_eq!(page.as_str(), r#"root/file.content.page["etc/motd"]"#);
    /// assert_eq!(page.name(), r#"file.content.page["etc/motd"]"#);
    /// assert_eq!(page.parent(), Some(NodeId::root()));
    /// ```
    pub fn instance(&self, key: &str) -> Self {
        // Most keys need no escaping.
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        let is_special = |character: char| matches!(character, '"' | '\\') || character.is_control();
        if !key.bytes().all(is_plain) && key.chars().any(is_special) {
            return Self([self.as_str(), &quoted_key(key)].concat().into());
        }
        Self(joined([&self.0, "[\"", key, "\"]"]))
    }

    /// Joins two parts of a path, of which the first ends with a complete segment.
    #[doc(hidden)]
    pub fn from_parts(prefix: &str, rest: &str) -> Self {
        Self(joined([prefix, rest]))
    }

    /// Returns the id of the pattern for all instances of this node, used while their keys are unknown.
    ///
    /// No instance has this id.
    #[doc(hidden)]
    pub fn pattern(&self) -> Self {
        Self(joined([&self.0, PATTERN_KEY]))
    }

    /// Returns the module or branch that contains this node, or `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        last_slash(&self.0).map(|slash| Self(self.0[..slash].into()))
    }

    /// Returns the path of the module or branch that contains this node; empty for the root.
    #[doc(hidden)]
    pub fn scope(&self) -> &str {
        last_slash(&self.0).map_or("", |slash| &self.0[..slash])
    }

    /// Returns the id that a node in a case would have beside the switch, or `None` for other nodes.
    #[doc(hidden)]
    pub fn next_to_switch(&self) -> Option<Self> {
        if !self.0.contains("/case.") {
            return None;
        }
        let split = |path| last_slash(path).map(|slash: usize| path.split_at(slash));
        let (switch, case) = split(self.scope())?;
        if !case.starts_with("/case.") {
            return None;
        }
        let (prefix, switch) = split(switch)?;
        switch.starts_with("/switch.").then(|| Self([prefix, "/", self.name()].concat().into()))
    }

    /// Returns the last segment: `file.content.index`.
    pub fn name(&self) -> &str {
        last_slash(&self.0).map_or(&self.0, |slash| &self.0[slash + 1..])
    }

    /// Whether the node is a resource of a type.
    ///
    /// `file.content.index` has the type `file.content`, not `file`.
    #[doc(hidden)]
    pub fn is_of(&self, resource_type: &str) -> bool {
        let name = self.name();
        let without_key = name.find('[').map_or(name, |key| &name[..key]);
        without_key.rsplit_once('.').is_some_and(|(known, _)| known == resource_type)
    }

    /// Returns the segments of the path: `root`, `module.web`, `file.content.index`.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        let mut rest = Some(&*self.0);
        std::iter::from_fn(move || {
            let text = rest?;
            let end = first_slash(text);
            rest = end.map(|end| &text[end + 1..]);
            Some(end.map_or(text, |end| &text[..end]))
        })
    }

    /// Returns the whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path without the root, as shown to people: `module.web/file.content.index`.
    pub fn short(&self) -> &str {
        self.0.strip_prefix("root/").unwrap_or(&self.0)
    }
}

/// Returns the key of an instance as written in ids and lookups: `["a"]`.
#[doc(hidden)]
pub fn quoted_key(key: &str) -> String {
    let mut text = String::with_capacity(key.len() + 4);
    text.push_str("[\"");
    for character in key.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            character if character.is_control() => text.extend(character.escape_unicode()),
            character => text.push(character),
        }
    }
    text.push_str("\"]");
    text
}

/// Returns the bytes of a path that are outside instance keys, with their offsets.
#[doc(hidden)]
pub fn outside_keys(path: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = path.as_bytes();
    let (mut in_key, mut escaped) = (false, false);
    path.bytes().enumerate().filter(move |&(at, byte)| {
        if !in_key {
            in_key = byte == b'"' && at > 0 && bytes.get(at - 1) == Some(&b'[');
            return !in_key;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_key = false,
            _ => {}
        }
        false
    })
}

fn last_slash(path: &str) -> Option<usize> {
    if !path.as_bytes().contains(&b'[') {
        return path.bytes().rposition(|byte| byte == b'/');
    }
    outside_keys(path).filter(|(_, byte)| *byte == b'/').last().map(|(at, _)| at)
}

fn first_slash(path: &str) -> Option<usize> {
    outside_keys(path).find(|(_, byte)| *byte == b'/').map(|(at, _)| at)
}

/// An error for a text that is not the path of a node.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not the path of a node: {reason}", .path.escape_debug())]
pub struct ParseIdError {
    path: String,
    reason: &'static str,
}

debug_as_text!(ParseIdError);

/// Parses a whole path, in the form of [`as_str`](NodeId::as_str).
///
/// ```
/// use converge_core::graph::NodeId;
///
/// let id: NodeId = "root/module.web/task.build".parse()?;
/// assert_eq!(id.name(), "task.build");
/// assert!("task.build".parse::<NodeId>().is_err());
/// # Ok::<(), converge_core::graph::ParseIdError>(())
/// ```
impl FromStr for NodeId {
    type Err = ParseIdError;

    fn from_str(path: &str) -> Result<Self, ParseIdError> {
        let id = Self(path.into());
        let reason = if id.parts().next() != Some("root") {
            Some("it does not begin with `root`")
        } else if path.chars().any(char::is_control) {
            Some("there is a control character in it")
        } else if outside_keys(path).last().map(|(at, _)| at + 1) != Some(path.len()) {
            Some("a key has no end")
        } else if id.parts().any(str::is_empty) {
            Some("a part of it is empty")
        } else {
            None
        };
        match reason {
            None => Ok(id),
            Some(reason) => Err(ParseIdError { path: path.to_owned(), reason }),
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for NodeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for NodeId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for NodeId {
    fn borrow(&self) -> &str {
        &self.0
    }
}
