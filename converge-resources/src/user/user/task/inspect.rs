//! Compares a user with what is declared, and plans the change.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{self, Follow};

use super::User;
use crate::user::change::{AccountChange, Certainty, Options};
use crate::user::error;
use crate::user::tool::AccountTool;
use crate::user::user::group::GroupRef;
use crate::user::user::{comment, expiry};

impl User {
    pub(super) async fn inspect(&mut self, cx: &Context) -> Result<AccountChange> {
        let mut change = AccountChange::default();
        let users = cx.system().users();
        let found = users.user_by_name(&self.username).await?;
        if self.state == Ensure::Absent {
            self.resolve_attributes(cx, found.as_ref()).await?;
            self.plan_absent(found, &mut change);
            return Ok(change);
        }
        let renamed = match &self.new_username {
            Some(new_username) => users.user_by_name(new_username).await?,
            None => None,
        };
        self.resolve_attributes(cx, found.as_ref().or(renamed.as_ref())).await?;
        match (found, renamed, &self.new_username) {
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
        Ok(change)
    }

    async fn plan_new(&self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        let mut options = Options::default();
        change.differs("state", "absent", "present");
        change.differs("username", "", self.last_name());
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
                if let Some(taken) = cx.system().users().group_by_name(self.last_name()).await? {
                    let name = taken.name;
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
        if let Some(home) = &self.wanted.home {
            change.differs("home_dir", "", home);
            options.value("--home-dir", &home);
        }
        self.plan_new_home(cx, &mut options, change).await?;
        if let Some(day) = self.wanted.expiry {
            change.differs("expiry", "never", day.to_string());
            options.value("--expiredate", &day.argument());
        }
        change.run = Some(options.run(AccountTool::UserAdd, self.last_name()));
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
            change.messages.push(format!("{home} exists already: its owner and what is in it stay"));
        } else {
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
        if user.name != self.last_name() {
            change.differs("username", &user.name, self.last_name());
            options.value("--login", &self.last_name());
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
        self.plan_home(cx, user, &mut options, change).await?;
        if let Some(day) = self.wanted.expiry {
            let has = expiry::of_user(cx, &user.name).await?;
            if has != Some(day) {
                let has = has.map_or_else(|| "never".to_owned(), |day| day.to_string());
                change.differs("expiry", has, day.to_string());
                options.value("--expiredate", &day.argument());
            }
        }
        if !options.is_empty() {
            change.run = Some(options.run(AccountTool::UserMod, &user.name));
        }
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
        let found = group.find(cx).await?;
        if found.as_ref().is_some_and(|found| found.gid == user.gid) {
            return Ok(());
        }
        let has = match group {
            GroupRef::Id(_) => user.gid.to_string(),
            GroupRef::Name(_) => {
                let has = cx.system().users().group_by_gid(user.gid).await?;
                has.map_or_else(|| user.gid.to_string(), |has| has.name)
            }
        };
        change.differs(group.field(), has, group.to_string());
        options.value("--gid", &group);
        if found.is_none() {
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
        let wanted = self.wanted.home.as_deref().map_or(user.home.as_path(), Path::new);
        let mut there = exists(cx, wanted).await?;
        if wanted != user.home {
            let (from, to) =
                (user.home.to_string_lossy().into_owned(), wanted.to_string_lossy().into_owned());
            change.differs("home_dir", &from, &to);
            options.value("--home", &to);
            match (self.move_dir, exists(cx, &user.home).await?) {
                (false, _) => {}
                (true, false) => {
                    change.messages.push(format!("there is nothing to move: {from} does not exist"));
                }
                (true, true) if there => change.obstacles.push(format!(
                    "the home directory {from:?} cannot be moved to {to:?}: that exists already"
                )),
                (true, true) => {
                    change.messages.push(format!("what is in {from} moves to {to}"));
                    options.flag("--move-home");
                    there = true;
                }
            }
        }
        if self.create_home && !there {
            change.differs("create_home", "absent", wanted.to_string_lossy());
            change.home = Some(wanted.to_owned());
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

    fn plan_absent(&self, found: Option<system::User>, change: &mut AccountChange) {
        if self.new_username.is_some() {
            change.warnings.push("`new_username` means nothing with `state = \"absent\"`".to_owned());
        }
        let Some(user) = found else { return };
        change.differs("state", "present", "absent");
        if let Some(wanted) = self.wanted.uid.filter(|uid| *uid != user.uid) {
            change.obstacles.push(format!(
                "the user {:?} has the uid {} and not {wanted}, so it is not removed",
                user.name, user.uid
            ));
        }
        change.run = Some(Options::default().run(AccountTool::UserDel, &user.name));
    }
}

async fn exists(cx: &Context, path: &Path) -> Result<bool> {
    Ok(cx.system().files().metadata(path, Follow::Links).await?.is_some())
}
