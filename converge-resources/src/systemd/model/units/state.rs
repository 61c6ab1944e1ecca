use std::fmt;

use converge_sdk::system::Machine;

use super::files::{Files, Settings};

/// The state of a loaded unit: `active running success 1 HUP`. In the fact, the [read] files follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) active: String,
    pub(super) sub: String,
    pub(super) result: String,
    /// The number of starts since the unit was last inactive.
    pub(super) starts: u32,
    /// The signals and reloads that the unit has received while it ran.
    pub(super) received: Vec<String>,
}

impl Running {
    pub(super) fn new(active: &str, sub: &str, starts: u32) -> Self {
        let (active, sub) = (active.to_owned(), sub.to_owned());
        Self { active, sub, result: "success".to_owned(), starts, received: Vec::new() }
    }

    pub(super) fn from_fact(machine: &Machine, unit: &str) -> Option<Self> {
        let (running, _) = machine.fact(&format!("unit {unit}"))?.split_once(PART)?;
        let mut words = running.split(' ').map(str::to_owned);
        let (active, sub, result) = (words.next()?, words.next()?, words.next()?);
        let starts = words.next()?.parse().ok()?;
        Some(Self { active, sub, result, starts, received: words.collect() })
    }

    /// Stores the state with the files that systemd has read; for a new state, these are the present files.
    pub(super) fn keep(&self, machine: &mut Machine, unit: &str) {
        let files = read(machine, unit).to_fact();
        machine.put_fact(format!("unit {unit}"), format!("{self}{PART}{files}"));
    }

    /// Removes the state of a unit that neither runs nor has failed.
    pub(super) fn forget(machine: &mut Machine, unit: &str) {
        machine.remove_fact(&format!("unit {unit}"));
    }

    pub(super) fn is_up(&self) -> bool {
        self.active == "active"
    }
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { active, sub, result, starts, received: told } = self;
        write!(f, "{active} {sub} {result} {starts}")?;
        told.iter().try_for_each(|word| write!(f, " {word}"))
    }
}

/// The separator between the state of a unit and its files.
const PART: char = '\u{1d}';

/// Returns the files of a unit that systemd has read, or the present files if the unit is not loaded.
pub(super) fn read(machine: &Machine, unit: &str) -> Files {
    match machine.fact(&format!("unit {unit}")).and_then(|fact| fact.split_once(PART)) {
        Some((_, files)) => Files::of_fact(files),
        None => Files::find(machine, unit),
    }
}

pub(crate) fn reload_files(machine: &mut Machine) {
    let facts: Vec<(String, String)> =
        machine.facts().map(|(fact, value)| (fact.to_owned(), value.to_owned())).collect();
    for (fact, value) in facts {
        if let (Some(unit), Some((running, _))) = (fact.strip_prefix("unit "), value.split_once(PART)) {
            let files = Files::find(machine, unit).to_fact();
            machine.put_fact(&fact, format!("{running}{PART}{files}"));
        }
    }
}

/// Returns the load state in systemd's word.
pub(super) fn load_state(unit: &str, files: &Files) -> &'static str {
    if files.is_masked {
        return "masked";
    }
    if files.fragment.is_none() {
        return "not-found";
    }
    let settings = Settings::from_files(files);
    let is_service = unit.ends_with(".service");
    if is_service && settings.all("Service", "ExecStart").next().is_none() { "bad-setting" } else { "loaded" }
}

pub(super) fn exists(machine: &Machine, unit: &str) -> bool {
    load_state(unit, &read(machine, unit)) != "not-found" || Running::from_fact(machine, unit).is_some()
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    Text(String),
    Flag(bool),
    Number(u64),
    Texts(Vec<String>),
    /// A D-Bus error: its name and its message.
    Error(String, String),
}

impl From<&str> for Property {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

pub(crate) fn unit_properties(machine: &Machine, unit: &str) -> Vec<(&'static str, Property)> {
    let files = read(machine, unit);
    let settings = Settings::from_files(&files);
    let load = load_state(unit, &files);
    let running = Running::from_fact(machine, unit).unwrap_or_else(|| Running::new("inactive", "dead", 0));
    let error = match load {
        "not-found" => ("org.freedesktop.systemd1.NoSuchUnit", format!("Unit {unit} not found.")),
        "masked" => ("org.freedesktop.systemd1.UnitMasked", format!("Unit {unit} is masked.")),
        "bad-setting" => {
            ("org.freedesktop.systemd1.BadUnitSetting", format!("Unit {unit} has a bad unit file setting."))
        }
        _ => ("", String::new()),
    };
    let is_loaded = load == "loaded";
    let is_kept = Running::from_fact(machine, unit).is_some();
    let fragment = files.fragment.as_deref().unwrap_or_default();
    vec![
        ("Id", unit.into()),
        ("Description", settings.one("Unit", "Description").unwrap_or(unit).into()),
        ("LoadState", load.into()),
        ("LoadError", Property::Error(error.0.to_owned(), error.1)),
        ("ActiveState", running.active.as_str().into()),
        ("SubState", running.sub.as_str().into()),
        ("FragmentPath", fragment.into()),
        ("DropInPaths", Property::Texts(files.drop_ins().map(str::to_owned).collect())),
        ("NeedDaemonReload", Property::Flag(is_kept && files.are_old(machine, unit))),
        ("CanStart", Property::Flag(is_loaded && !settings.is_yes("Unit", "RefuseManualStart"))),
        ("CanStop", Property::Flag(!settings.is_yes("Unit", "RefuseManualStop"))),
        ("CanReload", Property::Flag(settings.one("Service", "ExecReload").is_some())),
    ]
}

/// Returns the properties of the unit's kind.
pub(crate) fn own_properties(machine: &Machine, unit: &str) -> Vec<(&'static str, Property)> {
    if !unit.ends_with(".service") {
        return Vec::new();
    }
    let settings = Settings::from_files(&read(machine, unit));
    let result =
        Running::from_fact(machine, unit).map_or_else(|| "success".to_owned(), |running| running.result);
    let patience = u64::try_from(settings.patience().as_micros()).unwrap_or(u64::MAX);
    vec![
        ("Type", settings.kind().into()),
        ("RemainAfterExit", Property::Flag(settings.is_yes("Service", "RemainAfterExit"))),
        ("Result", result.as_str().into()),
        ("NRestarts", Property::Number(0)),
        ("TimeoutStartUSec", Property::Number(patience)),
        ("TimeoutStopUSec", Property::Number(90_000_000)),
    ]
}
