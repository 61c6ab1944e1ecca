//! As whom the programs of a resource run, and with what environment.

use std::path::{Path, PathBuf};

use converge_core::prelude::*;
use converge_core::system::{Command, Follow, RunAs};

/// As whom a program runs, and what environment it begins with.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct RunAsFields {
    /// The user who runs it: with the groups of that user and no others, in the home directory unless another directory is given, and with an
    /// environment that has nothing of the one of this program. It takes root, and Linux.
    #[hcl(nonempty, needs = "user")]
    user: Option<String>,
    /// The primary group with which `user` runs it, in the place of the user's own.
    #[hcl(nonempty, requires = "user", needs = "group")]
    run_group: Option<String>,
    /// Whether the environment begins empty, but for `PATH`, and `HOME`, `USER`, `LOGNAME` and `SHELL` of `user`. It is so when `user` is given and
    /// nothing is said.
    clear_env: Option<bool>,
}

/// What became of a command that is to run as somebody.
pub(crate) enum Prepared {
    Ready(Box<Command>),
    /// There is no such `kind`.
    Missing {
        kind: &'static str,
        name: String,
    },
}

impl RunAsFields {
    /// Gives a command the user and the environment; what it has of these itself stays. The machine is asked each time, as the user may
    /// just have been made.
    pub(crate) async fn prepare(&self, cx: &Context, mut command: Command) -> Result<Prepared> {
        command.clear_env = self.clear_env.unwrap_or(self.user.is_some());
        let mut uid = 0;
        if let Some(name) = &self.user {
            let users = cx.system().users();
            let missing = |kind, name: &String| Ok(Prepared::Missing { kind, name: name.clone() });
            let Some(user) = users.user_by_name(name).await? else { return missing("user", name) };
            let Some(mut groups) = users.groups_of(name).await? else { return missing("user", name) };
            let mut gid = user.gid;
            if let Some(name) = &self.run_group {
                let Some(group) = users.group_by_name(name).await? else { return missing("group", name) };
                gid = group.gid;
                // As a login with that group has it: the user's own group is one of the others then.
                groups.push(user.gid);
            }
            groups.push(gid);
            groups.sort_unstable();
            groups.dedup();
            if command.dir.is_none() {
                command.dir = Some(home_or_root(cx, &user.home).await?);
            }
            let text = |path: &Path| path.to_string_lossy().into_owned();
            let shell = if user.shell.as_os_str().is_empty() { Path::new("/bin/sh") } else { &user.shell };
            let own = [
                ("HOME", text(&user.home)),
                ("LOGNAME", user.name.clone()),
                ("SHELL", text(shell)),
                ("USER", user.name.clone()),
            ];
            for (name, value) in own {
                command.env.entry(name.to_owned()).or_insert(value);
            }
            uid = user.uid;
            command.run_as = Some(RunAs { name: user.name, uid, gid, groups });
        }
        if command.clear_env {
            command.env.entry("PATH".to_owned()).or_insert_with(|| default_path(uid).to_owned());
        }
        Ok(Prepared::Ready(Box::new(command)))
    }
}

/// Where programs are searched, as a login has it.
fn default_path(uid: u32) -> &'static str {
    match uid {
        0 => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        _ => "/usr/local/bin:/usr/bin:/bin",
    }
}

/// The directory of this process is no place for another user: below one that nobody may enter it shows what is in it all the same.
async fn home_or_root(cx: &Context, home: &Path) -> Result<PathBuf> {
    let is_there = home.is_absolute() && cx.system().files().metadata(home, Follow::Links).await?.is_some();
    Ok(if is_there { home.to_owned() } else { PathBuf::from("/") })
}
