use std::collections::BTreeMap;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Follow;

use super::name::AttributeName;
use crate::file::direct_change;
use crate::missing_dependency;
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;

/// The task of a `file.xattr` resource.
#[derive(Debug, Export)]
pub struct FileAttributes {
    /// The managed path.
    #[export]
    pub(super) destination: String,
    /// The declared values by the name of the attribute.
    #[export]
    pub(super) attributes: BTreeMap<AttributeName, Text>,
    pub(super) absent: Vec<AttributeName>,
    pub(super) steps: Vec<AttributeStep>,
}

/// An attribute to set, or to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttributeStep {
    name: String,
    value: Option<Text>,
}

impl FileAttributes {
    fn path(&self) -> &Path {
        Path::new(&self.destination)
    }
}

#[async_trait]
impl Stepwise for FileAttributes {
    const TYPE: &'static str = "file.xattr";
    const ONLY_LINUX: &'static str = "it is about the extended attributes of Linux";
    type Step = AttributeStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<AttributeStep>> {
        let files = cx.system().files();
        let Some(metadata) = files.metadata(self.path(), Follow::Links).await? else {
            let not_yet = format!("{} does not exist yet", self.destination);
            let status = missing_dependency::missing(cx, "file", &self.destination, not_yet)?;
            return Ok(Findings { status, steps: Vec::new() });
        };
        let held = files.extended_attributes(self.path(), Follow::Links).await?.unwrap_or_default();
        let declared = self.attributes.iter().map(|(name, value)| (name, Some(value)));
        let mut findings = Findings::new();
        for (name, value) in declared.chain(self.absent.iter().map(|name| (name, None))) {
            let current = held.iter().find(|attribute| attribute.name == name.as_str());
            if current.map(|attribute| &*attribute.value) == value.map(|value| value.as_bytes()) {
                continue;
            }
            if value.is_some_and(Text::is_secret) {
                findings.status.add_diff(name.as_str(), SecretDiff { changes: true });
            } else {
                let before = current.map(|attribute| String::from_utf8_lossy(&attribute.value).into_owned());
                findings.status.add_difference(
                    name.as_str(),
                    before.unwrap_or_else(|| "absent".to_owned()),
                    value.map_or("absent", |value| &**value),
                );
            }
            findings.steps.push(AttributeStep { name: name.to_string(), value: value.cloned() });
        }
        if !findings.steps.is_empty() {
            direct_change::is_allowed(cx, self.path(), &metadata).await?;
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &AttributeStep) -> Result<()> {
        let files = cx.system().files();
        match &step.value {
            Some(value) => files.set_extended_attribute(self.path(), &step.name, value.as_bytes()).await?,
            None => files.remove_extended_attribute(self.path(), &step.name).await?,
        }
        Ok(files.flush(&[self.path()]).await?)
    }
}

steps::task!(FileAttributes);
