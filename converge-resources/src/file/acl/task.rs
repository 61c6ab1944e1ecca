use std::collections::BTreeMap;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Acl, AclTag, FileKind, Follow};

use super::entry::{EntryName, Permissions, Subject};
use crate::file::ids::Database;
use crate::file::{acl_mask, direct_change};
use crate::missing_dependency;
use crate::steps::{self, Findings, Stepwise};

/// The task of a `file.acl` resource.
#[derive(Debug, Export)]
pub struct FileAcl {
    /// The managed path.
    #[export]
    pub(super) destination: String,
    /// The declared permissions by the name of the entry.
    #[export]
    pub(super) entries: BTreeMap<EntryName, Permissions>,
    pub(super) absent: Vec<EntryName>,
    pub(super) exact: bool,
    pub(super) steps: Vec<AclStep>,
}

/// A list to write, as it is stored; `None` removes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AclStep {
    name: &'static str,
    list: Option<Vec<u8>>,
}

/// The declaration of one of the two lists, with ids instead of names.
#[derive(Default)]
struct Declared {
    entries: BTreeMap<AclTag, u32>,
    absent: Vec<AclTag>,
}

impl FileAcl {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }

    /// Returns the declarations of the list for access and of that for new files.
    ///
    /// # Errors
    ///
    /// Returns an inner message if an account is missing that a pending change may create.
    async fn declared(&self, cx: &Context) -> Result<Result<[Declared; 2], String>> {
        let mut lists = [Declared::default(), Declared::default()];
        for (name, permissions) in &self.entries {
            match tag(cx, &name.subject).await? {
                Ok(tag) => drop(lists[usize::from(name.is_default)].entries.insert(tag, permissions.0)),
                Err((kind, name)) if cx.pending().is_empty() => return Err(Error::NotFound { kind, name }),
                Err((kind, name)) => return Ok(Err(format!("the {kind} {name:?} does not exist yet"))),
            }
        }
        for name in &self.absent {
            // An account that does not exist has no entry.
            if let Ok(tag) = tag(cx, &name.subject).await? {
                lists[usize::from(name.is_default)].absent.push(tag);
            }
        }
        Ok(Ok(lists))
    }

    /// Adds the differences between two lists.
    async fn report(
        cx: &Context,
        status: &mut Status,
        prefix: &str,
        before: &BTreeMap<AclTag, u32>,
        after: &BTreeMap<AclTag, u32>,
    ) -> Result<()> {
        let tags: std::collections::BTreeSet<AclTag> = before.keys().chain(after.keys()).copied().collect();
        for tag in tags {
            let (had, gets) = (before.get(&tag), after.get(&tag));
            if had != gets {
                let text = |bits: Option<&u32>| {
                    bits.map_or("absent".to_owned(), |bits| acl_mask::permissions(*bits))
                };
                let name = format!("{prefix}{}", shown(cx, tag).await?);
                status.add_difference(name, text(had), text(gets));
            }
        }
        Ok(())
    }
}

/// Returns the id of a subject, or the kind and the name of an account that does not exist.
async fn tag(cx: &Context, subject: &Subject) -> Result<Result<AclTag, (&'static str, String)>> {
    let (database, name, tag): (_, _, fn(u32) -> AclTag) = match subject {
        Subject::User(name) => (Database::Users, name, AclTag::User),
        Subject::NamedGroup(name) => (Database::Groups, name, AclTag::NamedGroup),
        Subject::Owner => return Ok(Ok(AclTag::Owner)),
        Subject::Group => return Ok(Ok(AclTag::Group)),
        Subject::Mask => return Ok(Ok(AclTag::Mask)),
        Subject::Other => return Ok(Ok(AclTag::Other)),
    };
    // As for owners, digits that are nobody's name are an id.
    let id = database.id_of(cx.system().users(), name).await?.or_else(|| name.parse().ok());
    Ok(id.map(tag).ok_or_else(|| (database.kind(), name.clone())))
}

async fn shown(cx: &Context, tag: AclTag) -> Result<String> {
    let users = cx.system().users();
    Ok(match tag {
        AclTag::Owner => "user".to_owned(),
        AclTag::Group => "group".to_owned(),
        AclTag::Mask => "mask".to_owned(),
        AclTag::Other => "other".to_owned(),
        AclTag::User(id) => {
            format!("user:{}", Database::Users.name_of(users, id).await?.unwrap_or_else(|| id.to_string()))
        }
        AclTag::NamedGroup(id) => {
            format!("group:{}", Database::Groups.name_of(users, id).await?.unwrap_or_else(|| id.to_string()))
        }
    })
}

impl Declared {
    fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.absent.is_empty()
    }

    /// Describes the change of the mode that comes with a list.
    fn mode_change(&self, mode: u32, target: &Acl) -> String {
        let mode = format!("the mode becomes {:04o}", mode & !0o777 | target.mode());
        let source = if self.entries.contains_key(&AclTag::Mask) { "declared" } else { "computed" };
        match target.entries.get(&AclTag::Mask) {
            Some(mask) => format!("the mask is {source}: {}, so {mode}", acl_mask::permissions(*mask)),
            None => mode,
        }
    }

    /// Returns the list as it is to be.
    fn applied_to(&self, current: &Acl, exact: bool) -> Acl {
        let mut acl = current.clone();
        acl.entries.retain(|tag, _| {
            let is_named = matches!(tag, AclTag::User(_) | AclTag::NamedGroup(_));
            let is_other = exact && is_named && !self.entries.contains_key(tag);
            !is_other && !self.absent.contains(tag)
        });
        acl.entries.extend(&self.entries);
        let has_named = acl.entries.keys().any(|tag| matches!(tag, AclTag::User(_) | AclTag::NamedGroup(_)));
        if self.entries.contains_key(&AclTag::Mask) {
            return acl;
        }
        if !has_named {
            // Without the mask, the group must not get more than it had under it.
            if acl.entries.remove(&AclTag::Mask).is_some() && !self.entries.contains_key(&AclTag::Group) {
                acl.entries.insert(AclTag::Group, current.group_permissions());
            }
            return acl;
        }
        let masked = |entries: &BTreeMap<AclTag, u32>| {
            entries.iter().filter(|(tag, _)| tag.is_masked()).fold(0, |all, (_, bits)| all | bits)
        };
        let needed = masked(&self.entries);
        if acl.entries.get(&AclTag::Mask).is_none_or(|mask| mask & needed != needed) {
            let mask = masked(&acl.entries);
            acl.entries.insert(AclTag::Mask, mask);
        }
        acl
    }
}

#[async_trait]
impl Stepwise for FileAcl {
    const TYPE: &'static str = "file.acl";
    const ONLY_LINUX: &'static str = "it is about the access control lists of Linux";
    type Step = AclStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<AclStep>> {
        let files = cx.system().files();
        let Some(metadata) = files.metadata(self.path(), Follow::Links).await? else {
            let not_yet = format!("{} does not exist yet", self.destination);
            let status = missing_dependency::missing(cx, "file", &self.destination, not_yet)?;
            return Ok(Findings { status, steps: Vec::new() });
        };
        let [access, default] = match self.declared(cx).await? {
            Ok(lists) => lists,
            Err(message) => return Ok(Findings::not_yet(message)),
        };
        if metadata.kind != FileKind::Directory && !default.is_empty() {
            return Err(Error::msg(format!(
                "{} is not a directory, and only a directory has `default:` entries",
                self.destination
            )));
        }
        let mut findings = Findings::new();
        let attributes = files.extended_attributes(self.path(), Follow::Links).await?.unwrap_or_default();
        let current = Acl::find(&attributes, Acl::ACCESS).unwrap_or_else(|| Acl::from_mode(metadata.mode));
        let target = access.applied_to(&current, self.exact);
        if target != current {
            Self::report(cx, &mut findings.status, "", &current.entries, &target.entries).await?;
            if target.mode() != current.mode() {
                findings.status.add_message(access.mode_change(metadata.mode, &target));
            }
            findings.steps.push(AclStep { name: Acl::ACCESS, list: Some(target.to_bytes()) });
        }
        let held = Acl::find(&attributes, Acl::DEFAULT);
        let none = Acl::default();
        let base = Acl::from_mode(current.mode() & !0o070 | current.group_permissions() << 3);
        let target = match &held {
            _ if self.exact && default.entries.is_empty() => None,
            Some(held) => Some(default.applied_to(held, self.exact)),
            None if default.entries.is_empty() => None,
            None => Some(default.applied_to(&base, self.exact)),
        };
        if target != held {
            let (before, after) = (held.as_ref().unwrap_or(&none), target.as_ref().unwrap_or(&none));
            Self::report(cx, &mut findings.status, "default:", &before.entries, &after.entries).await?;
            findings.steps.push(AclStep { name: Acl::DEFAULT, list: target.map(|list| list.to_bytes()) });
        }
        if !findings.steps.is_empty() {
            direct_change::is_allowed(cx, self.path(), &metadata).await?;
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &AclStep) -> Result<()> {
        let files = cx.system().files();
        match &step.list {
            Some(list) => files.set_extended_attribute(self.path(), step.name, list).await?,
            None => files.remove_extended_attribute(self.path(), step.name).await?,
        }
        Ok(files.flush(&[self.path()]).await?)
    }
}

steps::task!(FileAcl);
