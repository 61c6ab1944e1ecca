//! The state of systemd units on the model host, and its changes.
//!
//! The module does not need a bus, so the tests on hosts run the same scenarios on it and on the real
//! systemd.
//!
//! Unit files, and the links that enable and mask units, are files of the host. The state of a running or
//! failed unit, and its files as they were read, are the fact `unit NAME`. Nothing is kept about other units,
//! because systemd unloads them: their files are read for each query.
//!
//! The name of a program determines its behaviour: `true` and `false` end at once, `sleep` takes its time,
//! and all others run until they are stopped. Dependencies among units are not followed.

mod files;
mod jobs;
mod links;
mod state;

pub(crate) use files::FOLDERS;
pub(crate) use jobs::{Job, begin, finish, kill, reset_failed};
pub(crate) use links::{disable, enable, file_state, mask, reenable, unmask};
pub(crate) use state::{Property, own_properties, reload_files, unit_properties};

/// An error of systemd: its D-Bus name, and its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) name: &'static str,
    pub(crate) says: String,
}

impl Refused {
    fn new(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, says: message.into() }
    }

    fn no_unit(message: String) -> Self {
        Self::new("org.freedesktop.systemd1.NoSuchUnit", message)
    }
}
