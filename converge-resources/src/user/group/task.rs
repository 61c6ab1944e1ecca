//! Looks for groups, makes, changes and removes them.

use converge_core::prelude::*;
use converge_core::system;

use super::GroupPreparer;
use crate::user::error::AccountError;
use crate::user::learned::Learned;
use crate::user::outlook::{Certainty, Options, Outlook};
use crate::user::tool::{self, Tool};
use crate::user::{State, renamed};

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
    gid: Learned<u32>,
    /// Whether the group is to exist: `present` or `absent`.
    #[export]
    state: State,
    wanted_gid: Option<u32>,
    outlook: Outlook,
}

impl Group {
    pub(super) fn new(preparer: GroupPreparer) -> Self {
        let GroupPreparer { name, new_name, gid, state } = preparer;
        let new_name = renamed(&name, new_name);
        let outlook = Outlook::default();
        Self { name, new_name, gid: Learned::Known(gid), state, wanted_gid: gid, outlook }
    }

    async fn look(&mut self, cx: &Context) -> Result<Outlook> {
        let mut outlook = Outlook::default();
        let groups = cx.system().users();
        let found = groups.group_by_name(&self.name).await?;
        if self.state == State::Absent {
            self.gid = Learned::Known(self.wanted_gid.or(found.as_ref().map(|group| group.gid)));
            self.look_at_absent(cx, found, &mut outlook).await?;
            return Ok(outlook);
        }
        let renamed = match &self.new_name {
            Some(new_name) => groups.group_by_name(new_name).await?,
            None => None,
        };
        let has = found.as_ref().or(renamed.as_ref()).map(|group| group.gid);
        self.gid = match self.wanted_gid.or(has) {
            Some(gid) => Learned::Known(Some(gid)),
            None => Learned::ChosenBy(Tool::GroupAdd.program()),
        };
        match (found, renamed, &self.new_name) {
            (Some(_), Some(_), Some(new_name)) => {
                let (name, new_name) = (self.name.clone(), new_name.clone());
                outlook.obstacles.push(AccountError::BothExist { kind: "group", name, new_name });
            }
            (Some(group), _, _) | (None, Some(group), _) => self.look_at(cx, &group, &mut outlook).await?,
            (None, None, new_name) => {
                if new_name.is_some() && !cx.pending().is_empty() {
                    outlook.messages.push(format!("there is no group {:?} to rename yet", self.name));
                    outlook.certainty = Certainty::Open;
                } else {
                    outlook.certainty = Certainty::Certain;
                }
                self.look_at_new(cx, &mut outlook).await?;
            }
        }
        Ok(outlook)
    }

    /// The name that the group has in the end.
    fn last_name(&self) -> &str {
        self.new_name.as_deref().unwrap_or(&self.name)
    }

    async fn look_at_new(&self, cx: &Context, outlook: &mut Outlook) -> Result<()> {
        let mut options = Options::default();
        outlook.differs("state", "absent", "present");
        outlook.differs("name", "", self.last_name());
        if let Some(gid) = self.wanted_gid {
            outlook.differs("gid", "", gid.to_string());
            options.value("--gid", &gid);
            self.look_for_owner_of(cx, gid, outlook).await?;
        }
        outlook.run = Some(options.run(Tool::GroupAdd, self.last_name()));
        Ok(())
    }

    async fn look_at(&self, cx: &Context, group: &system::Group, outlook: &mut Outlook) -> Result<()> {
        let mut options = Options::default();
        if group.name != self.last_name() {
            outlook.differs("name", &group.name, self.last_name());
            options.value("--new-name", &self.last_name());
        }
        if let Some(gid) = self.wanted_gid.filter(|gid| *gid != group.gid) {
            outlook.differs("gid", group.gid.to_string(), gid.to_string());
            options.value("--gid", &gid);
            self.look_for_owner_of(cx, gid, outlook).await?;
        }
        if !options.is_empty() {
            outlook.run = Some(options.run(Tool::GroupMod, &group.name));
        }
        Ok(())
    }

    async fn look_for_owner_of(&self, cx: &Context, gid: u32, outlook: &mut Outlook) -> Result<()> {
        if let Some(other) = cx.system().users().group_by_gid(gid).await? {
            outlook.obstacles.push(AccountError::GidTaken { gid, by: other.name });
        }
        Ok(())
    }

    async fn look_at_absent(
        &self,
        cx: &Context,
        found: Option<system::Group>,
        outlook: &mut Outlook,
    ) -> Result<()> {
        if self.new_name.is_some() {
            outlook.warnings.push("`new_name` means nothing with `state = \"absent\"`".to_owned());
        }
        let Some(group) = found else { return Ok(()) };
        outlook.differs("state", "present", "absent");
        if let Some(wanted) = self.wanted_gid.filter(|gid| *gid != group.gid) {
            let obstacle = AccountError::OtherGid { name: group.name.clone(), has: group.gid, wanted };
            outlook.obstacles.push(obstacle);
        }
        let users = cx.system().users().users_in_primary_group(group.gid).await?;
        if !users.is_empty() {
            let users = users.into_iter().map(|user| user.name).collect();
            outlook.obstacles.push(AccountError::PrimaryGroup { name: group.name.clone(), users });
        }
        outlook.run = Some(Options::default().run(Tool::GroupDel, &group.name));
        Ok(())
    }
}

#[async_trait]
impl Task for Group {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        tool::supported(cx, "user.group")?;
        self.outlook = self.look(cx).await?;
        self.outlook.report(cx).await
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        let now = self.look(cx).await?;
        let changed = || AccountError::Changed { kind: "group", name: self.name.clone() };
        now.apply(&self.outlook, changed, cx).await?;
        Ok(Status::new())
    }
}
