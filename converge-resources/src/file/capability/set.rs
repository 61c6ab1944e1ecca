//! Capabilities of a file, in the syntax that `setcap` takes and `getcap` prints.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The capabilities of Linux, in the order of their numbers.
const NAMES: [&str; 41] = [
    "chown",
    "dac_override",
    "dac_read_search",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "linux_immutable",
    "net_bind_service",
    "net_broadcast",
    "net_admin",
    "net_raw",
    "ipc_lock",
    "ipc_owner",
    "sys_module",
    "sys_rawio",
    "sys_chroot",
    "sys_ptrace",
    "sys_pacct",
    "sys_admin",
    "sys_boot",
    "sys_nice",
    "sys_resource",
    "sys_time",
    "sys_tty_config",
    "mknod",
    "lease",
    "audit_write",
    "audit_control",
    "setfcap",
    "mac_override",
    "mac_admin",
    "syslog",
    "wake_alarm",
    "block_suspend",
    "audit_read",
    "perfmon",
    "bpf",
    "checkpoint_restore",
];

/// The sets that contain one capability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Flags {
    effective: bool,
    inheritable: bool,
    permitted: bool,
}

impl Flags {
    fn is_none(self) -> bool {
        self == Self::default()
    }

    fn change(&mut self, flag: char, to: bool) {
        match flag {
            'e' => self.effective = to,
            'i' => self.inheritable = to,
            _ => self.permitted = to,
        }
    }

    fn text(self) -> String {
        let flags = [(self.effective, 'e'), (self.inheritable, 'i'), (self.permitted, 'p')];
        flags.iter().filter(|(is_on, _)| *is_on).map(|(_, flag)| flag).collect()
    }
}

/// The capabilities of a file. Two texts with the same meaning are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, HclText)]
pub(super) struct CapabilitySet(BTreeMap<usize, Flags>);

impl CapabilitySet {
    /// Parses the output of `getcap` for a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the output has something that this version does not know.
    pub(super) fn from_getcap(line: &str) -> Result<Self, String> {
        // Older versions print ` = ` between the path and the capabilities.
        let text = line.trim().strip_prefix("= ").unwrap_or(line.trim());
        clauses(text)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn clauses(text: &str) -> Result<CapabilitySet, String> {
    let mut set: BTreeMap<usize, Flags> = BTreeMap::new();
    for clause in text.split_whitespace() {
        let offset = clause
            .find(['=', '+', '-'])
            .ok_or_else(|| format!("{clause:?} has no flags: write them after the name, as in `=ep`"))?;
        let (list, operations) = clause.split_at(offset);
        let indices = named(list, operations)?;
        let mut operation = '=';
        for char in operations.chars() {
            match char {
                '=' => set.extend(indices.iter().map(|number| (*number, Flags::default()))),
                '+' | '-' => {}
                'e' | 'i' | 'p' => {
                    for number in &indices {
                        set.entry(*number).or_default().change(char, operation != '-');
                    }
                    continue;
                }
                other => return Err(format!("{other:?} in {clause:?} is not one of `e`, `i` and `p`")),
            }
            operation = char;
        }
    }
    set.retain(|_, flags| !flags.is_none());
    Ok(CapabilitySet(set))
}

fn named(list: &str, operations: &str) -> Result<Vec<usize>, String> {
    if list.eq_ignore_ascii_case("all") || list.is_empty() && operations.starts_with('=') {
        return Ok((0..NAMES.len()).collect());
    }
    let number = |name: &str| {
        let name = name.to_ascii_lowercase();
        let entry = name.strip_prefix("cap_").and_then(|name| NAMES.iter().position(|known| *known == name));
        entry.ok_or_else(|| {
            format!("there is no capability {name:?}: they are called as in `cap_net_bind_service`")
        })
    };
    list.split(',').map(number).collect()
}

impl FromStr for CapabilitySet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let set = clauses(text)?;
        if set.is_empty() {
            return Err(format!(
                "{text:?} names no capability: `state = \"absent\"` removes all capabilities"
            ));
        }
        if let Some((number, _)) = set.0.iter().find(|(_, flags)| flags.text() == "e") {
            return Err(format!(
                "cap_{} is effective (`e`), but neither permitted nor inheritable",
                NAMES[*number]
            ));
        }
        // A file stores one bit for all effective capabilities.
        let effective = set.0.values().filter(|flags| flags.effective).count();
        if effective != 0 && effective != set.0.len() {
            return Err(format!(
                "in {text:?} some are effective (`e`) and some are not, which no file can have"
            ));
        }
        Ok(set)
    }
}

impl fmt::Display for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut by_flags: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (number, flags) in &self.0 {
            by_flags.entry(flags.text()).or_default().push(format!("cap_{}", NAMES[*number]));
        }
        let clauses: Vec<String> =
            by_flags.iter().map(|(flags, names)| format!("{}={flags}", names.join(","))).collect();
        f.write_str(&clauses.join(" "))
    }
}
