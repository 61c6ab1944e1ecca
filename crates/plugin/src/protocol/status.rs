//! The status of a check or an apply on the wire.

use serde::{Deserialize, Serialize};

use super::error::WireError;
use crate::sdk::health::Health;
use crate::sdk::status::{Diff, DiffValue, Status, StatusLevel, TaskStatus};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireStatus {
    pub(crate) level: StatusLevel,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) differences: Vec<WireDifference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) messages: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<WireError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) health: Option<Health>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) announces: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireDifference {
    pub(crate) name: String,
    pub(crate) before: WireDiff,
    pub(crate) after: WireDiff,
    /// Whether the two sides differ, if a comparison of them would say otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum WireDiff {
    Known(String),
    Other(OtherDiff),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OtherDiff {
    /// Text in place of a value.
    Placeholder(String),
    /// A value that is known only after an apply.
    Unknown(bool),
    /// A value that is never shown.
    Secret(bool),
}

impl From<DiffValue> for WireDiff {
    fn from(value: DiffValue) -> Self {
        match value {
            DiffValue::Known(text) => Self::Known(text),
            DiffValue::Placeholder(text) => Self::Other(OtherDiff::Placeholder(text)),
            DiffValue::Unknown => Self::Other(OtherDiff::Unknown(true)),
            DiffValue::Secret => Self::Other(OtherDiff::Secret(true)),
        }
    }
}

impl From<WireDiff> for DiffValue {
    fn from(wire: WireDiff) -> Self {
        match wire {
            WireDiff::Known(text) => Self::Known(text),
            WireDiff::Other(OtherDiff::Placeholder(text)) => Self::Placeholder(text),
            WireDiff::Other(OtherDiff::Unknown(_)) => Self::Unknown,
            WireDiff::Other(OtherDiff::Secret(_)) => Self::Secret,
        }
    }
}

#[derive(Debug)]
struct Reported {
    before: DiffValue,
    after: DiffValue,
    changes: bool,
}

impl Diff for Reported {
    fn before(&self) -> DiffValue {
        self.before.clone()
    }

    fn after(&self) -> DiffValue {
        self.after.clone()
    }

    fn changes(&self) -> bool {
        self.changes
    }
}

impl From<&Status> for WireStatus {
    fn from(status: &Status) -> Self {
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        let differences = status.diffs().into_iter().map(|(name, diff)| {
            let (before, after) = (diff.before(), diff.after());
            let changes = (diff.changes() != (before != after)).then(|| diff.changes());
            WireDifference { name: name.to_owned(), before: before.into(), after: after.into(), changes }
        });
        let differences: Vec<WireDifference> = differences.collect();
        // An author's own status type may have changes that no difference shows.
        let hidden = status.has_changes() && !status.diffs().iter().any(|(_, diff)| diff.changes());
        let level = if hidden { status.level().join(StatusLevel::WillChange) } else { status.level() };
        Self {
            level,
            differences,
            messages: owned(status.messages()),
            warnings: owned(status.warnings()),
            error: status.error().map(Into::into),
            health: status.health(),
            announces: status.announces(),
        }
    }
}

impl From<WireStatus> for Status {
    fn from(wire: WireStatus) -> Self {
        let WireStatus { level, differences, messages, warnings, error, health, announces } = wire;
        let mut status = Self::new();
        status.raise_level(level);
        for WireDifference { name, before, after, changes } in differences {
            let (before, after) = (DiffValue::from(before), DiffValue::from(after));
            let changes = changes.unwrap_or(before != after);
            status.add_diff(name, Reported { before, after, changes });
        }
        for message in messages {
            if announces {
                status.announce(message);
            } else {
                status.add_message(message);
            }
        }
        for warning in warnings {
            status.add_warning(warning);
        }
        if let Some(health) = health {
            status.set_health(health);
        }
        if let Some(error) = error {
            status.set_error(error);
        }
        status
    }
}
