//! Approval: restricts the apply of a plan to the changes that the plan showed.
//!
//! A plan stores a digest of every difference that it showed. Before a resource is changed, each difference
//! found by its check must be one of them. A change that was already made, by this apply or by an interrupted
//! one, is no longer found. Any other difference is drift.

use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write as _};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use super::difference::Difference;
use super::outcome::Outcome;
use super::report::ResourceReport;
use crate::sdk::status::DiffValue;
use crate::system::kernel_random::fill;
use crate::types::id::NodeId;

/// The block size of SHA-256 in bytes.
const BLOCK: usize = 64;
/// The length of a key in bytes.
const KEY: usize = 32;

/// The reaction to drift: a resource would be changed in a way that the plan did not show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnDrift {
    /// The resource fails without any change, and its dependents are skipped.
    #[default]
    Refuse,
    /// The resource is left as it is with a warning, and its dependents continue.
    Skip,
    /// The changes that the check finds now are applied, and a message reports it.
    Replan,
}

/// The key for the digests of one plan.
///
/// Without the key, short texts cannot be guessed from their digests.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key([u8; KEY]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// Creates a random key; each plan has its own.
    pub(crate) fn random() -> std::io::Result<Self> {
        let mut bytes = [0; KEY];
        fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// Returns a digest of the parts. The length of each part is included so that parts cannot merge.
    pub(crate) fn digest<'a>(&self, parts: impl IntoIterator<Item = &'a str>) -> Digest {
        let mut text = Vec::new();
        for part in parts {
            text.extend((part.len() as u64).to_be_bytes());
            text.extend(part.as_bytes());
        }
        Digest(self.hmac(&text))
    }

    /// Computes an HMAC-SHA256.
    fn hmac(&self, text: &[u8]) -> [u8; 32] {
        let padded = |byte: u8| {
            let mut block = [byte; BLOCK];
            block.iter_mut().zip(self.0).for_each(|(pad, key)| *pad ^= key);
            Sha256::new_with_prefix(block)
        };
        let inner = padded(0x36).chain_update(text).finalize();
        padded(0x5c).chain_update(inner).finalize().into()
    }

    pub(crate) fn node(&self, id: &NodeId) -> Digest {
        self.digest(["node", id.as_str()])
    }

    fn difference(&self, difference: &Difference) -> Digest {
        let [before, after] = [&difference.before, &difference.after].map(|side| match side {
            DiffValue::Known(text) => ("known", text.as_str()),
            DiffValue::Placeholder(text) => ("placeholder", text.as_str()),
            DiffValue::Unknown => ("unknown", ""),
            DiffValue::Secret => ("secret", ""),
        });
        self.digest(["difference", &difference.name, before.0, before.1, after.0, after.1])
    }
}

/// A digest that represents a text in a plan without revealing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digest([u8; 32]);

/// The changes of one resource that a plan showed, as digests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// The digest of the node id, which may itself contain a secret.
    node: Digest,
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<Digest>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refresh: bool,
}

impl Shown {
    /// Creates the record for a report whose secrets are not redacted yet.
    pub(super) fn new(key: &Key, report: &ResourceReport) -> Self {
        let changes = changes(&report.differences).map(|difference| key.difference(difference));
        Self {
            node: key.node(&report.id),
            outcome: report.outcome,
            changes: changes.collect(),
            refresh: report.differences.iter().any(|difference| difference.refresh),
        }
    }
}

/// Returns the differences that change a value.
fn changes(differences: &[Difference]) -> impl Iterator<Item = &Difference> {
    differences.iter().filter(|difference| difference.changes && !difference.refresh)
}

/// The changes that the apply of a plan may make.
#[derive(Debug)]
pub(crate) struct Approval {
    key: Key,
    on_drift: OnDrift,
    shown: HashMap<Digest, (Outcome, HashSet<Digest>, bool)>,
}

impl Approval {
    pub(crate) fn new(key: Key, entries: &[Shown]) -> Self {
        let entry = |Shown { node, outcome, changes, refresh }: &Shown| {
            (*node, (*outcome, changes.iter().copied().collect(), *refresh))
        };
        Self { key, on_drift: OnDrift::default(), shown: entries.iter().map(entry).collect() }
    }

    pub(crate) fn on_drift(&self) -> OnDrift {
        self.on_drift
    }

    /// Sets the reaction to drift.
    pub(crate) fn set_on_drift(&mut self, on_drift: OnDrift) {
        self.on_drift = on_drift;
    }

    /// Describes the part of a change that the plan did not show, or returns `None` if it showed all of it.
    ///
    /// A resource that the plan reported as *may change* is allowed to change. The same holds for an instance
    /// of a `for_each` whose instances the plan did not know. The end node of that `for_each` follows the
    /// instance in `ids`.
    pub(crate) fn drift<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a NodeId>,
        found: &[Difference],
        applies: bool,
        refreshes: bool,
    ) -> Option<String> {
        let nothing = (Outcome::Unchanged, HashSet::new(), false);
        let approved_changes = ids.into_iter().find_map(|id| self.shown.get(&self.key.node(id)));
        let (outcome, approved_changes, refresh) = approved_changes.unwrap_or(&nothing);
        if *outcome == Outcome::MayChange {
            return None;
        }
        let is_new = |difference: &&Difference| {
            *outcome != Outcome::WillChange || !approved_changes.contains(&self.key.difference(difference))
        };
        // Only names are shown, because a value may be a secret that is no longer known.
        //
        // The report has the differences.
        let describe = |difference: &Difference| format!("a change of `{}`", difference.name);
        let mut drift: Vec<String> = changes(found).filter(is_new).map(describe).collect();
        let is_unnamed = changes(found).next().is_none()
            && (*outcome != Outcome::WillChange || !approved_changes.is_empty());
        if applies && is_unnamed {
            drift.push("a change that its check does not name".to_owned());
        }
        if refreshes && !refresh {
            drift.push("a refresh".to_owned());
        }
        (!drift.is_empty()).then(|| drift.join(", "))
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn bytes(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 2 * bytes.len() || !text.is_ascii() {
        return None;
    }
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    let text = String::deserialize(deserializer)?;
    bytes(&text).ok_or_else(|| de::Error::custom("what should be 64 hexadecimal digits is something else"))
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_rfc_4231() {
        // The second test case of the RFC. A short key is padded with zeros.
        let mut key = [0; KEY];
        key[..4].copy_from_slice(b"Jefe");
        let digest = Key(key).hmac(b"what do ya want for nothing?");
        assert_eq!(hex(&digest), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn digests_depend_on_the_key_and_on_each_part() {
        let key = Key([0; KEY]);
        assert_ne!(key.digest(["ab", "c"]), key.digest(["a", "bc"]));
        assert_ne!(key.digest(["a"]), Key([1; KEY]).digest(["a"]));
    }

    #[test]
    fn keys_and_digests_are_read_back() {
        let key = Key::random().unwrap();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<Key>(&text).unwrap(), key);
        for invalid in ["\"\"", "\"zz\"", &text.replacen('"', "\"0", 1), &format!("\"{}\"", "é".repeat(32))]
        {
            assert!(serde_json::from_str::<Key>(invalid).is_err(), "{invalid}");
        }
    }
}
