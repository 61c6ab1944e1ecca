//! `user.user`: that a user is there, or not.

mod comment;
mod expiry;
mod group;
mod groups;
mod home;
mod password;
mod password_ages;
mod removal;
mod ssh_key;
mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind, Secret};
use jiff::Timestamp;

pub use task::User;

use super::attribute::Attribute;
use super::change::AccountChange;
use super::name::{given, refused_names, renamed};
use expiry::Day;
use group::GroupRef;
use groups::Groups;
use password::Password;
use password_ages::Ages;
use task::DeclaredUser;

/// Makes, changes or removes a user.
///
/// The work is done by `useradd`, `usermod`, `userdel`, `chpasswd` and `chage`. Only what is written is managed: without `uid` a
/// new user gets a free one, and that of a user who is there stays. Changing what is already so does nothing.
///
/// A plan in which a resource that this one depends on has changes says *may change* where the machine as it
/// is now stands in the way: a group that does not exist yet, an id that still belongs to somebody.
#[derive(Debug, Preparer)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field that modules write")]
#[preparer(name = "user.user", task = User, validate, lock = "accounts", example = "example.hcl")]
pub struct UserPreparer {
    /// Login name.
    #[hcl(
        required,
        nonempty,
        manages = "user",
        touches = "group, ids at users and groups",
        pattern = "^[^-+~:,/\\s][^:,/\\s]*$",
        expects = "the name of a user: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    username: String,
    /// The login name that the user is to have: `username` is renamed to it. Where there is a user of this
    /// name and none named `username`, that has happened already. Where there is neither, the user is
    /// made with the new name. The home directory stays where it is; `home_dir` and `move_dir` move it.
    #[hcl(
        manages = "user",
        pattern = "^([^-+~:,/\\s][^:,/\\s]*)?$",
        expects = "the name of a user: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    new_username: Option<String>,
    /// User id. When it changes, `usermod` gives the files in the home directory to the new id; other files
    /// keep the old one. With `state = "absent"` the user is removed only when it has this id.
    #[hcl(max = 4_294_967_294)]
    uid: Option<u32>,
    /// Primary group, by name. It must exist. Without it and `gid`, `useradd` decides: on most machines it
    /// makes a group with the name of the user.
    #[hcl(mutually_exclusive = "groupname,gid", needs = "group:name")]
    groupname: Option<String>,
    /// Primary group, by id. It must exist.
    #[hcl(mutually_exclusive = "groupname,gid", max = 4_294_967_294)]
    gid: Option<u32>,
    /// Full name or description, the comment in `/etc/passwd`. What the comment holds after a first comma
    /// (a room, phone numbers) is left alone unless this text has a comma too.
    #[hcl(
        mutually_exclusive = "name,gecos",
        pattern = "^[^:\\n]*$",
        expects = "a full name or description: one line without a colon"
    )]
    name: Option<String>,
    /// The whole comment in `/etc/passwd`, with what follows the name after commas. An empty text leaves none.
    #[hcl(
        mutually_exclusive = "name,gecos",
        pattern = "^[^:\\n]*$",
        expects = "a comment: one line without a colon"
    )]
    gecos: Option<String>,
    /// Path of the login shell. Without it, a new user gets the one that `useradd` gives.
    #[hcl(pattern = "^(/[^:\\n]*)?$", expects = "an absolute path without a colon", needs = "path")]
    shell: Option<String>,
    /// Groups that the user is in beside the primary one, by name. They must exist. Other groups that the user is in stay unless
    /// `exact_groups` says otherwise. Without it, they are not managed.
    #[hcl(needs = "group:name", touches = "group")]
    groups: Option<Vec<String>>,
    /// Whether the user is in no other group beside the primary one.
    #[hcl(default, requires = "groups")]
    exact_groups: bool,
    /// The password, as the hash that is kept of it: `$y$..`, `$6$..` and the like, as `mkpasswd` or `openssl passwd -6` print it, or
    /// `*` for none. Hashes of DES are refused: a password of 13 letters looks like one. Comparing it needs root. A user who is locked
    /// stays so, unless `lock` says otherwise.
    #[hcl(
        sensitive,
        pattern = "^(\\*|\\$(1|2[abxy]|3|5|6|7|y|gy|sha1)\\$[A-Za-z0-9./$,=_+-]{20,})$",
        expects = "a hash of a password, as `openssl passwd -6` prints it, or `*` for no password"
    )]
    password_hash: Option<Secret<String>>,
    /// Whether `password_hash` is only for a user who has no password yet, as a new one: a password that was changed since stays.
    #[hcl(default, requires = "password_hash")]
    password_on_create: bool,
    /// Whether `password_hash`, while it is the password of the user, has to be changed at the next login. What the user changes it to
    /// stays with `password_on_create`.
    #[hcl(default, requires = "password_hash")]
    change_password: bool,
    /// How many days a password must be kept before it can be changed; -1 for no limit. Comparing this and what follows needs root, as only
    /// root may read `/etc/shadow`.
    #[hcl(min = -1, max = 99_999)]
    password_min_days: Option<i32>,
    /// After how many days a password has to be changed; -1 for never.
    #[hcl(min = -1, max = 99_999)]
    password_max_days: Option<i32>,
    /// How many days before that the user is warned; -1 for no warning.
    #[hcl(min = -1, max = 99_999)]
    password_warn_days: Option<i32>,
    /// After how many more days a password that has to be changed is no longer taken; -1 for never.
    #[hcl(min = -1, max = 99_999)]
    password_inactive_days: Option<i32>,
    /// Whether the password is locked, so that no password is right; keys of SSH still are. Without it, that is not managed.
    /// A new user without a password is locked, and one who has none cannot be unlocked.
    lock: Option<bool>,
    /// Whether a new user is one of the system: its id is from the range for those. One who is there keeps the id.
    #[hcl(default)]
    system: bool,
    /// Whether the home directory is made when it is not there. Without it, a new user gets none, whatever
    /// the machine's own default is. A directory that is there is not touched.
    #[hcl(default, ensures = "path:existence of home_dir", touches = "path:tree of home_dir")]
    create_home: bool,
    /// Directory whose content is copied into a home directory that is made; it needs `create_home`. Without
    /// it, that is what `SKEL` in `/etc/default/useradd` says, and otherwise `/etc/skel`.
    #[hcl(requires = "create_home", needs = "path:tree")]
    skel_dir: Option<String>,
    /// Path of the home directory. Without it, a new user gets a directory of its name in `/home`, or where
    /// `HOME` in `/etc/default/useradd` says.
    #[hcl(pattern = "^(/[^:\\n]*)?$", expects = "an absolute path without a colon")]
    home_dir: Option<String>,
    /// Whether what is in the home directory moves along when `home_dir` changes. It needs `home_dir`, and
    /// there must be nothing at the new path.
    #[hcl(default, touches = "path:tree of home_dir")]
    move_dir: bool,
    /// Whether the user gets a key of SSH: without `.ssh/id_ed25519` in the home directory, `ssh-keygen` makes one without a
    /// passphrase. The home directory must be there, or be made by `create_home`.
    #[hcl(default, touches = "path:tree of home_dir")]
    ssh_key: bool,
    /// Whether the home directory is removed together with the user, and the mail. It is refused where the directory is not the
    /// user's own.
    #[hcl(default, touches = "path:tree of home_dir")]
    remove_home: bool,
    /// The day on which the account expires, in UTC, not before 1970. Comparing it needs root, as only root may read
    /// `/etc/shadow`.
    expiry: Option<Timestamp>,
    /// Whether the user is to exist. The home directory of a user who is removed stays, unless `remove_home` is true.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl Validate for UserPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
        let needs = |field: &str, needs: &str| {
            let kind = FieldErrorKind::Requires { field: field.to_owned(), needs: needs.to_owned() };
            Err(vec![FieldError::new(field, kind)])
        };
        if self.move_dir && !is_given(&self.home_dir) {
            return needs("move_dir", "home_dir");
        }
        if is_given(&self.skel_dir) && !self.create_home {
            return needs("skel_dir", "create_home");
        }
        if self.expiry.is_some_and(|expiry| Day::of(expiry).is_never()) {
            let message =
                "a day before 1970-01-01 means that the account never expires: leave `expiry` out".to_owned();
            return Err(vec![FieldError::new("expiry", FieldErrorKind::Invalid { message })]);
        }
        match refused_names("groups", "group", self.groups.as_deref().unwrap_or_default()) {
            errors if errors.is_empty() => Ok(()),
            errors => Err(errors),
        }
    }
}

impl Resource for UserPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<User> {
        let (groupname, home_dir) = (given(self.groupname), given(self.home_dir));
        let group = groupname.clone().map(GroupRef::Name).or(self.gid.map(GroupRef::Id));
        Ok(User {
            new_username: renamed(&self.username, self.new_username),
            username: self.username,
            uid: Attribute::Known(self.uid),
            groupname: Attribute::Known(groupname),
            gid: Attribute::Known(self.gid),
            name: given(self.name),
            shell: given(self.shell),
            create_home: self.create_home,
            skel_dir: given(self.skel_dir),
            wanted: DeclaredUser {
                uid: self.uid,
                group,
                groups: self.groups.map(|names| Groups { names, exact: self.exact_groups }),
                gecos: self.gecos,
                home: home_dir.clone(),
                expiry: self.expiry.map(Day::of),
                password: Password {
                    hash: self.password_hash,
                    on_create: self.password_on_create,
                    lock: self.lock,
                },
                ages: Ages {
                    min: self.password_min_days,
                    max: self.password_max_days,
                    warn: self.password_warn_days,
                    inactive: self.password_inactive_days,
                    must_change: self.change_password,
                },
                system: self.system,
                ssh_key: self.ssh_key,
                remove_home: self.remove_home,
            },
            home_dir,
            move_dir: self.move_dir,
            expiry: self.expiry,
            state: self.state,
            ssh_public_key: None,
            change: AccountChange::default(),
        })
    }
}
