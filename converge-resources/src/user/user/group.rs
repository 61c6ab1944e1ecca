use std::fmt;

use converge_sdk::prelude::*;
use converge_sdk::system::Group;

#[derive(Clone, Debug)]
pub(super) enum GroupRef {
    Name(String),
    Id(u32),
}

impl GroupRef {
    pub(super) async fn find(&self, cx: &Context) -> Result<Option<Group>> {
        let groups = cx.system().users();
        Ok(match self {
            Self::Name(name) => groups.group_by_name(name).await?,
            Self::Id(gid) => groups.group_by_gid(*gid).await?,
        })
    }

    pub(super) fn field(&self) -> &'static str {
        match self {
            Self::Name(_) => "groupname",
            Self::Id(_) => "gid",
        }
    }

    pub(super) fn missing(&self) -> String {
        match self {
            Self::Name(name) => format!("group {name:?} does not exist"),
            Self::Id(gid) => format!("there is no group with the gid {gid}"),
        }
    }
}

impl fmt::Display for GroupRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Id(gid) => write!(f, "{gid}"),
        }
    }
}
