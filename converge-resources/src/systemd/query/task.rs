use converge_sdk::prelude::*;

use crate::missing_dependency;
use crate::systemd::bus;
use crate::systemd::manager::{Manager, Persistence};
use crate::systemd::properties::Properties;
use crate::systemd::unit::name::{UnitKind, UnitName};
use crate::systemd::unit::snapshot::{FileState, Load, UnitSnapshot};

const TYPE: &str = "systemd.query";

/// The task of a `systemd.query` resource.
#[derive(Debug, Export)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, which modules ask by its name"
)]
pub struct UnitQuery {
    /// The name of the unit, with its suffix.
    #[export]
    unit: UnitName,
    /// The kind of unit, which is the suffix of its name: `service`.
    #[export(name = "type")]
    kind: UnitKind,
    /// Whether the unit exists.
    #[export(computed)]
    exists: bool,
    /// Whether the unit runs: `activestate` is `active` or `reloading`.
    #[export(computed)]
    running: bool,
    /// Whether the unit has failed.
    #[export(computed)]
    failed: bool,
    /// Whether the unit is started at boot by its own `[Install]` section.
    #[export(computed)]
    enabled: bool,
    /// Whether the unit is masked.
    #[export(computed)]
    masked: bool,
    /// The state of its file in systemd's words: `enabled`, `disabled`, `static`, `masked`, `missing`.
    #[export(computed)]
    filestate: String,
    /// `active`, `reloading`, `inactive`, `failed`, `activating` or `deactivating`.
    #[export(computed)]
    activestate: String,
    /// The state in the words of the unit's kind: `running`, `dead`, `exited`.
    #[export(computed)]
    substate: String,
    /// Path of the unit's file.
    #[export(computed)]
    path: String,
    /// The description in the unit file.
    #[export(computed)]
    description: String,
    /// The properties common to all units, under their D-Bus names.
    #[export(computed)]
    global_properties: Properties,
    /// The properties of the unit's kind, under their D-Bus names.
    #[export(computed)]
    properties: Properties,
}

impl UnitQuery {
    pub(super) fn new(unit: UnitName) -> Self {
        Self {
            kind: unit.kind(),
            unit,
            exists: false,
            running: false,
            failed: false,
            enabled: false,
            masked: false,
            filestate: String::new(),
            activestate: String::new(),
            substate: String::new(),
            path: String::new(),
            description: String::new(),
            global_properties: Properties::default(),
            properties: Properties::default(),
        }
    }

    pub(super) fn record(&mut self, snapshot: UnitSnapshot) {
        let UnitSnapshot { facts, unit, own } = snapshot;
        self.masked = facts.load == Load::Masked || matches!(facts.file, FileState::Masked(_));
        self.exists = self.masked || facts.load != Load::NotFound;
        self.running = facts.active.is_up();
        self.activestate = facts.active.to_string();
        self.failed = self.activestate == "failed";
        self.enabled = facts.file == FileState::Enabled(Persistence::Permanent);
        self.filestate = facts.file.to_string();
        self.substate = facts.sub;
        unit.text("FragmentPath").clone_into(&mut self.path);
        unit.text("Description").clone_into(&mut self.description);
        (self.global_properties, self.properties) = (unit, own);
    }
}

impl Task for UnitQuery {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let manager = match bus::connect(cx, TYPE).await? {
            Ok(bus) => Manager::new(bus),
            Err(missing) => return Ok(missing_dependency::not_yet(missing)),
        };
        let snapshot = UnitSnapshot::look(&manager, &self.unit).await.map_err(Error::other)?;
        self.record(snapshot);
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
