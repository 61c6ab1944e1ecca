use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The signals of Linux by number from 1, as on most architectures.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
    "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

const ALIASES: [(&str, &str); 4] = [("IOT", "ABRT"), ("CLD", "CHLD"), ("POLL", "IO"), ("UNUSED", "SYS")];

/// A signal. A module gives its name in upper or lower case, with or without `SIG`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
pub(super) struct Signal(u8);

impl Signal {
    /// Returns the signal with a number from 1 to 31.
    pub(super) fn numbered(number: u8) -> Option<Self> {
        (1..=31).contains(&number).then_some(Self(number))
    }

    pub(super) fn number(self) -> u8 {
        self.0
    }
}

impl FromStr for Signal {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let upper = name.trim().to_ascii_uppercase();
        let short = upper.strip_prefix("SIG").unwrap_or(&upper);
        let short = ALIASES.iter().find(|(alias, _)| *alias == short).map_or(short, |(_, name)| name);
        let index = NAMES.iter().position(|name| *name == short);
        let number = index.and_then(|index| u8::try_from(index + 1).ok());
        number.map(Self).ok_or_else(|| {
            format!("{name:?} is not a signal: write a name like \"HUP\" or \"SIGUSR1\"; see signal(7)")
        })
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.get(usize::from(self.0).wrapping_sub(1)).copied().unwrap_or_default();
        write!(f, "SIG{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let check = |text: &str, expect: Option<(u8, &str)>| {
            let actual = text.parse::<Signal>().ok().map(|signal| (signal.number(), signal.to_string()));
            assert_eq!(actual, expect.map(|(number, name)| (number, name.to_owned())), "{text}");
        };
        check("HUP", Some((1, "SIGHUP")));
        check("sigusr1", Some((10, "SIGUSR1")));
        check("Usr2", Some((12, "SIGUSR2")));
        check("SIGTERM", Some((15, "SIGTERM")));
        check("poll", Some((29, "SIGIO")));
        check("SYS", Some((31, "SIGSYS")));
        check("SIG", None);
        check("SIGSIGHUP", None);
        check("RTMIN", None);
        check("1", None);
        assert_eq!(Signal::numbered(0), None);
        assert_eq!(Signal::numbered(32), None);
        for number in 1..=31 {
            let signal = Signal::numbered(number).unwrap();
            assert_eq!(signal.to_string().parse::<Signal>().unwrap(), signal);
        }
    }
}
