//! Users and groups from the machine's name service.
//!
//! Nothing is cached, because a task may just have created the user that the next task looks up.

use async_trait::async_trait;
use nix::errno::Errno;
use nix::unistd::{Gid, Uid};

use super::LocalSystem;
use crate::{Group, System as _, SystemError, SystemErrorKind, User, Users};

const PASSWD: &str = "/etc/passwd";
const GROUP: &str = "/etc/group";

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
        Ok(self.local_users().await?.into_iter().filter(|user| user.gid == gid).collect())
    }

    async fn groups_of(&self, name: &str) -> Result<Option<Vec<u32>>, SystemError> {
        let name = name.to_owned();
        self.ask(move || {
            let entry = user(nix::unistd::User::from_name(&name), || name.clone())?;
            let Some(user) = entry else { return Ok(None) };
            let groups = groups_of(&name, user.gid);
            groups.map(Some).map_err(|kind| SystemError::other("look up the groups of", &name, kind))
        })
        .await
    }

    async fn local_users(&self) -> Result<Vec<User>, SystemError> {
        let mut users = lines(PASSWD, parse_user).await?;
        users.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(users)
    }

    async fn local_groups(&self) -> Result<Vec<Group>, SystemError> {
        let mut groups = lines(GROUP, parse_group).await?;
        groups.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(groups)
    }
}

/// Returns the sorted group ids of an existing user.
#[cfg(not(target_os = "macos"))]
fn groups_of(name: &str, gid: u32) -> Result<Vec<u32>, SystemErrorKind> {
    // A name with a zero byte cannot exist.
    let login = std::ffi::CString::new(name).map_err(|_| SystemErrorKind::NotFound)?;
    let group_ids = nix::unistd::getgrouplist(&login, Gid::from_raw(gid)).map_err(std::io::Error::from)?;
    let mut groups: Vec<u32> = group_ids.into_iter().map(Gid::as_raw).collect();
    groups.sort_unstable();
    groups.dedup();
    Ok(groups)
}

/// Returns an error: the call of macOS does not return group ids.
#[cfg(target_os = "macos")]
fn groups_of(_name: &str, _gid: u32) -> Result<Vec<u32>, SystemErrorKind> {
    Err(SystemErrorKind::unsupported("to ask for the groups of a user"))
}

/// Parses the lines of a file of the machine, regardless of the root of the system.
async fn lines<T>(path: &str, line: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, SystemError> {
    let Some(file) = LocalSystem::new().files().read(path.as_ref()).await? else { return Ok(Vec::new()) };
    Ok(String::from_utf8_lossy(&file.bytes).lines().filter_map(line).collect())
}

impl LocalSystem {
    async fn ask<T: Send + 'static>(
        &self,
        ask: impl FnOnce() -> Result<T, SystemError> + Send + 'static,
    ) -> Result<T, SystemError> {
        self.shared.names.ask(&self.shared.pool, ask).await
    }
}

/// Parses a line of [`PASSWD`]; `None` if it is not a local user.
fn parse_user(line: &str) -> Option<User> {
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

/// Parses a line of [`GROUP`]; `None` if it is not a local group.
fn parse_group(line: &str) -> Option<Group> {
    let fields: Vec<&str> = line.split(':').collect();
    let [name, _, gid, members] = *fields else { return None };
    let members = members.split(',').filter(|member| !member.is_empty()).map(str::to_owned);
    Some(Group { name: name.to_owned(), gid: gid.parse().ok()?, members: members.collect() })
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

/// Converts errors that mean "not found" into `None`.
///
/// Some name services return such an error number; getpwnam(3) lists them.
fn known<T>(
    found: nix::Result<Option<T>>,
    operation: &'static str,
    asked: impl FnOnce() -> String,
) -> Result<Option<T>, SystemError> {
    match found {
        Ok(value) => Ok(value),
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
            let actual = parse_user(text);
            let actual = actual.as_ref().map(|user| (user.name.as_str(), user.uid, user.gid));
            assert_eq!(actual, expect, "{text}");
        };
        check("ada:x:1000:100:Ada,,,:/home/ada:/bin/sh", Some(("ada", 1000, 100)));
        check("ada:x:1000:100:::", Some(("ada", 1000, 100)));
        check("+@network::::::", None);
        check("", None);
        check("# ada", None);
    }

    #[test]
    fn lines_of_the_file_of_groups() {
        let check = |text: &str, expect: Option<(&str, u32, &[&str])>| {
            let actual = parse_group(text);
            let actual =
                actual.as_ref().map(|group| (group.name.as_str(), group.gid, group.members.as_slice()));
            let expect = expect.map(|(name, gid, members)| {
                (name, gid, members.iter().map(ToString::to_string).collect::<Vec<_>>())
            });
            assert_eq!(
                actual,
                expect.as_ref().map(|(name, gid, members)| (*name, *gid, members.as_slice())),
                "{text}"
            );
        };
        check("staff:x:50:", Some(("staff", 50, &[])));
        check("staff:x:50:ada,jo", Some(("staff", 50, &["ada", "jo"])));
        check("+:::", None);
        check("", None);
    }
}
