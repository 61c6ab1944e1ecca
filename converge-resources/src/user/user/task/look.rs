//! What differs between a user as declared and as found, and what is to be run for it.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::{self, Follow};

use super::User;
use crate::user::State;
use crate::user::error::AccountError;
use crate::user::outlook::{Certainty, Options, Outlook};
use crate::user::tool::Tool;
use crate::user::user::group::GroupRef;
use crate::user::user::{comment, expiry};

impl User {
    pub(super) async fn look(&mut self, cx: &Context) -> Result<Outlook> {
        let mut outlook = Outlook::default();
        let users = cx.system().users();
        let found = users.user_by_name(&self.username).await?;
        if self.state == State::Absent {
            self.learn(cx, found.as_ref()).await?;
            self.look_at_absent(found, &mut outlook);
            return Ok(outlook);
        }
        let renamed = match &self.new_username {
            Some(new_username) => users.user_by_name(new_username).await?,
            None => None,
        };
        self.learn(cx, found.as_ref().or(renamed.as_ref())).await?;
        match (found, renamed, &self.new_username) {
            (Some(_), Some(_), Some(new_name)) => {
                let (name, new_name) = (self.username.clone(), new_name.clone());
                outlook.obstacles.push(AccountError::BothExist { kind: "user", name, new_name });
            }
            (Some(user), _, _) | (None, Some(user), _) => self.look_at(cx, &user, &mut outlook).await?,
            (None, None, new_username) => {
                if new_username.is_some() && !cx.pending().is_empty() {
                    outlook.messages.push(format!("there is no user {:?} to rename yet", self.username));
                    outlook.certainty = Certainty::Open;
                } else {
                    outlook.certainty = Certainty::Certain;
                }
                self.look_at_new(cx, &mut outlook).await?;
            }
        }
        Ok(outlook)
    }

    async fn look_at_new(&self, cx: &Context, outlook: &mut Outlook) -> Result<()> {
        let mut options = Options::default();
        outlook.differs("state", "absent", "present");
        outlook.differs("username", "", self.last_name());
        if let Some(uid) = self.wanted.uid {
            outlook.differs("uid", "", uid.to_string());
            options.value("--uid", &uid);
            self.look_for_owner_of(cx, uid, outlook).await?;
        }
        match &self.wanted.group {
            Some(group) => {
                outlook.differs(group.field(), "", group.to_string());
                options.value("--gid", &group);
                if group.find(cx).await?.is_none() {
                    outlook.obstacles.push(group.missing());
                }
            }
            None => {
                if let Some(taken) = cx.system().users().group_by_name(self.last_name()).await? {
                    outlook.obstacles.push(AccountError::OwnGroupTaken { name: taken.name });
                }
            }
        }
        if let Some(name) = &self.name {
            outlook.differs("name", "", name);
            options.value("--comment", &name);
        }
        if let Some(home) = &self.wanted.home {
            outlook.differs("home_dir", "", home);
            options.value("--home-dir", &home);
        }
        self.look_at_new_home(cx, &mut options, outlook).await?;
        if let Some(day) = self.wanted.expiry {
            outlook.differs("expiry", "never", day.to_string());
            options.value("--expiredate", &day.argument());
        }
        outlook.run = Some(options.run(Tool::UserAdd, self.last_name()));
        Ok(())
    }

    async fn look_at_new_home(
        &self,
        cx: &Context,
        options: &mut Options,
        outlook: &mut Outlook,
    ) -> Result<()> {
        if !self.create_home {
            options.flag("--no-create-home");
            return Ok(());
        }
        options.flag("--create-home");
        self.look_for_skeleton(cx, outlook).await?;
        if let Some(skeleton) = &self.skel_dir {
            options.value("--skel", &skeleton);
        }
        let home = self.home_dir.clone().unwrap_or_default();
        if exists(cx, Path::new(&home)).await? {
            outlook.messages.push(format!("{home} exists already: its owner and what is in it stay"));
        } else {
            outlook.differs("create_home", "absent", home);
        }
        Ok(())
    }

    async fn look_at(&self, cx: &Context, user: &system::User, outlook: &mut Outlook) -> Result<()> {
        let mut options = Options::default();
        if user.name != self.last_name() {
            outlook.differs("username", &user.name, self.last_name());
            options.value("--login", &self.last_name());
        }
        if let Some(uid) = self.wanted.uid.filter(|uid| *uid != user.uid) {
            outlook.differs("uid", user.uid.to_string(), uid.to_string());
            options.value("--uid", &uid);
            self.look_for_owner_of(cx, uid, outlook).await?;
        }
        if let Some(group) = &self.wanted.group {
            self.look_at_group(cx, user, group, &mut options, outlook).await?;
        }
        if let Some(comment) = self.name.as_deref().and_then(|name| comment::with_name(&user.comment, name)) {
            outlook.differs("name", &user.comment, &comment);
            options.value("--comment", &comment);
        }
        self.look_at_home(cx, user, &mut options, outlook).await?;
        if let Some(day) = self.wanted.expiry {
            let has = expiry::of_user(cx, &user.name).await?;
            if has != Some(day) {
                let has = has.map_or_else(|| "never".to_owned(), |day| day.to_string());
                outlook.differs("expiry", has, day.to_string());
                options.value("--expiredate", &day.argument());
            }
        }
        if !options.is_empty() {
            outlook.run = Some(options.run(Tool::UserMod, &user.name));
        }
        Ok(())
    }

    async fn look_at_group(
        &self,
        cx: &Context,
        user: &system::User,
        group: &GroupRef,
        options: &mut Options,
        outlook: &mut Outlook,
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
        outlook.differs(group.field(), has, group.to_string());
        options.value("--gid", &group);
        if found.is_none() {
            outlook.obstacles.push(group.missing());
        }
        Ok(())
    }

    async fn look_at_home(
        &self,
        cx: &Context,
        user: &system::User,
        options: &mut Options,
        outlook: &mut Outlook,
    ) -> Result<()> {
        let wanted = self.wanted.home.as_deref().map_or(user.home.as_path(), Path::new);
        let mut there = exists(cx, wanted).await?;
        if wanted != user.home {
            let (from, to) =
                (user.home.to_string_lossy().into_owned(), wanted.to_string_lossy().into_owned());
            outlook.differs("home_dir", &from, &to);
            options.value("--home", &to);
            match (self.move_dir, exists(cx, &user.home).await?) {
                (false, _) => {}
                (true, false) => {
                    outlook.messages.push(format!("there is nothing to move: {from} does not exist"));
                }
                (true, true) if there => outlook.obstacles.push(AccountError::HomeTaken { from, to }),
                (true, true) => {
                    outlook.messages.push(format!("what is in {from} moves to {to}"));
                    options.flag("--move-home");
                    there = true;
                }
            }
        }
        if self.create_home && !there {
            outlook.differs("create_home", "absent", wanted.to_string_lossy());
            outlook.home = Some(wanted.to_owned());
            self.look_for_skeleton(cx, outlook).await?;
        }
        Ok(())
    }

    async fn look_for_owner_of(&self, cx: &Context, uid: u32, outlook: &mut Outlook) -> Result<()> {
        if let Some(other) = cx.system().users().user_by_uid(uid).await? {
            outlook.obstacles.push(AccountError::UidTaken { uid, by: other.name });
        }
        Ok(())
    }

    async fn look_for_skeleton(&self, cx: &Context, outlook: &mut Outlook) -> Result<()> {
        if let Some(skel) = &self.skel_dir
            && !exists(cx, Path::new(skel)).await?
        {
            outlook.obstacles.push(AccountError::NoSkeleton { skel: skel.clone() });
        }
        Ok(())
    }

    fn look_at_absent(&self, found: Option<system::User>, outlook: &mut Outlook) {
        if self.new_username.is_some() {
            outlook.warnings.push("`new_username` means nothing with `state = \"absent\"`".to_owned());
        }
        let Some(user) = found else { return };
        outlook.differs("state", "present", "absent");
        if let Some(wanted) = self.wanted.uid.filter(|uid| *uid != user.uid) {
            let obstacle = AccountError::OtherUid { name: user.name.clone(), has: user.uid, wanted };
            outlook.obstacles.push(obstacle);
        }
        outlook.run = Some(Options::default().run(Tool::UserDel, &user.name));
    }
}

async fn exists(cx: &Context, path: &Path) -> Result<bool> {
    Ok(cx.system().files().metadata(path, Follow::Links).await?.is_some())
}
