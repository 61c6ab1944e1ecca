use converge_sdk::prelude::*;
use converge_sdk::system;

use crate::platform;
use crate::user::MEMBER;
use crate::user::attribute::Attribute;
use crate::user::change::{AccountChange, Certainty, Options};
use crate::user::error;
use crate::user::name::effective_new_name;
use crate::user::tool::{self, AccountTool};

/// The task of a `user.group` resource.
#[derive(Debug, Export)]
pub struct Group {
    /// The name of the group, as the module gives it.
    #[export]
    name: String,
    /// The new name after a rename; null without one.
    #[export(name = "newname")]
    new_name: Option<String>,
    /// The id of the group: the declared one, or that of the group on the machine.
    ///
    /// It is known only after the apply for a new group without a declared id.
    #[export]
    gid: Attribute<u32>,
    /// The final supplementary members of the group.
    #[export]
    members: Vec<String>,
    /// Whether the group is to exist: `present` or `absent`.
    #[export]
    state: Ensure,
    wanted: DeclaredGroup,
    change: AccountChange,
}

/// The declared values; exports also contain values that were found.
#[derive(Debug)]
pub(super) struct DeclaredGroup {
    pub(super) gid: Option<u32>,
    pub(super) system: bool,
    pub(super) members: Option<Vec<String>>,
    pub(super) exact: bool,
}

impl Group {
    pub(super) fn new(name: String, new_name: Option<String>, target: DeclaredGroup, state: Ensure) -> Self {
        Self {
            new_name: effective_new_name(&name, new_name),
            name,
            gid: Attribute::Known(target.gid),
            members: target.members.clone().unwrap_or_default(),
            state,
            wanted: target,
            change: AccountChange::default(),
        }
    }

    async fn inspect(&mut self, cx: &Context) -> Result<AccountChange> {
        let mut change = AccountChange::default();
        let groups = cx.system().users();
        let existing = groups.group_by_name(&self.name).await?;
        if self.state == Ensure::Absent {
            self.members.clear();
            // A removed group has no id in the end, so its present one is not exported.
            self.gid = Attribute::Known(self.wanted.gid);
            self.plan_absent(cx, existing, &mut change).await?;
            return Ok(change);
        }
        let renamed = match &self.new_name {
            Some(new_name) => groups.group_by_name(new_name).await?,
            None => None,
        };
        let current_gid = existing.as_ref().or(renamed.as_ref()).map(|group| group.gid);
        let members = existing.as_ref().or(renamed.as_ref()).map_or(&[][..], |group| &*group.members);
        self.members = self.final_members(cx, members);
        self.gid = match self.wanted.gid.or(current_gid) {
            Some(gid) => Attribute::Known(Some(gid)),
            None => Attribute::ChosenBy(AccountTool::GroupAdd.program()),
        };
        match (existing, renamed, &self.new_name) {
            (Some(_), Some(_), Some(new_name)) => {
                change.obstacles.push(error::both_exist("group", &self.name, new_name));
            }
            (Some(group), _, _) | (None, Some(group), _) => {
                self.plan_existing(cx, &group, &mut change).await?;
            }
            (None, None, new_name) => {
                if new_name.is_some() && !cx.pending().is_empty() {
                    change.messages.push(format!("there is no group {:?} to rename yet", self.name));
                    change.certainty = Certainty::Open;
                } else {
                    change.certainty = Certainty::Certain;
                }
                self.plan_new(cx, &mut change).await?;
            }
        }
        Ok(change)
    }

    /// Returns the name of the group after the apply.
    fn final_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or(&self.name)
    }

    async fn plan_new(&self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        let mut options = Options::default();
        change.differs("state", "absent", "present");
        change.differs("name", "", self.final_name());
        if let Some(gid) = self.wanted.gid {
            change.differs("gid", "", gid.to_string());
            options.value("--gid", &gid);
            self.check_id_is_free(cx, gid, change).await?;
        }
        if self.wanted.system {
            options.flag("--system");
        }
        change.runs.push(options.run(AccountTool::GroupAdd, self.final_name()));
        self.plan_members(cx, &[], change).await
    }

    async fn plan_existing(
        &self,
        cx: &Context,
        group: &system::Group,
        change: &mut AccountChange,
    ) -> Result<()> {
        let mut options = Options::default();
        if group.name != self.final_name() {
            change.differs("name", &group.name, self.final_name());
            options.value("--new-name", &self.final_name());
        }
        if let Some(gid) = self.wanted.gid.filter(|gid| *gid != group.gid) {
            change.differs("gid", group.gid.to_string(), gid.to_string());
            options.value("--gid", &gid);
            self.check_id_is_free(cx, gid, change).await?;
        }
        if !options.is_empty() {
            change.runs.push(options.run(AccountTool::GroupMod, &group.name));
        }
        self.plan_members(cx, &group.members, change).await
    }

    /// Returns the members after the apply: the present ones and the missing ones.
    ///
    /// Members that other resources declare stay also with `exact`.
    fn final_members(&self, cx: &Context, current: &[String]) -> Vec<String> {
        let Some(target) = &self.wanted.members else { return current.to_vec() };
        let is_kept = |member: &String| {
            let name = format!("{}/{member}", self.final_name());
            !self.wanted.exact || cx.declared().is_provided(MEMBER, &name)
        };
        let mut members: Vec<String> = current.iter().filter(|member| is_kept(member)).cloned().collect();
        for member in target {
            if !members.contains(member) {
                members.push(member.clone());
            }
        }
        members
    }

    async fn plan_members(&self, cx: &Context, current: &[String], change: &mut AccountChange) -> Result<()> {
        let Some(target) = &self.wanted.members else { return Ok(()) };
        let is_in = |names: &[String], name: &String| names.contains(name);
        let members = self.final_members(cx, current);
        if members.len() == current.len() && members.iter().all(|member| is_in(current, member)) {
            return Ok(());
        }
        change.differs("members", current.join(", "), members.join(", "));
        for member in target.iter().filter(|member| !is_in(current, member)) {
            if cx.system().users().user_by_name(member).await?.is_none() {
                change.obstacles.push(format!("user {member:?} does not exist"));
            }
        }
        let mut options = Options::default();
        options.value("--members", &members.join(","));
        change.runs.push(options.run(AccountTool::GroupPassword, self.final_name()));
        Ok(())
    }

    async fn check_id_is_free(&self, cx: &Context, gid: u32, change: &mut AccountChange) -> Result<()> {
        if let Some(other) = cx.system().users().group_by_gid(gid).await? {
            change.obstacles.push(format!("the gid {gid} belongs to the group {:?}", other.name));
        }
        Ok(())
    }

    async fn plan_absent(
        &self,
        cx: &Context,
        found: Option<system::Group>,
        change: &mut AccountChange,
    ) -> Result<()> {
        if self.new_name.is_some() {
            change.warnings.push("`new_name` means nothing with `state = \"absent\"`".to_owned());
        }
        let Some(group) = found else { return Ok(()) };
        change.differs("state", "present", "absent");
        if let Some(target_gid) = self.wanted.gid.filter(|gid| *gid != group.gid) {
            change.obstacles.push(format!(
                "the group {:?} has the gid {} and not {target_gid}, so it is not removed",
                group.name, group.gid
            ));
        }
        let users = cx.system().users().users_in_primary_group(group.gid).await?;
        if !users.is_empty() {
            const SHOWN: usize = 5;
            let names: Vec<_> = users.iter().take(SHOWN).map(|user| format!("{:?}", user.name)).collect();
            let suffix = match users.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = names.join(", ");
            change
                .obstacles
                .push(format!("the group {:?} is the primary group of {names}{suffix}", group.name));
        }
        change.runs.push(Options::default().run(AccountTool::GroupDel, &group.name));
        Ok(())
    }
}

impl Task for Group {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        platform::only_on_linux(cx, "user.group", tool::ONLY_LINUX)?;
        self.change = self.inspect(cx).await?;
        self.change.report(cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let current = self.inspect(cx).await?;
        let changed = || error::changed("group", &self.name);
        current.apply(&self.change, changed, cx).await?;
        Ok(Status::new())
    }
}
