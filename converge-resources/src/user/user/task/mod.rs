//! Looks for users, makes, changes and removes them.

mod look;

use std::path::{Path, PathBuf};

use converge_core::prelude::*;
use converge_core::system::{self, Ownership};
use jiff::Timestamp;

use super::UserPreparer;
use super::expiry::Day;
use super::group::GroupRef;
use super::home::NewHome;
use crate::user::defaults::Defaults;
use crate::user::error::AccountError;
use crate::user::learned::Learned;
use crate::user::outlook::Outlook;
use crate::user::tool::{self, Tool};
use crate::user::{State, given, renamed};

/// One user.
#[derive(Debug, Export)]
pub struct User {
    /// Login name, as the module gives it.
    #[export]
    username: String,
    /// The login name to which the user is renamed; null where that is not so.
    #[export(name = "newusername")]
    new_username: Option<String>,
    /// User id: the given one, or that of the user on the machine. Known only after apply for a new user
    /// without a given id.
    #[export]
    uid: Learned<u32>,
    /// Name of the primary group: the given one, or that of the user on the machine.
    #[export]
    groupname: Learned<String>,
    /// Id of the primary group: the given one, or that of the user on the machine.
    #[export]
    gid: Learned<u32>,
    /// Full name or description, as the module gives it.
    #[export]
    name: Option<String>,
    /// Whether the home directory is made.
    #[export(name = "createhome")]
    create_home: bool,
    /// Directory whose content is copied into a new home directory, as the module gives it.
    #[export(name = "skeldir")]
    skel_dir: Option<String>,
    /// Path of the home directory: the given one, or that of the user, or the one that a new user gets.
    #[export(name = "homedir")]
    home_dir: Option<String>,
    /// Whether what is in the home directory moves along.
    #[export(name = "movedir")]
    move_dir: bool,
    /// When the account expires, as the module gives it.
    #[export]
    expiry: Option<Timestamp>,
    /// Whether the user is to exist: `present` or `absent`.
    #[export]
    state: State,
    wanted: Wanted,
    outlook: Outlook,
}

/// What the module gives, where exports hold what is found as well.
#[derive(Debug)]
struct Wanted {
    uid: Option<u32>,
    group: Option<GroupRef>,
    home: Option<String>,
    expiry: Option<Day>,
}

impl User {
    pub(super) fn new(preparer: UserPreparer) -> Self {
        let UserPreparer {
            username,
            new_username,
            uid,
            groupname,
            gid,
            name,
            create_home,
            skel_dir,
            home_dir,
            move_dir,
            expiry,
            state,
        } = preparer;
        let (groupname, home_dir) = (given(groupname), given(home_dir));
        let group = groupname.clone().map(GroupRef::Name).or(gid.map(GroupRef::Id));
        let wanted = Wanted { uid, group, home: home_dir.clone(), expiry: expiry.map(Day::of) };
        Self {
            new_username: renamed(&username, new_username),
            username,
            uid: Learned::Known(uid),
            groupname: Learned::Known(groupname),
            gid: Learned::Known(gid),
            name: given(name),
            create_home,
            skel_dir: given(skel_dir),
            home_dir,
            move_dir,
            expiry,
            state,
            wanted,
            outlook: Outlook::default(),
        }
    }

    /// The login name that the user has in the end.
    fn last_name(&self) -> &str {
        self.new_username.as_deref().unwrap_or(&self.username)
    }

    /// Completes what the module leaves to the machine.
    async fn learn(&mut self, cx: &Context, found: Option<&system::User>) -> Result<()> {
        let group = match (&self.wanted.group, found) {
            (Some(group), _) => group.find(cx).await?,
            (None, Some(user)) => cx.system().users().group_by_gid(user.gid).await?,
            (None, None) => None,
        };
        let is_chosen = found.is_none() && self.state == State::Present;
        let unknown = || Tool::UserAdd.program();
        self.uid = match self.wanted.uid.or(found.map(|user| user.uid)) {
            None if is_chosen => Learned::ChosenBy(unknown()),
            uid => Learned::Known(uid),
        };
        (self.groupname, self.gid) = match (group, &self.wanted.group) {
            (Some(group), _) => (Learned::Known(Some(group.name)), Learned::Known(Some(group.gid))),
            // A pending change may make it.
            (None, Some(GroupRef::Name(name))) => {
                (Learned::Known(Some(name.clone())), Learned::ChosenBy(Tool::GroupAdd.program()))
            }
            (None, Some(GroupRef::Id(gid))) => {
                (Learned::ChosenBy(Tool::GroupAdd.program()), Learned::Known(Some(*gid)))
            }
            (None, None) if is_chosen => (Learned::ChosenBy(unknown()), Learned::ChosenBy(unknown())),
            (None, None) => (Learned::Known(None), Learned::Known(found.map(|user| user.gid))),
        };
        self.home_dir = match (&self.wanted.home, found) {
            (Some(home), _) => Some(home.clone()),
            (None, Some(user)) => Some(user.home.to_string_lossy().into_owned()),
            (None, None) if self.state == State::Absent => None,
            (None, None) => {
                let home = Defaults::read(cx).await?.home_of(self.last_name());
                Some(home.to_string_lossy().into_owned())
            }
        };
        Ok(())
    }

    /// Makes the home directory of a user who is there.
    async fn make_home(&self, cx: &Context, path: PathBuf) -> Result<()> {
        let name = self.last_name();
        let user = cx.system().users().user_by_name(name).await?;
        let user = user.ok_or_else(|| Error::NotFound { kind: "user", name: name.to_owned() })?;
        let defaults = Defaults::read(cx).await?;
        let skeleton = self.skel_dir.as_deref().map_or(defaults.skeleton.as_path(), Path::new);
        let owner = Ownership { uid: Some(user.uid), gid: Some(user.gid) };
        NewHome { path: &path, skeleton, owner }.make(cx, &defaults).await
    }
}

#[async_trait]
impl Task for User {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        tool::supported(cx, "user.user")?;
        self.outlook = self.look(cx).await?;
        self.outlook.report(cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let now = self.look(cx).await?;
        let changed = || AccountError::Changed { kind: "user", name: self.username.clone() };
        if let Some(home) = now.apply(&self.outlook, changed, cx).await? {
            self.make_home(cx, home).await?;
        }
        Ok(Status::new())
    }
}
