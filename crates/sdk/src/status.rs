//! The status of a check or an apply: level, differences and messages.

use std::fmt;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::health::Health;
use crate::types::value::{KNOWN_AFTER_APPLY, REDACTED};

/// The distance of a resource from its declared state, from no change to an error.
///
/// The order matters: raising a level never lowers it, and joining two levels takes the higher.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum StatusLevel {
    /// The machine is in the declared state.
    #[default]
    NoChange,
    /// There is a difference that is acceptable and will not be corrected.
    WontChange,
    /// There is a difference that an apply corrects.
    WillChange,
    /// There may be a difference once something that this resource depends on has been applied.
    MayChange,
    /// There is a difference that cannot be corrected. Halts dependents.
    CantChange,
    /// An error occurred.
    ///
    /// Halts dependents, and the differences are not meaningful.
    Fatal,
}

impl StatusLevel {
    /// All levels, lowest first.
    pub const ALL: [Self; 6] =
        [Self::NoChange, Self::WontChange, Self::WillChange, Self::MayChange, Self::CantChange, Self::Fatal];

    /// Returns the higher of the two levels.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether dependents must not run.
    pub fn halts(self) -> bool {
        self >= Self::CantChange
    }
}

impl fmt::Display for StatusLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoChange => "no change",
            Self::WontChange => "won't change",
            Self::WillChange => "will change",
            Self::MayChange => "may change",
            Self::CantChange => "can't change",
            Self::Fatal => "fatal",
        })
    }
}

/// One side of a difference.
///
/// The variant tells special values from ordinary text, because `(sensitive)` can be a value, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffValue {
    /// A value, as text.
    Known(String),
    /// Text in place of a value, shown without quotes: `(none)`.
    Placeholder(String),
    /// A value that is known only after an apply.
    Unknown,
    /// A value that must not be shown.
    Secret,
}

impl<T: Into<String>> From<T> for DiffValue {
    fn from(text: T) -> Self {
        Self::Known(text.into())
    }
}

impl fmt::Display for DiffValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Known(text) | Self::Placeholder(text) => text,
            Self::Unknown => KNOWN_AFTER_APPLY,
            Self::Secret => REDACTED,
        })
    }
}

#[cfg(feature = "serde")]
impl Serialize for DiffValue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A difference between the current and the declared state.
pub trait Diff: fmt::Debug + Send {
    /// Returns the current state.
    fn before(&self) -> DiffValue;

    /// Returns the declared state.
    fn after(&self) -> DiffValue;

    /// Whether the two sides differ.
    fn changes(&self) -> bool {
        self.before() != self.after()
    }
}

/// The usual difference, of two values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDiff {
    /// The current value.
    pub before: DiffValue,
    /// The declared value.
    pub after: DiffValue,
}

impl Diff for ValueDiff {
    fn before(&self) -> DiffValue {
        self.before.clone()
    }

    fn after(&self) -> DiffValue {
        self.after.clone()
    }
}

/// A difference of a sensitive value, which shows whether it changes but neither side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretDiff {
    /// Whether the value changes.
    pub changes: bool,
}

impl Diff for SecretDiff {
    fn before(&self) -> DiffValue {
        DiffValue::Secret
    }

    fn after(&self) -> DiffValue {
        DiffValue::Secret
    }

    fn changes(&self) -> bool {
        self.changes
    }
}

/// The interface through which the engine reads a status.
///
/// [`Status`] is the usual implementation. Implement this for a status of your own and wrap it with
/// [`Status::custom`].
pub trait TaskStatus: fmt::Debug + Send {
    /// Returns the level.
    fn level(&self) -> StatusLevel;

    /// Returns the differences, in the order in which they are shown.
    fn diffs(&self) -> Vec<(&str, &dyn Diff)>;

    /// Returns the messages for people.
    fn messages(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the warnings for people.
    fn warnings(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the reason for [`CantChange`](StatusLevel::CantChange) or [`Fatal`](StatusLevel::Fatal).
    fn error(&self) -> Option<&Error> {
        None
    }

    /// Returns the health of the resource, if it does not follow from the level.
    fn health(&self) -> Option<Health> {
        None
    }

    /// Whether messages are shown even if there is nothing to change.
    fn announces(&self) -> bool {
        false
    }

    /// Whether there is something to apply.
    ///
    /// Never at `WontChange` and `Fatal`; always at `WillChange`, `MayChange` and `CantChange`; otherwise if any difference
    /// changes.
    fn has_changes(&self) -> bool {
        match self.level() {
            StatusLevel::WontChange | StatusLevel::Fatal => false,
            StatusLevel::WillChange | StatusLevel::MayChange | StatusLevel::CantChange => true,
            StatusLevel::NoChange => self.diffs().iter().any(|(_, diff)| diff.changes()),
        }
    }
}

/// The result of a check or an apply.
///
/// ```
/// use converge_core::{Status, StatusLevel, TaskStatus};
///
/// let mut status = Status::new();
/// status.add_difference("UID", "0", "1");
/// status.raise_level_for_diffs();
/// assert_eq!(status.level(), StatusLevel::WillChange);
/// assert!(status.has_changes());
/// ```
#[derive(Debug, Default)]
pub struct Status {
    level: StatusLevel,
    messages: Vec<String>,
    warnings: Vec<String>,
    error: Option<Error>,
    differences: Vec<(String, Box<dyn Diff>)>,
    health: Option<Health>,
    announces: bool,
    custom: Option<Box<dyn TaskStatus>>,
}

impl Status {
    /// Creates an empty status at the level of no change.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a status from one of your own.
    ///
    /// Level, differences, texts and changes come from `status`. Later additions are shown after it, and can
    /// only raise the level and add changes.
    pub fn custom(status: impl TaskStatus + 'static) -> Self {
        Self { custom: Some(Box::new(status)), ..Self::default() }
    }

    /// Adds a message and makes messages visible even if there is nothing to change.
    ///
    /// Other messages are then shown on request only.
    pub fn announce(&mut self, message: impl Into<String>) {
        self.add_message(message);
        self.announces = true;
    }

    /// Adds a message for people.
    pub fn add_message(&mut self, message: impl Into<String>) {
        self.messages.push(message.into());
    }

    /// Adds a difference of two values.
    ///
    /// If `name` is that of a field of the resource, in any case (`UID`), or of an entry of one (`env.PATH`),
    /// reports point at the field.
    pub fn add_difference(
        &mut self,
        name: impl Into<String>,
        before: impl Into<DiffValue>,
        after: impl Into<DiffValue>,
    ) {
        self.add_diff(name, ValueDiff { before: before.into(), after: after.into() });
    }

    /// Adds a difference of two texts.
    ///
    /// An empty text is shown as `default`: `(none)`.
    pub fn add_difference_with_default(
        &mut self,
        name: impl Into<String>,
        before: impl Into<String>,
        after: impl Into<String>,
        default: &str,
    ) {
        let value = |text: String| match text.as_str() {
            "" => DiffValue::Placeholder(default.to_owned()),
            _ => DiffValue::Known(text),
        };
        self.add_difference(name, value(before.into()), value(after.into()));
    }

    /// Adds a difference of any kind, or replaces one of the same name at its position.
    pub fn add_diff(&mut self, name: impl Into<String>, diff: impl Diff + 'static) {
        let name = name.into();
        match self.differences.iter_mut().find(|(have, _)| *have == name) {
            Some((_, have)) => *have = Box::new(diff),
            None => self.differences.push((name, Box::new(diff))),
        }
    }

    /// Raises the level.
    ///
    /// A lower level has no effect.
    pub fn raise_level(&mut self, level: StatusLevel) {
        self.level = self.level.join(level);
    }

    /// Raises the level to [`StatusLevel::WillChange`] if any difference changes.
    pub fn raise_level_for_diffs(&mut self) {
        if self.diffs().iter().any(|(_, diff)| diff.changes()) {
            self.raise_level(StatusLevel::WillChange);
        }
    }

    /// Records an error.
    ///
    /// `WillChange` becomes `CantChange`; any other level becomes `Fatal`.
    pub fn set_error(&mut self, error: impl Into<Error>) {
        self.level = match self.level() {
            StatusLevel::WillChange | StatusLevel::CantChange => StatusLevel::CantChange,
            _ => StatusLevel::Fatal,
        };
        self.error = Some(error.into());
    }

    /// Adds a warning for people.
    ///
    /// The level does not change.
    pub fn add_warning(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Sets the health of the resource, if it does not follow from the level.
    pub fn set_health(&mut self, health: Health) {
        self.health = Some(health);
    }

    #[doc(hidden)]
    pub fn take_own_error(&mut self) -> Option<Error> {
        self.error.take()
    }

    /// Removes and returns the error, or one that the level implies if none was set.
    pub fn take_error(&mut self) -> Option<Error> {
        self.error.take().or_else(|| {
            let custom = self.custom.as_ref().and_then(|custom| custom.error());
            let text = custom.map(ToString::to_string);
            match (text, self.level()) {
                (Some(text), _) => Some(Error::msg(text)),
                (None, StatusLevel::CantChange) => Some(Error::msg("the resource cannot be changed")),
                (None, StatusLevel::Fatal) => Some(Error::msg("the resource met an error")),
                (None, _) => None,
            }
        })
    }
}

impl TaskStatus for Status {
    fn level(&self) -> StatusLevel {
        self.custom.as_ref().map_or(self.level, |custom| self.level.join(custom.level()))
    }

    fn diffs(&self) -> Vec<(&str, &dyn Diff)> {
        let plain = self.differences.iter().map(|(name, diff)| (name.as_str(), diff.as_ref() as &dyn Diff));
        let custom = self.custom.as_ref().map(|custom| custom.diffs()).unwrap_or_default();
        custom.into_iter().chain(plain).collect()
    }

    fn messages(&self) -> Vec<&str> {
        let custom = self.custom.as_ref().map(|custom| custom.messages()).unwrap_or_default();
        custom.into_iter().chain(self.messages.iter().map(String::as_str)).collect()
    }

    fn warnings(&self) -> Vec<&str> {
        let custom = self.custom.as_ref().map(|custom| custom.warnings()).unwrap_or_default();
        custom.into_iter().chain(self.warnings.iter().map(String::as_str)).collect()
    }

    fn error(&self) -> Option<&Error> {
        self.error.as_ref().or_else(|| self.custom.as_ref().and_then(|custom| custom.error()))
    }

    fn health(&self) -> Option<Health> {
        self.health.or_else(|| self.custom.as_ref().and_then(|custom| custom.health()))
    }

    fn announces(&self) -> bool {
        self.announces || self.custom.as_ref().is_some_and(|custom| custom.announces())
    }

    fn has_changes(&self) -> bool {
        match self.level() {
            StatusLevel::WontChange | StatusLevel::Fatal => false,
            StatusLevel::WillChange | StatusLevel::MayChange | StatusLevel::CantChange => true,
            StatusLevel::NoChange => {
                self.differences.iter().any(|(_, diff)| diff.changes())
                    || self.custom.as_ref().is_some_and(|custom| custom.has_changes())
            }
        }
    }
}

#[cfg(test)]
mod tests;
