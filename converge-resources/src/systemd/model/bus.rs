use std::collections::HashMap;

use converge_sdk::system::{Machine, Speaker, Speech};
use zbus::message::Message;
use zbus::{OwnedObjectPath, Variant};

use super::message::{Call, SENDER, bytes, length};
use super::units::{self, FOLDERS, Job, Property, Refused};

const GUID: &str = "0123456789abcdef0123456789abcdef";

/// The prefix of the object paths of units.
const UNITS: &str = "/org/freedesktop/systemd1/unit/";

/// One connection to a bus that has only systemd as its peer.
#[derive(Debug, Default)]
pub(super) struct Bus {
    /// Whether the line-based authentication is over.
    is_greeted: bool,
    jobs: u32,
}

impl Speaker for Bus {
    fn whole(&self, bytes: &[u8]) -> Option<usize> {
        if self.is_greeted {
            return length(bytes);
        }
        bytes.windows(2).position(|two| two == b"\r\n").map(|end| end + 2)
    }

    fn answer(&mut self, message: &[u8], machine: &mut Machine) -> Speech {
        if !self.is_greeted {
            return Speech::new(self.greet(message));
        }
        // Only calls get an answer.
        let Some(call) = Call::parse(message) else { return Speech::new([]) };
        match call.member.as_str() {
            "Hello" => Speech::new(call.reply(&(":1.2",))),
            "GetNameOwner" => Speech::new(call.reply(&(SENDER,))),
            "AddMatch" | "RemoveMatch" | "Subscribe" | "RefUnit" => Speech::new(call.reply(&())),
            _ => self.ask(&call, machine),
        }
    }

    fn refuse(&mut self, message: &[u8], reason: &str) -> Vec<u8> {
        let refuse = |call: Call| call.error("org.freedesktop.DBus.Error.Failed", reason);
        Call::parse(message).map(refuse).unwrap_or_default()
    }
}

impl Bus {
    fn greet(&mut self, line: &[u8]) -> String {
        let line = String::from_utf8_lossy(line);
        match line.trim_start_matches('\0').split_whitespace().next() {
            Some("AUTH") => format!("OK {GUID}\r\n"),
            Some("BEGIN") => {
                self.is_greeted = true;
                String::new()
            }
            _ => "ERROR\r\n".to_owned(),
        }
    }

    fn ask(&mut self, call: &Call, machine: &mut Machine) -> Speech {
        let unit_name = call.text();
        let with_name = |message: Vec<u8>| Speech::new(message).named(format!("{} {unit_name}", call.member));
        let refuse = |refused: Refused| with_name(call.error(refused.name, &refused.says));
        let answer = |done: Result<(), Refused>| match done {
            Ok(()) => with_name(call.reply(&())),
            Err(refused) => refuse(refused),
        };
        let job = match call.member.as_str() {
            "LoadUnit" => return with_name(call.reply(&(path(UNITS, &escaped(&unit_name)),))),
            "GetAll" => return with_name(call.reply(&(properties(machine, call, &unit_name),))),
            "Get" => return with_name(call.reply(&(Variant::from(FOLDERS.to_vec()),))),
            "GetUnitFileState" => {
                return match units::file_state(machine, &unit_name) {
                    Ok(state) => with_name(call.reply(&(state,))),
                    Err(refused) => refuse(refused),
                };
            }
            "Reload" => {
                units::reload_files(machine);
                return with_name(call.reply(&()));
            }
            "ResetFailedUnit" => return answer(units::reset_failed(machine, &unit_name)),
            "KillUnit" => {
                let signal = call.arguments::<(String, String, i32)>().unwrap_or_default().2;
                units::kill(machine, &unit_name, signal);
                return with_name(call.reply(&()));
            }
            "EnableUnitFiles" | "DisableUnitFiles" | "MaskUnitFiles" | "UnmaskUnitFiles" => {
                return Self::change(call, machine);
            }
            "StartUnit" => Job::Start,
            "StopUnit" => Job::Stop,
            "RestartUnit" => Job::Restart,
            "TryRestartUnit" => Job::TryRestart,
            "ReloadUnit" => Job::Reload,
            _ => {
                return with_name(
                    call.error("org.freedesktop.DBus.Error.UnknownMethod", "the model has no such method"),
                );
            }
        };
        let start = match units::begin(machine, &unit_name, job) {
            Ok(start) => start,
            Err(refused) => return refuse(refused),
        };
        self.jobs += 1;
        let id = self.jobs;
        let job = path("/org/freedesktop/systemd1/job/", &id.to_string());
        let reply = call.reply(&(&job,));
        let unit = unit_name.clone();
        let removed = move |result: &str| {
            let signal = Message::signal(
                "/org/freedesktop/systemd1",
                "org.freedesktop.systemd1.Manager",
                "JobRemoved",
            );
            bytes(signal.sender(SENDER), &(id, &job, &unit, result))
        };
        if start.takes.is_zero() {
            return with_name([reply, removed(start.result)].concat());
        }
        with_name(reply).later(start.takes, move |machine| removed(units::finish(machine, &start)))
    }

    fn change(call: &Call, machine: &mut Machine) -> Speech {
        let (units, runtime) = if matches!(call.member.as_str(), "EnableUnitFiles" | "MaskUnitFiles") {
            let (units, runtime, _) = call.arguments::<(Vec<String>, bool, bool)>().unwrap_or_default();
            (units, runtime)
        } else {
            call.arguments::<(Vec<String>, bool)>().unwrap_or_default()
        };
        let result = units.iter().try_for_each(|unit| match call.member.as_str() {
            "EnableUnitFiles" => units::enable(machine, unit),
            "DisableUnitFiles" => {
                units::disable(machine, unit, runtime);
                Ok(())
            }
            "MaskUnitFiles" => units::mask(machine, unit),
            _ => {
                units::unmask(machine, unit, runtime);
                Ok(())
            }
        });
        let reply = match result {
            Ok(()) => call.reply(&(Vec::<(String, String, String)>::new(),)),
            Err(refused) => call.error(refused.name, &refused.says),
        };
        Speech::new(reply).named(format!("{} {}", call.member, units.join(" ")))
    }
}

fn properties(machine: &Machine, call: &Call, interface: &str) -> HashMap<&'static str, Variant<'static>> {
    let unit = named_by(&call.path);
    let values = if interface.ends_with(".Unit") {
        units::unit_properties(machine, &unit)
    } else {
        units::own_properties(machine, &unit)
    };
    let value = |property| match property {
        Property::Text(text) => Variant::from(text),
        Property::Flag(flag) => Variant::from(flag),
        Property::Number(number) => Variant::from(number),
        Property::Texts(texts) => Variant::from(texts),
        Property::Error(name, says) => Variant::from((name, says)),
    };
    values.into_iter().map(|(name, property)| (name, value(property))).collect()
}

fn path(folder: &str, name: &str) -> OwnedObjectPath {
    OwnedObjectPath::try_from(format!("{folder}{name}")).unwrap_or_default()
}

/// Escapes a unit name for an object path.
///
/// Each byte other than a letter or digit becomes `_` with its number.
fn escaped(unit: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("_{byte:02x}"),
    };
    unit.bytes().map(byte).collect()
}

/// Returns the unit of an object path.
fn named_by(path: &str) -> String {
    let mut parts = path.strip_prefix(UNITS).unwrap_or_default().split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let (number, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        let byte = u8::from_str_radix(number, 16).map_or('_', char::from);
        format!("{name}{byte}{rest}")
    })
}
