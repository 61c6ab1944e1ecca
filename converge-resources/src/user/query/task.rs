use converge_sdk::prelude::*;

/// The task of a `user.query` resource.
#[derive(Debug, Default, Export)]
pub struct Query {
    /// The queried name.
    #[export]
    name: String,
    /// Whether the user exists.
    #[export(computed)]
    exists: bool,
    /// The user id. This field and the following ones are null if the user does not exist.
    #[export(computed)]
    uid: Option<u32>,
    /// The id of the primary group.
    #[export(computed)]
    gid: Option<u32>,
    /// The name of the primary group; null if the group has none.
    #[export(computed)]
    group: Option<String>,
    /// The sorted names of all groups of the user, including the primary one.
    ///
    /// A group without a name is left out.
    #[export(computed)]
    groups: Vec<String>,
    /// The comment, which begins with the full name.
    #[export(computed)]
    gecos: Option<String>,
    /// The path of the home directory.
    #[export(computed)]
    home: Option<String>,
    /// The path of the login shell.
    #[export(computed)]
    shell: Option<String>,
}

impl Query {
    pub(super) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    async fn find(&self, cx: &Context) -> Result<Self> {
        let users = cx.system().users();
        let mut result = Self::new(self.name.clone());
        let Some(user) = users.user_by_name(&self.name).await? else { return Ok(result) };
        for gid in users.groups_of(&self.name).await?.unwrap_or_default() {
            let Some(group) = users.group_by_gid(gid).await? else { continue };
            if gid == user.gid {
                result.group = Some(group.name.clone());
            }
            result.groups.push(group.name);
        }
        result.groups.sort();
        Ok(Self {
            exists: true,
            uid: Some(user.uid),
            gid: Some(user.gid),
            gecos: Some(user.comment),
            home: Some(user.home.to_string_lossy().into_owned()),
            shell: Some(user.shell.to_string_lossy().into_owned()),
            ..result
        })
    }
}

impl Task for Query {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        *self = self.find(cx).await?;
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
