//! What systemd knows of the units of a model machine, and what becomes of them. It needs nothing of a bus, so the tests on hosts
//! tell the same stories to it and to systemd.
//!
//! The files of units are those of the machine, and the links that enable and mask them, too. How a unit is that runs or has failed, and
//! its files as they were read, is the fact `unit NAME`.
//!
//! Of a unit that neither runs nor has failed nothing is kept, as systemd forgets it: its files are read when somebody asks.
//!
//! What a program does is in its name: `true` and `false` end at once, `sleep` takes its time, and all others run until they are
//! stopped. Dependencies among units are not followed.

mod files;
mod jobs;
mod links;
mod state;

pub(crate) use files::FOLDERS;
pub(crate) use jobs::{Job, begin, finish, kill, reset_failed};
pub(crate) use links::{disable, enable, file_state, mask, reenable, unmask};
pub(crate) use state::{Property, own_properties, reload_files, unit_properties};

/// An error of systemd: the name that it has on the bus, and the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) name: &'static str,
    pub(crate) says: String,
}

impl Refused {
    fn new(name: &'static str, says: impl Into<String>) -> Self {
        Self { name, says: says.into() }
    }

    fn no_unit(says: String) -> Self {
        Self::new("org.freedesktop.systemd1.NoSuchUnit", says)
    }
}
