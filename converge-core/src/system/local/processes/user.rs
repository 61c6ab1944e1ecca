//! Programs of another user.
//!
//! A new process has the groups of the thread that starts it. So a thread of its own takes on the groups of the user, and
//! gives up the privilege to change them; the user itself is taken on by the new process alone. The thread stays that of
//! the user of this process, as a user who could signal it could end all of us.

use std::io;

use rustix::process::Gid;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::super::account::Account;
use super::group::ProcessGroup;
use crate::system::marker::{Marker, start_with};

/// Starts a program as a user.
pub(super) async fn spawn_as(
    mut command: Command,
    account: &Account,
    marker: Option<Marker>,
) -> io::Result<Child> {
    command.uid(account.uid);
    let gid = Gid::from_raw(account.gid);
    let groups: Vec<Gid> = account.groups.iter().map(|group| Gid::from_raw(*group)).collect();
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

    #[tokio::test]
    async fn a_program_has_the_groups_of_its_user_and_no_others() {
        // Only root can become somebody else; `tests/tenants.rs` reports where this was not tried.
        if !nix::unistd::geteuid().is_root() {
            return;
        }
        let (home, shell) = ("/".into(), "/bin/sh".into());
        let name = "nobody has these ids".to_owned();
        let account = Account { name, uid: 53_221, gid: 53_222, groups: vec![53_223, 53_224], home, shell };
        let mut command = Command::new("sh");
        command.args(["-c", "id -u; id -g; id -G"]).stdout(Stdio::piped());
        let child = spawn_as(command, &account, None).await.expect("it starts");
        let output = child.wait_with_output().await.expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "53221\n53222\n53222 53223 53224\n");
    }
}
