//! The reason of a unit's failure, as systemd reports it.

use std::fmt;

use zbus::Variant;

use super::signal::Signal;
use super::snapshot::UnitSnapshot;
use crate::systemd::properties::{Properties, integer, text};

/// The commands of a service, in the order in which they run.
const COMMANDS: [&str; 7] =
    ["ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost", "ExecReload", "ExecStop", "ExecStopPost"];

/// The names of exit codes from 200 on, with `-` for an unused code.
///
/// With such a code, systemd's child process failed before it executed the program.
const BEFORE_THE_PROGRAM: &str = "\
    CHDIR NICE FDS EXEC MEMORY LIMITS OOM_ADJUST SIGNAL_MASK STDIN STDOUT CHROOT IOPRIO TIMERSLACK \
    SECUREBITS SETSCHEDULER CPUAFFINITY GROUP USER CAPABILITIES CGROUP SETSID CONFIRM STDERR - PAM \
    NETWORK NAMESPACE NO_NEW_PRIVILEGES SECCOMP SELINUX_CONTEXT PERSONALITY APPARMOR_PROFILE \
    ADDRESS_FAMILIES RUNTIME_DIRECTORY - CHOWN SMACK_PROCESS_LABEL KEYRING STATE_DIRECTORY \
    CACHE_DIRECTORY LOGS_DIRECTORY CONFIGURATION_DIRECTORY NUMA_POLICY CREDENTIALS BPF KSM";

/// The reason of a unit's failure, for the end of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct UnitFailure {
    /// The result in systemd's word: `exit-code`, `timeout`, `start-limit-hit`.
    result: Option<String>,
    /// The failed commands, such as `ExecStart=/bin/false`, with their ends.
    commands: Vec<(String, ProcessEnd)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessEnd {
    Code(i64),
    Signal(i64),
}

impl ProcessEnd {
    /// Converts `si_code` and `si_status`, as systemd provides them.
    fn new(code: i64, status: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Code(status)),
            2 | 3 => Some(Self::Signal(status)),
            _ => None,
        }
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => {
                let index = code.checked_sub(200).and_then(|at| usize::try_from(at).ok());
                match index
                    .and_then(|index| BEFORE_THE_PROGRAM.split(' ').nth(index))
                    .filter(|name| *name != "-")
                {
                    Some(name) => write!(f, "ended with status {code}/{name}"),
                    None => write!(f, "ended with status {code}"),
                }
            }
            Self::Signal(number) => match u8::try_from(*number).ok().and_then(Signal::numbered) {
                Some(signal) => write!(f, "was ended by {signal}"),
                None => write!(f, "was ended by signal {number}"),
            },
        }
    }
}

impl UnitFailure {
    pub(super) fn from_snapshot(snapshot: &UnitSnapshot) -> Self {
        Self::new(&snapshot.own)
    }

    fn new(properties: &Properties) -> Self {
        let result = [properties.text("Result"), properties.text("ReloadResult")];
        let result =
            result.into_iter().find(|word| !word.is_empty() && *word != "success").map(str::to_owned);
        let mut commands: Vec<(String, ProcessEnd)> = COMMANDS
            .iter()
            .flat_map(|setting| properties.structs(setting).filter_map(|fields| command(setting, fields)))
            .collect();
        // For a forking service, or one that systemd ended, these properties have the end of the process.
        let main = ProcessEnd::new(number(properties, "ExecMainCode"), number(properties, "ExecMainStatus"));
        if let Some(end) = main.filter(|end| commands.is_empty() && *end != ProcessEnd::Code(0)) {
            commands.push(("its main process".to_owned(), end));
        }
        Self { result, commands }
    }
}

fn number(properties: &Properties, name: &str) -> i64 {
    i64::try_from(properties.number(name)).unwrap_or_default()
}

/// Returns a failed command and its end.
///
/// The fields are: path, arguments, whether a failure is ignored, four times, process id, and code and status
/// of the end.
fn command(setting: &str, fields: &[Variant<'_>]) -> Option<(String, ProcessEnd)> {
    let [path, arguments, ignored, .., code, status] = fields else { return None };
    let end = ProcessEnd::new(integer(code)?, integer(status)?)?;
    if end == ProcessEnd::Code(0) || matches!(ignored, Variant::Bool(true)) {
        return None;
    }
    let line = match arguments {
        Variant::Array(words) => words.inner().iter().filter_map(text).collect::<Vec<_>>().join(" "),
        _ => text(path)?.to_owned(),
    };
    Some((format!("`{setting}={line}`"), end))
}

impl fmt::Display for UnitFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commands = self.commands.iter().map(|(command, end)| format!("{command} {end}"));
        let parts: Vec<String> = self.result.iter().cloned().chain(commands).collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " ({})", parts.join(": ")) }
    }
}

/// Returns the unit conditions that did not hold: `ConditionPathExists=!/x`.
pub(super) fn conditions(snapshot: &UnitSnapshot) -> Vec<String> {
    if snapshot.unit.flag("ConditionResult") || snapshot.unit.number("ConditionTimestamp") == 0 {
        return Vec::new();
    }
    let failed = |fields: &[Variant<'_>]| {
        let [name, trigger, negated, value, state] = fields else { return None };
        let sign = |flag: &Variant<'_>, sign| if matches!(flag, Variant::Bool(true)) { sign } else { "" };
        let is_met = integer(state)? >= 0;
        let text = format!("{}={}{}{}", text(name)?, sign(trigger, "|"), sign(negated, "!"), text(value)?);
        (!is_met).then_some(text)
    };
    snapshot.unit.structs("Conditions").filter_map(failed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns properties with one command: line, code, status.
    fn properties(result: &str, commands: &[(&str, &str, i32, i32)], main: (i32, i32)) -> Properties {
        let command = |(line, code, status): (&str, i32, i32)| {
            let words: Vec<&str> = line.split(' ').collect();
            (
                words[0].to_owned(),
                words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
                false,
                code,
                status,
            )
        };
        let mut values = vec![
            ("Result".to_owned(), Variant::from(result.to_owned())),
            ("ExecMainCode".to_owned(), Variant::from(main.0)),
            ("ExecMainStatus".to_owned(), Variant::from(main.1)),
        ];
        for (setting, line, code, status) in commands {
            values.push(((*setting).to_owned(), Variant::from(vec![command((line, *code, *status))])));
        }
        let owned = |(name, value): (String, Variant<'_>)| (name, value.try_to_owned().unwrap());
        Properties::new(values.into_iter().map(owned).collect())
    }

    #[test]
    fn reasons() {
        let check = |result, commands: &[_], main, expect: &str| {
            assert_eq!(UnitFailure::new(&properties(result, commands, main)).to_string(), expect);
        };
        check("success", &[], (0, 0), "");
        check(
            "exit-code",
            &[("ExecStart", "/nonexistent --fast", 1, 203)],
            (1, 203),
            " (exit-code: `ExecStart=/nonexistent --fast` ended with status 203/EXEC)",
        );
        check(
            "exit-code",
            &[("ExecStartPre", "/usr/sbin/nginx -t", 1, 1), ("ExecStart", "/usr/sbin/nginx", 0, 0)],
            (0, 0),
            " (exit-code: `ExecStartPre=/usr/sbin/nginx -t` ended with status 1)",
        );
        check("timeout", &[], (2, 15), " (timeout: its main process was ended by SIGTERM)");
        check(
            "signal",
            &[("ExecStart", "/bin/app", 2, 9)],
            (2, 9),
            " (signal: `ExecStart=/bin/app` was ended by SIGKILL)",
        );
        check(
            "signal",
            &[("ExecStart", "/bin/app", 2, 40)],
            (2, 40),
            " (signal: `ExecStart=/bin/app` was ended by signal 40)",
        );
        check("start-limit-hit", &[], (0, 0), " (start-limit-hit)");
        check("exit-code", &[], (1, 217), " (exit-code: its main process ended with status 217/USER)");
        check("exit-code", &[], (1, 223), " (exit-code: its main process ended with status 223)");
    }
}
