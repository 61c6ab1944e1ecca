//! Programs that run as another user.
//!
//! A new process inherits the groups of the thread that starts it. A dedicated thread therefore takes on the
//! groups of the user, and gives up the privilege to change them. Only the new process takes on the user id.
//! The thread keeps the user of this process, because a user who can signal the thread could kill the whole
//! process.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use rustix::process::Gid;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::super::program_settings::find;
use super::group::ProcessGroup;
use crate::marker::{Marker, start_with};
use crate::{RunAs, SystemErrorKind};

/// Whether this process already runs as that user, with exactly these groups.
pub(super) fn is_already(user: &RunAs) -> bool {
    use rustix::process::{getegid, geteuid, getgid, getgroups, getuid};

    let mut expected_groups = user.groups.clone();
    expected_groups.push(user.gid);
    let Ok(groups) = getgroups() else { return false };
    let mut have: Vec<u32> = groups.into_iter().map(Gid::as_raw).collect();
    have.push(getegid().as_raw());
    for groups in [&mut expected_groups, &mut have] {
        groups.sort_unstable();
        groups.dedup();
    }
    let uids = [getuid().as_raw(), geteuid().as_raw()];
    let gids = [getgid().as_raw(), getegid().as_raw()];
    uids == [user.uid; 2] && gids == [user.gid; 2] && have == expected_groups
}

/// Checks that this process has the capabilities to change the user.
pub(super) fn may_become(user: &RunAs) -> Result<(), SystemErrorKind> {
    use rustix::thread::{CapabilitySet, capabilities};

    let needed = CapabilitySet::SETUID | CapabilitySet::SETGID;
    if capabilities(None).map_err(SystemErrorKind::from)?.effective.contains(needed) {
        return Ok(());
    }
    let name = &user.name;
    Err(SystemErrorKind::Other(format!(
        "only root, or a process with CAP_SETUID and CAP_SETGID, may run it as the user {name}"
    )))
}

/// Returns the program that begins a session; `None` if this process has no terminal.
///
/// Without a new session, a program of another user could open the terminal and type into it. This process
/// cannot call `setsid` itself, because that would affect the whole process.
pub(super) fn session() -> Result<Option<PathBuf>, SystemErrorKind> {
    if !has_terminal() {
        return Ok(None);
    }
    find("setsid", Some(&OsString::from("/usr/bin:/bin")), Path::new("")).map(Some).map_err(|_| {
        SystemErrorKind::Other(
            "this process has a terminal, which a program of another user must not have, and there is no `setsid` \
             in /usr/bin or /bin: install util-linux, or start this program without a terminal"
                .to_owned(),
        )
    })
}

/// Whether new processes would inherit a terminal.
///
/// If unknown, they might.
fn has_terminal() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    terminal_of(&stat) != Some(0)
}

/// Parses the terminal number in `/proc/PID/stat`.
///
/// The program name before it may contain any character.
fn terminal_of(stat: &str) -> Option<i64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(4)?.parse().ok()
}

pub(super) async fn spawn_as(
    mut command: Command,
    user: &RunAs,
    marker: Option<Marker>,
) -> io::Result<Child> {
    command.uid(user.uid);
    let gid = Gid::from_raw(user.gid);
    let groups: Vec<Gid> = user.groups.iter().map(|group| Gid::from_raw(*group)).collect();
    let runtime = tokio::runtime::Handle::current();
    let (started, child) = oneshot::channel();
    let start = move || {
        let spawned = adopt_groups(gid, &groups).and_then(|()| {
            let _runtime = runtime.enter();
            start_with(marker.as_ref(), || command.spawn())
        });
        // The caller is gone, so the program is killed.
        if let Err(Ok(child)) = started.send(spawned) {
            let _runtime = runtime.enter();
            drop(ProcessGroup::new(child));
        }
    };
    std::thread::Builder::new().name("converge-run-as".to_owned()).spawn(start)?;
    child.await.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it ended")))
}

/// Gives this thread the groups of a user, and drops the privilege to change them.
fn adopt_groups(gid: Gid, groups: &[Gid]) -> io::Result<()> {
    use rustix::thread::{
        CapabilitySet, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
    };

    set_thread_groups(groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    // With the privilege, the standard library would clear all groups of a process that changes its user.
    let mut sets = capabilities(None)?;
    sets.effective.remove(CapabilitySet::SETGID);
    Ok(set_capabilities(None, sets)?)
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn the_terminal_of_a_process() {
        let check = |stat: &str, expect: Option<i64>| assert_eq!(terminal_of(stat), expect, "{stat}");
        check("7 (sh) S 1 7 7 34816 7 4194304", Some(34816));
        check("7 (a) b) 1 2 3) S 1 7 7 0 -1 4194304", Some(0));
        check("7 (sh) S 1 7", None);
        check("", None);
    }

    #[tokio::test]
    async fn a_program_has_the_groups_of_its_user_and_no_others() {
        // Only root can change users; `tests/tenants.rs` reports when this was skipped.
        if !nix::unistd::geteuid().is_root() {
            return;
        }
        let name = "nobody has these ids".to_owned();
        let account = RunAs { name, uid: 53_221, gid: 53_222, groups: vec![53_223, 53_224] };
        let mut command = Command::new("sh");
        command.args(["-c", "id -u; id -g; id -G"]).stdout(Stdio::piped());
        let child = spawn_as(command, &account, None).await.expect("it starts");
        let output = child.wait_with_output().await.expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "53221\n53222\n53222 53223 53224\n");
    }
}
