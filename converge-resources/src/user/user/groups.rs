//! The supplementary groups of a user.

use std::collections::BTreeSet;

use converge_sdk::prelude::*;

use super::group::GroupRef;
use crate::user::MEMBER;
use crate::user::change::{AccountChange, Options};

#[derive(Debug)]
pub(super) struct Groups {
    pub(super) names: Vec<String>,
    /// Whether all other groups are removed.
    pub(super) exact: bool,
}

/// An existing user.
pub(super) struct Member<'a> {
    pub(super) name: &'a str,
    /// The primary group of the user after the apply.
    pub(super) primary: GroupRef,
}

impl Groups {
    pub(super) async fn plan(
        &self,
        cx: &Context,
        user: Option<Member<'_>>,
        options: &mut Options,
        change: &mut AccountChange,
    ) -> Result<()> {
        let mut target = BTreeSet::new();
        for name in &self.names {
            let group = GroupRef::Name(name.clone());
            if group.find(cx).await?.is_none() {
                change.obstacles.push(group.missing());
            }
            target.insert(name.clone());
        }
        let (mut current, mut primary) = (BTreeSet::new(), None);
        if let Some(user) = &user {
            for group in cx.system().users().local_groups().await? {
                if group.members.iter().any(|member| member == user.name) {
                    current.insert(group.name);
                }
            }
            primary = user.primary.find(cx).await?.map(|group| group.name);
        }
        let is_in = |name: &String| current.contains(name) || primary.as_ref() == Some(name);
        let is_declared = |name: &str| {
            let member = user.as_ref().map(|user| format!("{name}/{}", user.name));
            member.is_some_and(|member| cx.declared().is_provided(MEMBER, &member))
        };
        let is_other = |name: &&String| self.exact && !target.contains(*name) && !is_declared(name.as_str());
        if target.iter().all(is_in) && !current.iter().any(|name| is_other(&name)) {
            return Ok(());
        }
        let rest = current.iter().filter(|name| !is_other(name));
        let after: BTreeSet<&String> = rest.chain(&target).collect();
        change.differs("groups", listed(&current), listed(after.iter().copied()));
        let names: Vec<&str> = if self.exact {
            after.into_iter().map(String::as_str).collect()
        } else {
            target.iter().map(String::as_str).collect()
        };
        options.value("--groups", &names.join(","));
        if user.is_some() && !self.exact {
            options.flag("--append");
        }
        Ok(())
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.join(", ")
}
