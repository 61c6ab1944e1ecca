//! Translation between names and ids of users and groups.

use std::collections::BTreeSet;

use converge_sdk::prelude::*;
use converge_sdk::system::Users;

/// The user or the group database of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Database {
    Users,
    Groups,
}

impl Database {
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Users => "user",
            Self::Groups => "group",
        }
    }

    pub(crate) fn id_label(self) -> &'static str {
        match self {
            Self::Users => "UID",
            Self::Groups => "GID",
        }
    }

    /// Whether a pending change that the resource depends on may change an entry, and so the id of a name.
    pub(crate) fn is_pending(self, cx: &Context) -> bool {
        cx.is_pending(match self {
            Self::Users => "user.user",
            Self::Groups => "user.group",
        })
    }

    pub(crate) async fn id_of(self, users: &dyn Users, name: &str) -> Result<Option<u32>> {
        Ok(match self {
            Self::Users => users.user_by_name(name).await?.map(|user| user.uid),
            Self::Groups => users.group_by_name(name).await?.map(|group| group.gid),
        })
    }

    pub(crate) async fn name_of(self, users: &dyn Users, id: u32) -> Result<Option<String>> {
        Ok(match self {
            Self::Users => users.user_by_uid(id).await?.map(|user| user.name),
            Self::Groups => users.group_by_gid(id).await?.map(|group| group.name),
        })
    }
}

/// A description of several ids, for messages.
#[derive(Debug)]
pub(crate) struct Described {
    pub(crate) numbers: String,
    /// The names of those ids that have one.
    pub(crate) names: String,
}

/// Describes the first few of `ids`; a tree may have thousands of owners.
pub(crate) async fn describe(
    database: Database,
    users: &dyn Users,
    ids: &BTreeSet<u32>,
) -> Result<Described> {
    const SHOWN: usize = 5;
    let mut numbers: Vec<String> = ids.iter().take(SHOWN).map(u32::to_string).collect();
    let mut names = Vec::new();
    for id in ids.iter().take(SHOWN) {
        names.extend(database.name_of(users, *id).await?);
    }
    if ids.len() > SHOWN {
        numbers.push("..".to_owned());
        names.push("..".to_owned());
    }
    Ok(Described { numbers: numbers.join(", "), names: names.join(", ") })
}
