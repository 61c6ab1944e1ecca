//! Lookups of user and group names, which may need a name server.

use std::sync::OnceLock;

use super::pool::Pool;
use crate::{SystemError, SystemErrorKind};

const SWITCH: &str = "/etc/nsswitch.conf";

/// The name services that ask no other machine.
const OF_THIS_MACHINE: [&str; 7] =
    ["altfiles", "compat", "db", "extrausers", "files", "mymachines", "systemd"];

/// Whether names are resolved by local files only, once this process has found out.
#[derive(Debug, Default)]
pub(super) struct NameLookup(OnceLock<bool>);

impl NameLookup {
    /// Looks up a name.
    ///
    /// If only local files are read, which takes microseconds, the lookup runs on the calling thread.
    /// Otherwise it runs on a blocking thread, because a server may be slow.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        pool: &Pool,
        ask: impl FnOnce() -> Result<T, SystemError> + Send + 'static,
    ) -> Result<T, SystemError> {
        if *self.0.get_or_init(are_of_this_machine) {
            return ask();
        }
        let answered = pool.run(move |_| Ok(ask())).await;
        answered.unwrap_or_else(|kind| Err(SystemError::other("look up", "a name", kind)))
    }

    #[cfg(test)]
    pub(super) fn of_servers() -> Self {
        Self(OnceLock::from(false))
    }
}

#[expect(clippy::disallowed_methods, reason = "names are those of the machine, whatever the system is")]
fn are_of_this_machine() -> bool {
    match std::fs::read_to_string(SWITCH) {
        Ok(text) => asks_nobody(&text),
        // Without the file, the C library uses local files and its defaults.
        Err(error) => SystemErrorKind::from(error) == SystemErrorKind::NotFound,
    }
}

/// Whether a `nsswitch.conf` has only local services for users and groups.
fn asks_nobody(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut databases = lines.filter_map(|line| line.split_once(':'));
    databases.all(|(database, services)| {
        let is_asked = matches!(database.trim(), "passwd" | "group" | "initgroups");
        // An action such as `[NOTFOUND=return]` is not a service.
        let mut services = services.split_whitespace().filter(|service| !service.starts_with('['));
        !is_asked || services.all(|service| OF_THIS_MACHINE.contains(&service))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_of_this_machine_are_known() {
        let check = |text, expect| assert_eq!(asks_nobody(text), expect, "{text}");
        check("", true);
        check("passwd: files systemd\ngroup: files systemd\nhosts: files dns\n", true);
        check("passwd: files [NOTFOUND=return] sss # systemd\n", false);
        check("passwd: files # sss\ngroup:\tcompat\n", true);
        check("passwd: files\ngroup: files ldap\n", false);
        check("passwd: files something_new\n", false);
        check("# passwd: sss\n", true);
    }

    #[tokio::test]
    async fn who_has_to_ask_a_server_keeps_no_thread_of_the_runtime() {
        let thread = |names: NameLookup| async move {
            let name = || Ok(std::thread::current().name().unwrap_or_default().to_owned());
            names.ask(&Pool::default(), name).await.unwrap()
        };
        assert_eq!(thread(NameLookup::of_servers()).await, "converge-files");
        assert_ne!(thread(NameLookup(OnceLock::from(true))).await, "converge-files");
    }
}
