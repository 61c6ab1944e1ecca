mod inspect;

use std::path::{Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{self, Follow, Ownership};
use jiff::Timestamp;

use super::expiry::Day;
use super::group::GroupRef;
use super::groups::Groups;
use super::home::{self, NewHome};
use super::password::Password;
use super::password_ages::Ages;
use super::ssh_key;
use crate::platform;
use crate::user::attribute::Attribute;
use crate::user::change::{AccountChange, Options, Remaining};
use crate::user::defaults::Defaults;
use crate::user::error;
use crate::user::run;
use crate::user::tool::{self, AccountTool};

/// The task of a `user.user` resource.
#[derive(Debug, Export)]
pub struct User {
    /// The login name, as the module gives it.
    #[export]
    pub(super) username: String,
    /// The new login name after a rename; null without one.
    #[export(name = "newusername")]
    pub(super) new_username: Option<String>,
    /// The user id: the declared one, or that of the user on the machine.
    ///
    /// It is known only after the apply for a new user without a declared id.
    #[export]
    pub(super) uid: Attribute<u32>,
    /// The name of the primary group: the declared one, or that of the user on the machine.
    #[export]
    pub(super) groupname: Attribute<String>,
    /// The id of the primary group: the declared one, or that of the user on the machine.
    #[export]
    pub(super) gid: Attribute<u32>,
    /// The full name or description, as the module gives it.
    #[export]
    pub(super) name: Option<String>,
    /// The path of the login shell, as the module gives it.
    #[export]
    pub(super) shell: Option<String>,
    /// Whether a missing home directory is created.
    #[export(name = "createhome")]
    pub(super) create_home: bool,
    /// The directory whose content is copied into a new home directory, as the module gives it.
    #[export(name = "skeldir")]
    pub(super) skel_dir: Option<String>,
    /// The path of the home directory: the declared one, that of the user, or the default for a new user.
    #[export(name = "homedir")]
    pub(super) home_dir: Option<String>,
    /// Whether the content of the home directory is moved.
    #[export(name = "movedir")]
    pub(super) move_dir: bool,
    /// The day on which the account expires, as the module gives it.
    #[export]
    pub(super) expiry: Option<Timestamp>,
    /// Whether the user is to exist: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    /// The line of the public key that `ssh_key` creates or has created; null without `ssh_key`.
    #[export(name = "sshpublickey", computed)]
    pub(super) ssh_public_key: Option<String>,
    pub(super) wanted: DeclaredUser,
    pub(super) change: AccountChange,
}

/// The declared values; exports also contain values that were found.
#[derive(Debug)]
pub(super) struct DeclaredUser {
    pub(super) uid: Option<u32>,
    pub(super) group: Option<GroupRef>,
    pub(super) groups: Option<Groups>,
    pub(super) gecos: Option<String>,
    pub(super) home: Option<String>,
    pub(super) expiry: Option<Day>,
    pub(super) password: Password,
    pub(super) ages: Ages,
    pub(super) system: bool,
    pub(super) ssh_key: bool,
    pub(super) remove_home: bool,
}

impl User {
    /// Returns the login name of the user after the apply.
    fn final_name(&self) -> &str {
        self.new_username.as_deref().unwrap_or(&self.username)
    }

    /// Completes values that the module leaves to the machine.
    async fn resolve_attributes(&mut self, cx: &Context, user: Option<&system::User>) -> Result<()> {
        // A removed user has no ids in the end, so the present ones are not exported.
        let user = user.filter(|_| self.state == Ensure::Present);
        let group = match (&self.wanted.group, user) {
            (Some(group), _) => group.find(cx).await?,
            (None, Some(user)) => cx.system().users().group_by_gid(user.gid).await?,
            (None, None) => None,
        };
        let is_chosen = user.is_none() && self.state == Ensure::Present;
        let unknown = || AccountTool::UserAdd.program();
        self.uid = match self.wanted.uid.or(user.map(|user| user.uid)) {
            None if is_chosen => Attribute::ChosenBy(unknown()),
            uid => Attribute::Known(uid),
        };
        (self.groupname, self.gid) = match (group, &self.wanted.group) {
            (Some(group), _) => (Attribute::Known(Some(group.name)), Attribute::Known(Some(group.gid))),
            // A pending change may create the group.
            (None, Some(GroupRef::Name(name))) => {
                (Attribute::Known(Some(name.clone())), Attribute::ChosenBy(AccountTool::GroupAdd.program()))
            }
            (None, Some(GroupRef::Id(gid))) => {
                (Attribute::ChosenBy(AccountTool::GroupAdd.program()), Attribute::Known(Some(*gid)))
            }
            (None, None) if is_chosen => (Attribute::ChosenBy(unknown()), Attribute::ChosenBy(unknown())),
            (None, None) => (Attribute::Known(None), Attribute::Known(user.map(|user| user.gid))),
        };
        self.home_dir = match (&self.wanted.home, user) {
            (Some(home), _) => Some(home.clone()),
            (None, Some(user)) => Some(user.home.to_string_lossy().into_owned()),
            (None, None) if self.state == Ensure::Absent => None,
            (None, None) => {
                let home = Defaults::read(cx).await?.home_of(self.final_name());
                Some(home.to_string_lossy().into_owned())
            }
        };
        Ok(())
    }

    /// Returns the user after the programs have run.
    async fn find_user(&self, cx: &Context) -> Result<system::User> {
        let name = self.final_name();
        let user = cx.system().users().user_by_name(name).await?;
        user.ok_or_else(|| Error::NotFound { kind: "user", name: name.to_owned() })
    }

    /// Registers the old home directory again, if its content has not moved.
    ///
    /// `usermod` registers the new one first. Without this, the next check would take the record for the fact.
    async fn take_back_home(&self, cx: &Context, from: &Path) -> Result<()> {
        let files = cx.system().files();
        let Some(user) = cx.system().users().user_by_name(self.final_name()).await? else { return Ok(()) };
        let is_here =
            async |path: &Path| Ok::<_, Error>(files.metadata(path, Follow::Links).await?.is_some());
        if user.home == from || is_here(&user.home).await? || !is_here(from).await? {
            return Ok(());
        }
        let mut options = Options::default();
        options.value("--home", &from.display());
        run::run(cx, &options.run(AccountTool::UserMod, &user.name)).await
    }

    /// Creates the home directory of an existing user.
    async fn make_home(&self, cx: &Context, path: PathBuf) -> Result<()> {
        let user = self.find_user(cx).await?;
        let defaults = Defaults::read(cx).await?;
        let skeleton = self.skel_dir.as_deref().map_or(defaults.skeleton.as_path(), Path::new);
        let owner = Ownership { uid: Some(user.uid), gid: Some(user.gid) };
        NewHome { path: &path, skeleton, owner }.make(cx, &defaults).await
    }
}

impl Task for User {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        platform::only_on_linux(cx, "user.user", tool::ONLY_LINUX)?;
        self.change = self.inspect(cx).await?;
        self.change.report(cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let current = self.inspect(cx).await?;
        let changed = || error::changed("user", &self.username);
        let moved = current.moved.clone().filter(|_| current.moved == self.change.moved);
        if let (Some(_), Some(parent)) =
            (&moved, self.wanted.home.as_deref().and_then(|to| Path::new(to).parent()))
        {
            home::make_parents(cx.system().files(), parent).await?;
        }
        let applied = current.apply(&self.change, changed, cx).await;
        if let (Err(_), Some(from)) = (&applied, &moved) {
            self.take_back_home(cx, from).await?;
        }
        let Remaining { home, ssh_key } = applied?;
        if let Some(home) = home {
            self.make_home(cx, home).await?;
        }
        if let Some(home) = ssh_key {
            ssh_key::make(cx, &home, &self.find_user(cx).await?).await?;
        }
        Ok(Status::new())
    }
}
