//! Comparison of a user with the declaration, and the plan of the change.

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{self, Follow};

use super::User;
use crate::user::change::{AccountChange, Certainty, Options};
use crate::user::error;
use crate::user::shadow;
use crate::user::tool::AccountTool;
use crate::user::user::expiry::{self, Day};
use crate::user::user::group::GroupRef;
use crate::user::user::groups::Member;
use crate::user::user::password::{Field, Outcome};
use crate::user::user::password_ages::Days;
use crate::user::user::ssh_key::{self, Key};
use crate::user::user::{comment, removal};

impl User {
    pub(super) async fn inspect(&mut self, cx: &Context) -> Result<AccountChange> {
        let mut change = AccountChange::default();
        let users = cx.system().users();
        let existing = users.user_by_name(&self.username).await?;
        if self.state == Ensure::Absent {
            self.resolve_attributes(cx, existing.as_ref()).await?;
            self.ssh_public_key = None;
            self.plan_absent(cx, existing, &mut change).await?;
            return Ok(change);
        }
        let renamed = match &self.new_username {
            Some(new_username) => users.user_by_name(new_username).await?,
            None => None,
        };
        self.resolve_attributes(cx, existing.as_ref().or(renamed.as_ref())).await?;
        match (existing, renamed, &self.new_username) {
            (Some(_), Some(_), Some(new_name)) => {
                change.obstacles.push(error::both_exist("user", &self.username, new_name));
            }
            (Some(user), _, _) | (None, Some(user), _) => self.plan_existing(cx, &user, &mut change).await?,
            (None, None, new_username) => {
                if new_username.is_some() && !cx.pending().is_empty() {
                    change.messages.push(format!("there is no user {:?} to rename yet", self.username));
                    change.certainty = Certainty::Open;
                } else {
                    change.certainty = Certainty::Certain;
                }
                self.plan_new(cx, &mut change).await?;
            }
        }
        self.plan_ssh_key(cx, &mut change).await?;
        Ok(change)
    }

    async fn plan_ssh_key(&mut self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        self.ssh_public_key = None;
        if !self.wanted.ssh_key {
            return Ok(());
        }
        let home = PathBuf::from(self.home_dir.clone().unwrap_or_default());
        // A home directory that will be moved is inspected at its present path.
        match ssh_key::find(cx, change.moved.as_deref().unwrap_or(&home)).await? {
            Key::Present(public) => {
                self.ssh_public_key = public;
                return Ok(());
            }
            Key::NoHome if !self.create_home => change.obstacles.push(format!(
                "the home directory {} does not exist, where the key of SSH is to be: `create_home = true` makes it",
                home.display()
            )),
            Key::NoHome | Key::Missing => {}
        }
        change.differs("ssh_key", "absent", home.join(ssh_key::PRIVATE).to_string_lossy());
        change.ssh_key = Some(home);
        Ok(())
    }

    async fn plan_new(&self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        let mut options = Options::default();
        change.differs("state", "absent", "present");
        change.differs("username", "", self.final_name());
        if let Some(uid) = self.wanted.uid {
            change.differs("uid", "", uid.to_string());
            options.value("--uid", &uid);
            self.check_id_is_free(cx, uid, change).await?;
        }
        match &self.wanted.group {
            Some(group) => {
                change.differs(group.field(), "", group.to_string());
                options.value("--gid", &group);
                if group.find(cx).await?.is_none() {
                    change.obstacles.push(group.missing());
                }
            }
            None => {
                if let Some(existing_group) = cx.system().users().group_by_name(self.final_name()).await? {
                    let name = existing_group.name;
                    change.obstacles.push(format!(
                        "there is a group {name:?} already: `groupname = {name:?}` makes it the primary group of the new user"
                    ));
                }
            }
        }
        if let Some(name) = &self.name {
            change.differs("name", "", name);
            options.value("--comment", &name);
        }
        if let Some(gecos) = &self.wanted.gecos {
            change.differs("gecos", "", gecos);
            options.value("--comment", &gecos);
        }
        if let Some(shell) = &self.shell {
            change.differs("shell", "", shell);
            options.value("--shell", &shell);
        }
        if let Some(groups) = &self.wanted.groups {
            groups.plan(cx, None, &mut options, change).await?;
        }
        if self.wanted.system {
            options.flag("--system");
        }
        if let Some(home) = &self.wanted.home {
            change.differs("home_dir", "", home);
            options.value("--home-dir", &home);
        }
        self.plan_new_home(cx, &mut options, change).await?;
        if let Some(day) = self.wanted.expiry {
            if day != Day::NEVER {
                change.differs("expiry", Day::NEVER.to_string(), day.to_string());
            }
            options.value("--expiredate", &day.argument());
        }
        change.runs.push(options.run(AccountTool::UserAdd, self.final_name()));
        self.wanted.password.plan(Field::NEW, self.final_name(), &mut Options::default(), change);
        self.wanted.ages.plan(None, self.wanted.password.outcome(Field::NEW), self.final_name(), change);
        Ok(())
    }

    async fn plan_new_home(
        &self,
        cx: &Context,
        options: &mut Options,
        change: &mut AccountChange,
    ) -> Result<()> {
        if !self.create_home {
            options.flag("--no-create-home");
            return Ok(());
        }
        options.flag("--create-home");
        self.check_skeleton(cx, change).await?;
        if let Some(skeleton) = &self.skel_dir {
            options.value("--skel", &skeleton);
        }
        let home = self.home_dir.clone().unwrap_or_default();
        if exists(cx, Path::new(&home)).await? {
            change.messages.push(format!("{home} exists already: its owner and content stay"));
        } else {
            check_no_link(cx, Path::new(&home), change).await?;
            change.differs("create_home", "absent", home);
        }
        Ok(())
    }

    async fn plan_existing(
        &self,
        cx: &Context,
        user: &system::User,
        change: &mut AccountChange,
    ) -> Result<()> {
        let mut options = Options::default();
        if user.name != self.final_name() {
            change.differs("username", &user.name, self.final_name());
            options.value("--login", &self.final_name());
        }
        if let Some(uid) = self.wanted.uid.filter(|uid| *uid != user.uid) {
            change.differs("uid", user.uid.to_string(), uid.to_string());
            options.value("--uid", &uid);
            self.check_id_is_free(cx, uid, change).await?;
        }
        if let Some(group) = &self.wanted.group {
            self.plan_group(cx, user, group, &mut options, change).await?;
        }
        if let Some(comment) = self.name.as_deref().and_then(|name| comment::with_name(&user.comment, name)) {
            change.differs("name", &user.comment, &comment);
            options.value("--comment", &comment);
        }
        if let Some(gecos) = self.wanted.gecos.as_ref().filter(|gecos| **gecos != user.comment) {
            change.differs("gecos", &user.comment, gecos);
            options.value("--comment", &gecos);
        }
        if let Some(shell) = self.shell.as_ref().filter(|shell| Path::new(shell) != user.shell) {
            change.differs("shell", user.shell.to_string_lossy(), shell);
            options.value("--shell", &shell);
        }
        if let Some(groups) = &self.wanted.groups {
            let primary = self.wanted.group.as_ref().map_or(GroupRef::Id(user.gid), GroupRef::clone);
            let member = Member { name: &user.name, primary };
            groups.plan(cx, Some(member), &mut options, change).await?;
        }
        self.plan_home(cx, user, &mut options, change).await?;
        if let Some(day) = self.wanted.expiry {
            let current = expiry::account_expiry(cx, &user.name).await?;
            if current != day {
                change.differs("expiry", current.to_string(), day.to_string());
                options.value("--expiredate", &day.argument());
            }
        }
        let mut passwords = AccountChange::default();
        let mut outcome = Outcome::Other;
        if self.wanted.password.is_managed() {
            let field = shadow::password_field(cx, &user.name).await?;
            outcome = self.wanted.password.outcome(Field(&field));
            self.wanted.password.plan(Field(&field), self.final_name(), &mut options, &mut passwords);
        }
        if self.wanted.ages.is_managed() {
            let days = Days::of_user(cx, &user.name).await?;
            self.wanted.ages.plan(Some(days), outcome, self.final_name(), &mut passwords);
        }
        if !options.is_empty() {
            change.runs.push(options.run(AccountTool::UserMod, &user.name));
        }
        change.differences.append(&mut passwords.differences);
        change.runs.append(&mut passwords.runs);
        Ok(())
    }

    async fn plan_group(
        &self,
        cx: &Context,
        user: &system::User,
        group: &GroupRef,
        options: &mut Options,
        change: &mut AccountChange,
    ) -> Result<()> {
        let entry = group.find(cx).await?;
        if entry.as_ref().is_some_and(|entry| entry.gid == user.gid) {
            return Ok(());
        }
        let current = match group {
            GroupRef::Id(_) => user.gid.to_string(),
            GroupRef::Name(_) => {
                let primary = cx.system().users().group_by_gid(user.gid).await?;
                primary.map_or_else(|| user.gid.to_string(), |primary| primary.name)
            }
        };
        change.differs(group.field(), current, group.to_string());
        options.value("--gid", &group);
        if entry.is_none() {
            change.obstacles.push(group.missing());
        }
        Ok(())
    }

    async fn plan_home(
        &self,
        cx: &Context,
        user: &system::User,
        options: &mut Options,
        change: &mut AccountChange,
    ) -> Result<()> {
        let target = self.wanted.home.as_deref().map_or(user.home.as_path(), Path::new);
        let mut is_there = exists(cx, target).await?;
        if target != user.home {
            let (from, to) =
                (user.home.to_string_lossy().into_owned(), target.to_string_lossy().into_owned());
            change.differs("home_dir", &from, &to);
            options.value("--home", &to);
            match (self.move_dir, exists(cx, &user.home).await?) {
                (false, _) => {}
                (true, false) => {
                    change.messages.push(format!("there is nothing to move: {from} does not exist"));
                }
                (true, true) if is_there => change.obstacles.push(format!(
                    "the home directory {from:?} cannot be moved to {to:?}: that exists already"
                )),
                (true, true) => {
                    change.messages.push(format!("the content of {from} moves to {to}"));
                    options.flag("--move-home");
                    change.moved = Some(user.home.clone());
                    is_there = true;
                }
            }
        }
        if self.create_home && !is_there {
            check_no_link(cx, target, change).await?;
            change.differs("create_home", "absent", target.to_string_lossy());
            change.home = Some(target.to_owned());
            self.check_skeleton(cx, change).await?;
        }
        Ok(())
    }

    async fn check_id_is_free(&self, cx: &Context, uid: u32, change: &mut AccountChange) -> Result<()> {
        if let Some(other) = cx.system().users().user_by_uid(uid).await? {
            change.obstacles.push(format!("the uid {uid} belongs to the user {:?}", other.name));
        }
        Ok(())
    }

    async fn check_skeleton(&self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        if let Some(skel) = &self.skel_dir
            && !exists(cx, Path::new(skel)).await?
        {
            change.obstacles.push(format!("the directory {skel:?} does not exist, and `skel_dir` names it"));
        }
        Ok(())
    }

    async fn plan_absent(
        &self,
        cx: &Context,
        found: Option<system::User>,
        change: &mut AccountChange,
    ) -> Result<()> {
        if self.new_username.is_some() {
            change.warnings.push("`new_username` means nothing with `state = \"absent\"`".to_owned());
        }
        let Some(user) = found else { return Ok(()) };
        change.differs("state", "present", "absent");
        if let Some(target_uid) = self.wanted.uid.filter(|uid| *uid != user.uid) {
            change.obstacles.push(format!(
                "the user {:?} has the uid {} and not {target_uid}, so it is not removed",
                user.name, user.uid
            ));
        }
        let mut options = Options::default();
        if self.wanted.remove_home {
            removal::plan(cx, &user, &mut options, change).await?;
        }
        change.runs.push(options.run(AccountTool::UserDel, &user.name));
        Ok(())
    }
}

async fn exists(cx: &Context, path: &Path) -> Result<bool> {
    Ok(cx.system().files().metadata(path, Follow::Links).await?.is_some())
}

/// Reports a dangling link at the path of a new home directory, where `useradd` would create none.
async fn check_no_link(cx: &Context, home: &Path, change: &mut AccountChange) -> Result<()> {
    if cx.system().files().metadata(home, Follow::Never).await?.is_some() {
        let home = home.display();
        change.obstacles.push(format!(
            "the home directory {home} cannot be made: there is a symbolic link to what does not exist"
        ));
    }
    Ok(())
}
