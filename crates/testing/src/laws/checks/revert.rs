//! The single changes between two machines, each of which can be taken back alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::description;
use crate::system::{Entry, EntryKind, Group, Machine, User};

/// A single difference between the machines before and after an apply.
#[derive(Debug)]
pub(super) enum Single {
    /// The path did not exist before.
    Made(PathBuf, Entry),
    /// The path existed before, and is gone or has another kind now.
    Replaced(PathBuf, Entry, Option<Entry>),
    /// One aspect (content, mode, owner or group) of an existing path changed.
    Aspect(PathBuf, &'static str, Entry, Entry),
    User(String, Option<User>),
    Group(String, Option<Group>),
    Fact(String, Option<String>),
}

/// Returns all single changes, files first.
pub(super) fn singles(before: &Machine, after: &Machine) -> Vec<Single> {
    let mut singles = Vec::new();
    let (old, new) = (before.entries(), after.entries());
    for path in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
        match (old.get(path), new.get(path)) {
            (None, Some(is)) => singles.push(Single::Made(path.clone(), is.clone())),
            (Some(was), None) => singles.push(Single::Replaced(path.clone(), was.clone(), None)),
            (Some(was), Some(is))
                if std::mem::discriminant(&was.kind) != std::mem::discriminant(&is.kind) =>
            {
                singles.push(Single::Replaced(path.clone(), was.clone(), Some(is.clone())));
            }
            // The path was a name of a file with several hard links, so reverting one aspect would change the
            // other names too.
            (Some(was), Some(is))
                if was.links != is.links
                    && (&was.kind, was.mode, was.uid, was.gid) != (&is.kind, is.mode, is.uid, is.gid) =>
            {
                singles.push(Single::Replaced(path.clone(), was.clone(), Some(is.clone())));
            }
            (Some(was), Some(is)) => {
                let aspect = |name, differs: bool| {
                    differs.then(|| Single::Aspect(path.clone(), name, was.clone(), is.clone()))
                };
                singles.extend(aspect("content", was.kind != is.kind));
                let owned = (was.uid, was.gid) != (is.uid, is.gid);
                // The kernel clears the set-user-id and set-group-id bits of a file when its owner changes.
                let set_ids = owned && was.mode & 0o1777 == is.mode & 0o1777;
                singles.extend(aspect("mode", was.mode != is.mode && !set_ids));
                singles.extend(aspect("owner", was.uid != is.uid));
                singles.extend(aspect("group", was.gid != is.gid));
            }
            (None, None) => {}
        }
    }
    let names = |machine: &Machine| machine.users().map(|user| user.name.clone()).collect::<BTreeSet<_>>();
    for name in names(before).union(&names(after)) {
        if before.user(name) != after.user(name) && !is_renumbered(before, after, name) {
            singles.push(Single::User(name.clone(), before.user(name).cloned()));
        }
    }
    let names = |machine: &Machine| machine.groups().map(|group| group.name.clone()).collect::<BTreeSet<_>>();
    for name in names(before).union(&names(after)) {
        if before.group(name) != after.group(name) {
            singles.push(Single::Group(name.clone(), before.group(name).cloned()));
        }
    }
    let names = |machine: &Machine| machine.facts().map(|(name, _)| name.to_owned()).collect::<BTreeSet<_>>();
    for name in names(before).union(&names(after)) {
        if before.fact(name) != after.fact(name) {
            singles.push(Single::Fact(name.clone(), before.fact(name).map(str::to_owned)));
        }
    }
    singles
}

/// Whether only the number of the user's primary group changed because the group was renumbered.
fn is_renumbered(before: &Machine, after: &Machine, user: &str) -> bool {
    let (Some(was), Some(is)) = (before.user(user), after.user(user)) else { return false };
    let had_old = before.groups().any(|group| group.gid == was.gid);
    let lost_old = !after.groups().any(|group| group.gid == was.gid);
    let has_new = after.groups().any(|group| group.gid == is.gid);
    had_old && lost_old && has_new && User { gid: is.gid, ..was.clone() } == *is
}

impl Single {
    pub(super) fn take_back(&self, machine: &mut Machine) {
        match self {
            Self::Made(path, _) => machine.remove(path),
            Self::Replaced(path, was, _) | Self::Aspect(path, "content", was, _) => {
                // The content of an existing directory stays.
                let (mode, uid, gid) = match self {
                    Self::Aspect(_, _, _, is) => (is.mode, is.uid, is.gid),
                    _ => (was.mode, was.uid, was.gid),
                };
                match &was.kind {
                    EntryKind::File(bytes) => machine.put_file(path, bytes.clone()),
                    EntryKind::Symlink(target) => machine.put_symlink(path, target.clone()),
                    EntryKind::Directory => {
                        machine.remove(path);
                        machine.put_dir(path);
                    }
                }
                machine.put_mode(path, mode);
                machine.put_owner(path, uid, gid);
            }
            Self::Aspect(path, "mode", was, _) => machine.put_mode(path, was.mode),
            Self::Aspect(path, "owner", was, is) => machine.put_owner(path, was.uid, is.gid),
            Self::Aspect(path, _, was, is) => machine.put_owner(path, is.uid, was.gid),
            Self::User(name, None) => drop(machine.remove_user(name)),
            Self::User(_, Some(user)) => machine.put_user(user.clone()),
            Self::Group(name, None) => drop(machine.remove_group(name)),
            Self::Group(_, Some(group)) => machine.put_group(group.clone()),
            Self::Fact(name, None) => drop(machine.remove_fact(name)),
            Self::Fact(name, Some(value)) => machine.put_fact(name, value),
        }
    }

    pub(super) fn description(&self) -> String {
        match self {
            Self::Made(path, is) => format!("has made {}: {}", path.display(), description::entry(is)),
            Self::Replaced(path, was, None) => {
                format!("has removed {}, which was {}", path.display(), description::entry(was))
            }
            Self::Replaced(path, was, Some(is)) => {
                format!(
                    "has replaced {} by {} at {}",
                    description::entry(was),
                    description::entry(is),
                    path.display()
                )
            }
            Self::Aspect(path, "mode", was, is) => {
                format!("has changed the mode of {} from {:04o} to {:04o}", path.display(), was.mode, is.mode)
            }
            Self::Aspect(path, "owner", was, is) => {
                format!("has changed the owner of {} from {} to {}", path.display(), was.uid, is.uid)
            }
            Self::Aspect(path, "group", was, is) => {
                format!("has changed the group of {} from {} to {}", path.display(), was.gid, is.gid)
            }
            Self::Aspect(path, ..) => format!("has changed what is in {}", path.display()),
            Self::User(name, _) => format!("has changed the user {name:?}"),
            Self::Group(name, _) => format!("has changed the group {name:?}"),
            Self::Fact(name, _) => format!("has changed the fact {name:?}"),
        }
    }

    pub(super) fn created_path(&self) -> Option<&Path> {
        match self {
            Self::Made(path, _) => Some(path),
            _ => None,
        }
    }

    /// Whether the change is below this path, or concerns a name with this prefix.
    pub(super) fn is_of(&self, subject: &str) -> bool {
        match self {
            Self::Made(path, _) | Self::Replaced(path, ..) | Self::Aspect(path, ..) => {
                path.starts_with(subject)
            }
            Self::User(name, _) | Self::Group(name, _) | Self::Fact(name, _) => name.starts_with(subject),
        }
    }

    pub(super) fn is_named(&self, text: &str) -> bool {
        match self {
            Self::Made(path, _) | Self::Replaced(path, ..) | Self::Aspect(path, "content", ..) => {
                description::names(text, path)
            }
            Self::Aspect(_, aspect, ..) => text.contains(aspect),
            Self::User(name, _) | Self::Group(name, _) | Self::Fact(name, _) => text.contains(name),
        }
    }
}
