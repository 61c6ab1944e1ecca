use converge_core::prelude::*;
use converge_core::system;

use crate::platform;
use crate::user::attribute::Attribute;
use crate::user::change::{AccountChange, Certainty, Options};
use crate::user::error;
use crate::user::name::renamed;
use crate::user::tool::{self, AccountTool};

/// One group.
#[derive(Debug, Export)]
pub struct Group {
    /// Name of the group, as the module gives it.
    #[export]
    name: String,
    /// The name to which it is renamed; null where it is not.
    #[export(name = "newname")]
    new_name: Option<String>,
    /// Id of the group: the given one, or that of the group on the machine. Known only after apply for a
    /// new group without a given id.
    #[export]
    gid: Attribute<u32>,
    /// Whether the group is to exist: `present` or `absent`.
    #[export]
    state: Ensure,
    wanted_gid: Option<u32>,
    change: AccountChange,
}

impl Group {
    pub(super) fn new(name: String, new_name: Option<String>, gid: Option<u32>, state: Ensure) -> Self {
        let new_name = renamed(&name, new_name);
        let change = AccountChange::default();
        Self { name, new_name, gid: Attribute::Known(gid), state, wanted_gid: gid, change }
    }

    async fn inspect(&mut self, cx: &Context) -> Result<AccountChange> {
        let mut change = AccountChange::default();
        let groups = cx.system().users();
        let found = groups.group_by_name(&self.name).await?;
        if self.state == Ensure::Absent {
            // What is removed has no id in the end, whatever it has now.
            self.gid = Attribute::Known(self.wanted_gid);
            self.plan_absent(cx, found, &mut change).await?;
            return Ok(change);
        }
        let renamed = match &self.new_name {
            Some(new_name) => groups.group_by_name(new_name).await?,
            None => None,
        };
        let has = found.as_ref().or(renamed.as_ref()).map(|group| group.gid);
        self.gid = match self.wanted_gid.or(has) {
            Some(gid) => Attribute::Known(Some(gid)),
            None => Attribute::ChosenBy(AccountTool::GroupAdd.program()),
        };
        match (found, renamed, &self.new_name) {
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

    /// The name that the group has in the end.
    fn last_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or(&self.name)
    }

    async fn plan_new(&self, cx: &Context, change: &mut AccountChange) -> Result<()> {
        let mut options = Options::default();
        change.differs("state", "absent", "present");
        change.differs("name", "", self.last_name());
        if let Some(gid) = self.wanted_gid {
            change.differs("gid", "", gid.to_string());
            options.value("--gid", &gid);
            self.check_id_is_free(cx, gid, change).await?;
        }
        change.run = Some(options.run(AccountTool::GroupAdd, self.last_name()));
        Ok(())
    }

    async fn plan_existing(
        &self,
        cx: &Context,
        group: &system::Group,
        change: &mut AccountChange,
    ) -> Result<()> {
        let mut options = Options::default();
        if group.name != self.last_name() {
            change.differs("name", &group.name, self.last_name());
            options.value("--new-name", &self.last_name());
        }
        if let Some(gid) = self.wanted_gid.filter(|gid| *gid != group.gid) {
            change.differs("gid", group.gid.to_string(), gid.to_string());
            options.value("--gid", &gid);
            self.check_id_is_free(cx, gid, change).await?;
        }
        if !options.is_empty() {
            change.run = Some(options.run(AccountTool::GroupMod, &group.name));
        }
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
        if let Some(wanted) = self.wanted_gid.filter(|gid| *gid != group.gid) {
            change.obstacles.push(format!(
                "the group {:?} has the gid {} and not {wanted}, so it is not removed",
                group.name, group.gid
            ));
        }
        let users = cx.system().users().users_in_primary_group(group.gid).await?;
        if !users.is_empty() {
            const SHOWN: usize = 5;
            let names: Vec<_> = users.iter().take(SHOWN).map(|user| format!("{:?}", user.name)).collect();
            let more = match users.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let names = names.join(", ");
            change
                .obstacles
                .push(format!("the group {:?} is the primary group of {names}{more}", group.name));
        }
        change.run = Some(Options::default().run(AccountTool::GroupDel, &group.name));
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
        let now = self.inspect(cx).await?;
        let changed = || error::changed("group", &self.name);
        now.apply(&self.change, changed, cx).await?;
        Ok(Status::new())
    }
}
