//! The user and the environment of the programs of a resource.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow, RunAs};

/// The declared user and environment of a program.
#[derive(Debug, Default, HclBlock)]
pub(crate) struct RunAsFields {
    /// The user who runs the program, with the groups of that user only.
    ///
    /// The working directory is the home directory unless another is given. The environment contains nothing
    /// of this program's own. The field needs root and Linux.
    #[hcl(nonempty, needs = "user")]
    user: Option<String>,
    /// The primary group with which `user` runs the program, instead of the user's own.
    #[hcl(nonempty, requires = "user", needs = "group")]
    run_group: Option<String>,
    /// Whether the environment starts empty, except for `PATH` and the variables of `user`.
    ///
    /// These are `HOME`, `USER`, `LOGNAME` and `SHELL`. The default is true if `user` is given.
    clear_env: Option<bool>,
}

/// The result of preparing a command for a user.
pub(crate) enum PreparedCommand {
    Ready(Box<Command>),
    /// The user or group does not exist.
    Missing {
        kind: &'static str,
        name: String,
    },
}

impl RunAsFields {
    /// Adds the user and the environment to a command, without overriding its own settings.
    ///
    /// The user is looked up each time, because it may just have been created.
    pub(crate) async fn prepare(&self, cx: &Context, mut command: Command) -> Result<PreparedCommand> {
        command.clear_env = self.clear_env.unwrap_or(self.user.is_some());
        let mut uid = 0;
        if let Some(name) = &self.user {
            let users = cx.system().users();
            let missing = |kind, name: &String| Ok(PreparedCommand::Missing { kind, name: name.clone() });
            let Some(user) = users.user_by_name(name).await? else { return missing("user", name) };
            let Some(mut groups) = users.groups_of(name).await? else { return missing("user", name) };
            let mut gid = user.gid;
            if let Some(name) = &self.run_group {
                let Some(group) = users.group_by_name(name).await? else { return missing("group", name) };
                gid = group.gid;
                // As in a login with that group, the user's own group becomes a supplementary one.
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
            let variables = [
                ("HOME", text(&user.home)),
                ("LOGNAME", user.name.clone()),
                ("SHELL", text(shell)),
                ("USER", user.name.clone()),
            ];
            for (name, value) in variables {
                command.env.entry(name.to_owned()).or_insert(value);
            }
            uid = user.uid;
            command.run_as = Some(RunAs { name: user.name, uid, gid, groups });
        }
        if command.clear_env {
            command.env.entry("PATH".to_owned()).or_insert_with(|| default_path(uid).to_owned());
        }
        Ok(PreparedCommand::Ready(Box::new(command)))
    }
}

/// Returns the search path of programs after a login.
fn default_path(uid: u32) -> &'static str {
    match uid {
        0 => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        _ => "/usr/local/bin:/usr/bin:/bin",
    }
}

/// Returns the working directory for a user.
///
/// The working directory of this process is unsuitable: it would show its contents to the user even if its
/// parent is not accessible.
async fn home_or_root(cx: &Context, home: &Path) -> Result<PathBuf> {
    let is_there = home.is_absolute() && cx.system().files().metadata(home, Follow::Links).await?.is_some();
    Ok(if is_there { home.to_owned() } else { PathBuf::from("/") })
}
