//! Programs of another user.
//!
//! A new process has the groups of the thread that starts it. So a thread of its own takes on the groups of the user, and
//! gives up the privilege to change them; the user itself is taken on by the new process alone. The thread stays that of
//! the user of this process, as a user who could signal it could end all of us.

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

/// Whether this process is that user already, with these groups and no others.
pub(super) fn is_already(user: &RunAs) -> bool {
    use rustix::process::{getegid, geteuid, getgid, getgroups, getuid};

    let mut wanted = user.groups.clone();
    wanted.push(user.gid);
    let Ok(groups) = getgroups() else { return false };
    let mut have: Vec<u32> = groups.into_iter().map(Gid::as_raw).collect();
    have.push(getegid().as_raw());
    for groups in [&mut wanted, &mut have] {
        groups.sort_unstable();
        groups.dedup();
    }
    let uids = [getuid().as_raw(), geteuid().as_raw()];
    let gids = [getgid().as_raw(), getegid().as_raw()];
    uids == [user.uid; 2] && gids == [user.gid; 2] && have == wanted
}

/// Refuses what the kernel would refuse, with what it takes.
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

/// The program that begins a session, where this process has a terminal: a program of another user could otherwise open it, and
/// type there as if it were us. `None` where there is no terminal.
///
/// It is no call that could be made here, as it would be for all of this process.
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

/// Whether there is a terminal that new processes would have as well; where nobody can tell, there may be one.
fn has_terminal() -> bool {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    terminal_of(&stat) != Some(0)
}

/// The number of the terminal in `/proc/PID/stat`. The name of the program, before it, may have anything in it.
fn terminal_of(stat: &str) -> Option<i64> {
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(4)?.parse().ok()
}

/// Starts a program as a user.
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
        let spawned = take_on(gid, &groups).and_then(|()| {
            let _runtime = runtime.enter();
            start_with(marker.as_ref(), || command.spawn())
        });
        // Nobody waits for it any more: what was begun is ended.
        if let Err(Ok(child)) = started.send(spawned) {
            let _runtime = runtime.enter();
            drop(ProcessGroup::of(child));
        }
    };
    std::thread::Builder::new().name("converge-run-as".to_owned()).spawn(start)?;
    child.await.unwrap_or_else(|_| Err(io::Error::other("the thread that starts it ended")))
}

/// Gives this thread the groups of a user, and nothing with which they could be changed.
fn take_on(gid: Gid, groups: &[Gid]) -> io::Result<()> {
    use rustix::thread::{
        CapabilitySet, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
    };

    set_thread_groups(groups)?;
    set_thread_res_gid(gid, gid, gid)?;
    // The standard library takes all groups away from a process that becomes another user, where it may.
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
        // Only root can become somebody else; `tests/tenants.rs` reports where this was not tried.
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
