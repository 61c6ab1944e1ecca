//! Users and groups, through the machine's name service. Nothing is kept between calls, as a task may
//! just have created the user that the next one asks for.

use async_trait::async_trait;
use nix::errno::Errno;
use nix::unistd::{Gid, Uid};

use super::LocalSystem;
use crate::system::{Group, System as _, SystemError, User, Users};

const PASSWD: &str = "/etc/passwd";

#[async_trait]
impl Users for LocalSystem {
    async fn user_by_name(&self, name: &str) -> Result<Option<User>, SystemError> {
        let name = name.to_owned();
        self.ask(move || user(nix::unistd::User::from_name(&name), || name.clone())).await
    }

    async fn user_by_uid(&self, uid: u32) -> Result<Option<User>, SystemError> {
        self.ask(move || user(nix::unistd::User::from_uid(Uid::from_raw(uid)), || uid.to_string())).await
    }

    async fn group_by_name(&self, name: &str) -> Result<Option<Group>, SystemError> {
        let name = name.to_owned();
        self.ask(move || group(nix::unistd::Group::from_name(&name), || name.clone())).await
    }

    async fn group_by_gid(&self, gid: u32) -> Result<Option<Group>, SystemError> {
        self.ask(move || group(nix::unistd::Group::from_gid(Gid::from_raw(gid)), || gid.to_string())).await
    }

    async fn users_in_primary_group(&self, gid: u32) -> Result<Vec<User>, SystemError> {
        // Of the machine, wherever the files of this system are.
        let passwd = LocalSystem::new().files().read(PASSWD.as_ref()).await?;
        let Some(passwd) = passwd else { return Ok(Vec::new()) };
        let text = String::from_utf8_lossy(&passwd.bytes);
        let mut users: Vec<_> = text.lines().filter_map(line).filter(|user| user.gid == gid).collect();
        users.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(users)
    }
}

impl LocalSystem {
    async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce() -> Result<T, SystemError> + Send + 'static,
    ) -> Result<T, SystemError> {
        self.shared.names.ask(&self.shared.pool, ask).await
    }
}

/// A line of [`PASSWD`]; `None` for one that is not a user of this machine.
fn line(line: &str) -> Option<User> {
    let fields: Vec<&str> = line.split(':').collect();
    let [name, _, uid, gid, comment, home, shell] = *fields else { return None };
    Some(User {
        name: name.to_owned(),
        uid: uid.parse().ok()?,
        gid: gid.parse().ok()?,
        comment: comment.to_owned(),
        home: home.into(),
        shell: shell.into(),
    })
}

fn user(
    found: nix::Result<Option<nix::unistd::User>>,
    asked: impl FnOnce() -> String,
) -> Result<Option<User>, SystemError> {
    Ok(known(found, "look up the user", asked)?.map(|user| User {
        name: user.name,
        uid: user.uid.as_raw(),
        gid: user.gid.as_raw(),
        comment: user.gecos.to_string_lossy().into_owned(),
        home: user.dir,
        shell: user.shell,
    }))
}

fn group(
    found: nix::Result<Option<nix::unistd::Group>>,
    asked: impl FnOnce() -> String,
) -> Result<Option<Group>, SystemError> {
    Ok(known(found, "look up the group", asked)?.map(|group| Group {
        name: group.name,
        gid: group.gid.as_raw(),
        members: group.mem,
    }))
}

/// Some name services say "not found" with an error number; getpwnam(3) lists them.
fn known<T>(
    found: nix::Result<Option<T>>,
    operation: &'static str,
    asked: impl FnOnce() -> String,
) -> Result<Option<T>, SystemError> {
    match found {
        Ok(found) => Ok(found),
        Err(Errno::ENOENT | Errno::ESRCH) => Ok(None),
        Err(errno) => Err(SystemError::other(operation, asked(), std::io::Error::from(errno))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_file_of_users() {
        let check = |text: &str, expect: Option<(&str, u32, u32)>| {
            let found = line(text);
            let found = found.as_ref().map(|user| (user.name.as_str(), user.uid, user.gid));
            assert_eq!(found, expect, "{text}");
        };
        check("ada:x:1000:100:Ada,,,:/home/ada:/bin/sh", Some(("ada", 1000, 100)));
        check("ada:x:1000:100:::", Some(("ada", 1000, 100)));
        check("+@network::::::", None);
        check("", None);
        check("# ada", None);
    }
}
