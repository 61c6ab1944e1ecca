//! The `user.user` resource: a user who is present or absent.

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

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind, Secret};

pub use task::User;

use super::MEMBER;
use super::attribute::Attribute;
use super::change::AccountChange;
use super::name::{effective_new_name, name_errors, non_empty};
use expiry::Expiry;
use group::GroupRef;
use groups::Groups;
use password::Password;
use password_ages::Ages;
use task::DeclaredUser;

/// Creates, changes or removes a user.
///
/// The programs `useradd`, `usermod`, `userdel`, `chpasswd` and `chage` do the work. Only declared fields are
/// managed: without `uid`, a new user gets a free id, and an existing user keeps the own one. Values that are
/// as declared are not changed.
///
/// If a dependency has pending changes, a plan says *may change* for obstacles on the present machine: a
/// group that does not exist yet, or an id that still belongs to another user.
#[derive(Debug, Preparer)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field that modules write")]
#[preparer(name = "user.user", task = User, validate, footprint, lock = "accounts", example = "example.hcl")]
#[preparer(at_most_one = "groupname,gid", at_most_one = "name,gecos")]
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
    /// The new login name: `username` is renamed to it.
    ///
    /// If a user of this name exists and none named `username`, the rename has happened already. If neither
    /// exists, the user is created with the new name. The home directory stays where it is; `home_dir` and
    /// `move_dir` move it.
    #[hcl(
        nonempty,
        manages = "user",
        pattern = "^([^-+~:,/\\s][^:,/\\s]*)?$",
        expects = "the name of a user: it has no spaces and none of : , / and does not begin with - + ~"
    )]
    new_username: Option<String>,
    /// User id.
    ///
    /// When the id changes, `usermod` gives the files in the home directory to the new id; other files keep
    /// the old one. With `state = "absent"`, the user is removed only if it has this id.
    #[hcl(max = 4_294_967_294)]
    uid: Option<u32>,
    /// Primary group, by name.
    ///
    /// It must exist. Without it and `gid`, `useradd` decides: on most machines it creates a group with the
    /// name of the user.
    #[hcl(nonempty, needs = "group:name")]
    groupname: Option<String>,
    /// Primary group, by id. It must exist.
    #[hcl(max = 4_294_967_294)]
    gid: Option<u32>,
    /// Full name or description: the comment in `/etc/passwd`.
    ///
    /// The part of the comment after the first comma (a room, phone numbers) stays, unless this text has a
    /// comma too.
    #[hcl(
        nonempty,
        pattern = "^[^:\\n]*$",
        expects = "a full name or description: one line without a colon"
    )]
    name: Option<String>,
    /// The whole comment in `/etc/passwd`, including the fields after commas. An empty text removes it.
    #[hcl(pattern = "^[^:\\n]*$", expects = "a comment: one line without a colon")]
    gecos: Option<String>,
    /// Path of the login shell. Without it, a new user gets the default of `useradd`.
    #[hcl(
        nonempty,
        pattern = "^(/[^:\\n]*)?$",
        expects = "an absolute path without a colon",
        needs = "path"
    )]
    shell: Option<String>,
    /// Supplementary groups of the user, by name.
    ///
    /// They must exist. Other groups stay unless `exact_groups` is set. Without this field, supplementary
    /// groups are not managed.
    #[hcl(needs = "group:name", touches = "group")]
    groups: Option<Vec<String>>,
    /// Whether the user is removed from all other supplementary groups.
    #[hcl(default, requires = "groups")]
    exact_groups: bool,
    /// The password, as its hash: `$y$..`, `$6$..` and similar, or `*` for none.
    ///
    /// `mkpasswd` or `openssl passwd -6` print such a hash. DES hashes are refused: a password of 13 letters
    /// looks like one. The comparison needs root. A locked user stays locked, unless `lock` is given.
    #[hcl(
        sensitive,
        pattern = "^(\\*\
                   |\\$1\\$[^$:\\s]{0,8}\\$[A-Za-z0-9./]{22}\
                   |\\$2[abxy]\\$[0-9]{2}\\$[A-Za-z0-9./]{53}\
                   |\\$3\\$\\$[0-9a-f]{32}\
                   |\\$5\\$(rounds=[0-9]+\\$)?[^$:\\s]{0,16}\\$[A-Za-z0-9./]{43}\
                   |\\$6\\$(rounds=[0-9]+\\$)?[^$:\\s]{0,16}\\$[A-Za-z0-9./]{86}\
                   |\\$7\\$[A-Za-z0-9./]{11,97}\\$[A-Za-z0-9./]{43}\
                   |\\$g?y\\$[A-Za-z0-9./]+\\$[A-Za-z0-9./]{0,86}\\$[A-Za-z0-9./]{43}\
                   |\\$sha1\\$[0-9]+\\$[A-Za-z0-9./]{1,64}\\$[A-Za-z0-9./]{28})$",
        expects = "a hash of a password, as `openssl passwd -6` prints it, or `*` for no password"
    )]
    password_hash: Option<Secret<String>>,
    /// Whether `password_hash` is set only for a user without a password, such as a new one.
    ///
    /// A password that was changed since stays.
    #[hcl(default, requires = "password_hash")]
    password_on_create: bool,
    /// Whether `password_hash` has to be changed at the next login.
    ///
    /// This holds as long as it is the password of the user. With `password_on_create`, the user's new
    /// password stays.
    #[hcl(default, requires = "password_hash")]
    change_password: bool,
    /// The number of days that a password must be kept before it can be changed; -1 for no limit.
    ///
    /// Comparing this field and the following ones needs root, because only root may read `/etc/shadow`.
    #[hcl(min = -1, max = 99_999)]
    password_min_days: Option<i32>,
    /// The number of days after which a password has to be changed; -1 for never.
    #[hcl(min = -1, max = 99_999)]
    password_max_days: Option<i32>,
    /// The number of days before that on which the user is warned; -1 for no warning.
    #[hcl(min = -1, max = 99_999)]
    password_warn_days: Option<i32>,
    /// The number of further days after which an expired password is no longer accepted; -1 for never.
    #[hcl(min = -1, max = 99_999)]
    password_inactive_days: Option<i32>,
    /// Whether the password is locked, so that no password is accepted; SSH keys still are.
    ///
    /// Without this field, the lock is not managed. A new user without a password is locked, and a user
    /// without a password cannot be unlocked.
    lock: Option<bool>,
    /// Whether a new user is a system user, with an id from the range for these.
    ///
    /// An existing user keeps the id.
    #[hcl(default)]
    system: bool,
    /// Whether a missing home directory is created.
    ///
    /// Without it, a new user gets none, whatever the default of the machine is. An existing directory is not
    /// changed.
    #[hcl(default, ensures = "path:existence of home_dir", touches = "path:tree of home_dir")]
    create_home: bool,
    /// Directory whose content is copied into a new home directory; it needs `create_home`.
    ///
    /// The default is `SKEL` in `/etc/default/useradd`, or else `/etc/skel`.
    #[hcl(nonempty, requires = "create_home", needs = "path:tree")]
    skel_dir: Option<String>,
    /// Path of the home directory.
    ///
    /// Without it, a new user gets a directory with the login name in `/home`, or in `HOME` of
    /// `/etc/default/useradd`.
    #[hcl(
        nonempty,
        pattern = "^(/[^:\\n]*)?$",
        expects = "an absolute path without a colon",
        touches = "home_dir"
    )]
    home_dir: Option<String>,
    /// Whether the content of the home directory is moved when `home_dir` changes.
    ///
    /// It needs `home_dir`, and the new path must not exist. Missing folders above it are made. If the move
    /// fails, the old directory stays registered.
    #[hcl(default, touches = "path:tree of home_dir")]
    move_dir: bool,
    /// Whether the user gets an SSH key.
    ///
    /// If `.ssh/id_ed25519` in the home directory is missing, `ssh-keygen` creates it without a passphrase.
    /// The home directory must exist, or be created by `create_home`.
    #[hcl(default, touches = "path:tree of home_dir")]
    ssh_key: bool,
    /// Whether the home directory and the mail are removed together with the user.
    ///
    /// This is refused if the directory is not the user's own.
    #[hcl(default, touches = "path:tree of home_dir")]
    remove_home: bool,
    /// The day on which the account expires, in UTC, not before 1970; `"never"` or an empty text for none.
    ///
    /// The comparison needs root, because only root may read `/etc/shadow`.
    expiry: Option<Expiry>,
    /// Whether the user is to exist.
    ///
    /// The home directory of a removed user stays, unless `remove_home` is set.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl HasFootprint for UserPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if !self.state.is_present() {
            return;
        }
        footprint.covers |= self.exact_groups;
        if let Some(uid) = self.uid {
            footprint.sets("user_id", &uid.to_string(), &self.username);
        }
        for group in self.groups.iter().flatten() {
            footprint.ensures(MEMBER, &format!("{group}/{}", self.username));
        }
    }
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
        match name_errors("groups", "group", self.groups.as_deref().unwrap_or_default()) {
            errors if errors.is_empty() => Ok(()),
            errors => Err(errors),
        }
    }
}

impl Resource for UserPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<User> {
        let (groupname, home_dir) = (non_empty(self.groupname), non_empty(self.home_dir));
        let group = groupname.clone().map(GroupRef::Name).or(self.gid.map(GroupRef::Id));
        Ok(User {
            new_username: effective_new_name(&self.username, self.new_username),
            username: self.username,
            uid: Attribute::Known(self.uid),
            groupname: Attribute::Known(groupname),
            gid: Attribute::Known(self.gid),
            name: non_empty(self.name),
            shell: non_empty(self.shell),
            create_home: self.create_home,
            skel_dir: non_empty(self.skel_dir),
            wanted: DeclaredUser {
                uid: self.uid,
                group,
                groups: self.groups.map(|names| Groups { names, exact: self.exact_groups }),
                gecos: self.gecos,
                home: home_dir.clone(),
                expiry: self.expiry.map(Expiry::day),
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
            expiry: self.expiry.and_then(Expiry::time),
            state: self.state,
            ssh_public_key: None,
            change: AccountChange::default(),
        })
    }
}
