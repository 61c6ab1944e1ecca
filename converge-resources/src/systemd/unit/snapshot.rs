use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::name::UnitName;
use crate::systemd::error::BusError;
use crate::systemd::manager::{Manager, Persistence};
use crate::systemd::properties::Properties;

/// The properties of a unit at one moment.
#[derive(Debug)]
pub(in crate::systemd) struct UnitSnapshot {
    pub(in crate::systemd) facts: Facts,
    /// The properties common to all units, under their D-Bus names.
    pub(in crate::systemd) unit: Properties,
    /// The properties of the unit's kind.
    pub(in crate::systemd) own: Properties,
}

/// The properties that decisions depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one of systemd's own, and they do not exclude each other"
)]
pub(in crate::systemd) struct Facts {
    /// The primary name of the unit in systemd; for an alias, that of the unit itself.
    pub(in crate::systemd) id: String,
    pub(in crate::systemd) load: Load,
    pub(in crate::systemd) active: Active,
    /// The state in the words of the unit's kind: `running`, `dead`, `auto-restart`.
    pub(in crate::systemd) sub: String,
    pub(in crate::systemd) file: FileState,
    /// Whether its file has changed since systemd read it.
    pub(in crate::systemd) stale: bool,
    pub(in crate::systemd) can_start: bool,
    pub(in crate::systemd) can_stop: bool,
    pub(in crate::systemd) can_reload: bool,
    /// Whether the unit is a oneshot service that does not remain active after it ends.
    pub(in crate::systemd) ends_by_itself: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::systemd) enum Load {
    Loaded,
    NotFound,
    Masked,
    Bad { reason: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::enum_variant_names, reason = "the words are systemd's")]
pub(in crate::systemd) enum Active {
    Active,
    /// The unit runs, and reloads its configuration.
    Reloading,
    Inactive,
    Failed,
    /// The unit is being started, or waits for a restart.
    Activating,
    Deactivating,
}

/// The state of a unit file, which determines the start at boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::systemd) enum FileState {
    Enabled(Persistence),
    /// The file is elsewhere, and a link leads to it.
    Linked,
    Alias,
    Masked(Persistence),
    /// The file has no `[Install]` section.
    Static,
    /// The file has an `[Install]` section, but only for other units.
    Indirect,
    Disabled,
    /// A program made the file, at boot or at run time.
    Generated,
    Bad,
    Missing,
}

impl UnitSnapshot {
    pub(in crate::systemd) async fn look(manager: &Manager, name: &UnitName) -> Result<Self, BusError> {
        let (unit, properties) = manager.properties(name.as_str(), name.kind().interface()).await?;
        let id = match unit.text("Id") {
            "" => name.as_str(),
            id => id,
        };
        let file = manager.file_state(id).await?;
        let facts = Facts::new(id, file.as_deref(), &unit, &properties);
        Ok(Self { facts, unit, own: properties })
    }

    /// Whether the unit was last started after this time, from files that are still the same.
    pub(super) fn has_started_since(&self, time: SystemTime) -> bool {
        let started_at = UNIX_EPOCH + Duration::from_micros(self.unit.number("InactiveExitTimestamp"));
        started_at > time && !self.facts.stale
    }
}

impl Facts {
    fn new(id: &str, file: Option<&str>, unit: &Properties, properties: &Properties) -> Self {
        Self {
            id: id.to_owned(),
            load: Load::new(unit),
            active: Active::new(unit.text("ActiveState")),
            sub: unit.text("SubState").to_owned(),
            file: file.map_or(FileState::Missing, FileState::new),
            stale: unit.flag("NeedDaemonReload"),
            can_start: unit.flag("CanStart"),
            can_stop: unit.flag("CanStop"),
            can_reload: unit.flag("CanReload"),
            ends_by_itself: properties.text("Type") == "oneshot" && !properties.flag("RemainAfterExit"),
        }
    }

    /// Whether systemd keeps the unit's files in memory.
    ///
    /// For a unit that neither runs nor is needed, systemd reads the files for each query.
    pub(super) fn is_read(&self) -> bool {
        self.load == Load::Loaded && self.active != Active::Inactive
    }

    /// Returns the state in systemd's words.
    pub(super) fn state(&self) -> String {
        if self.sub.is_empty() || self.sub == self.active.to_string() {
            return self.active.to_string();
        }
        format!("{} ({})", self.active, self.sub)
    }
}

impl Load {
    fn new(unit: &Properties) -> Self {
        match unit.text("LoadState") {
            "not-found" => Self::NotFound,
            "masked" => Self::Masked,
            "loaded" | "stub" | "merged" => Self::Loaded,
            word => {
                let reason = unit.texts("LoadError").get(1).copied().unwrap_or(word);
                Self::Bad { reason: reason.to_owned() }
            }
        }
    }
}

impl Active {
    fn new(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "reloading" | "refreshing" => Self::Reloading,
            "failed" => Self::Failed,
            "activating" => Self::Activating,
            "deactivating" | "maintenance" => Self::Deactivating,
            _ => Self::Inactive,
        }
    }

    pub(in crate::systemd) fn is_up(self) -> bool {
        matches!(self, Self::Active | Self::Reloading)
    }
}

impl fmt::Display for Active {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Active => "active",
            Self::Reloading => "reloading",
            Self::Inactive => "inactive",
            Self::Failed => "failed",
            Self::Activating => "activating",
            Self::Deactivating => "deactivating",
        })
    }
}

impl FileState {
    fn new(word: &str) -> Self {
        match word {
            "enabled" => Self::Enabled(Persistence::Permanent),
            "enabled-runtime" => Self::Enabled(Persistence::Runtime),
            "linked" | "linked-runtime" => Self::Linked,
            "alias" => Self::Alias,
            "masked" => Self::Masked(Persistence::Permanent),
            "masked-runtime" => Self::Masked(Persistence::Runtime),
            "static" => Self::Static,
            "indirect" => Self::Indirect,
            "disabled" => Self::Disabled,
            "generated" | "transient" => Self::Generated,
            _ => Self::Bad,
        }
    }
}

impl fmt::Display for FileState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Enabled(Persistence::Permanent) => "enabled",
            Self::Enabled(Persistence::Runtime) => "enabled until the next boot",
            Self::Linked => "linked",
            Self::Alias => "alias",
            Self::Masked(Persistence::Permanent) => "masked",
            Self::Masked(Persistence::Runtime) => "masked until the next boot",
            Self::Static => "static",
            Self::Indirect => "indirect",
            Self::Disabled => "disabled",
            Self::Generated => "generated",
            Self::Bad => "bad",
            Self::Missing => "missing",
        })
    }
}
