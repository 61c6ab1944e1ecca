use std::ffi::OsStr;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, Ownership};

use super::zone::{self, ZoneName};
use crate::file::atomic_link::{self, NewLink};
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;
use crate::text_file;

/// The link that the C library reads.
pub(super) const LINK: &str = "/etc/localtime";

/// The file that Debian packages read.
pub(super) const NAME: &str = "/etc/timezone";

/// The signature of files with the rules of a zone.
const MAGIC: &[u8] = b"TZif";

/// The task of a `system.timezone` resource.
#[derive(Debug, Export)]
pub struct Timezone {
    /// The name of the zone.
    #[export]
    pub(super) name: ZoneName,
    pub(super) steps: Vec<TimezoneStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimezoneStep {
    /// Write the name of the zone.
    Name,
    /// Change the target of the link.
    Link,
}

/// The present form of the time zone.
enum Found {
    Nothing,
    /// A link to a zone, or to anything else.
    Link {
        target: String,
        zone: Option<String>,
    },
    /// A copy of the rules of a zone.
    Copy,
    /// An object that is never replaced.
    Other(&'static str),
}

impl Timezone {
    /// Returns the reason why the zone does not exist, or `None` if it does.
    async fn missing_zone(&self, cx: &Context) -> Result<Option<String>> {
        let files = cx.system().files();
        let (path, name) = (self.name.path(), &self.name);
        if files.metadata(Path::new(zone::ZONES), Follow::Links).await?.is_none() {
            return Ok(Some(format!("there is no {}: install the package `tzdata`", zone::ZONES)));
        }
        let hint = "`timedatectl list-timezones` lists the time zones";
        let missing = format!("{} has no time zone {name}: {hint}", zone::ZONES);
        let Some(metadata) = files.metadata(&path, Follow::Links).await? else { return Ok(Some(missing)) };
        if metadata.kind == FileKind::Directory {
            return Ok(Some(format!("{name} is a folder with time zones, not one of them: {hint}")));
        }
        let head = files.read_head(&path, MAGIC.len() as u64).await?;
        let has_rules = head.is_some_and(|head| head.bytes == MAGIC);
        Ok((!has_rules).then(|| format!("{} has no rules of a time zone: {hint}", path.display())))
    }

    async fn found(cx: &Context) -> Result<Found> {
        let files = cx.system().files();
        let link = Path::new(LINK);
        Ok(match files.metadata(link, Follow::Never).await?.map(|metadata| metadata.kind) {
            None => Found::Nothing,
            Some(FileKind::Symlink) => {
                let target = files.read_link(link).await?.unwrap_or_default();
                let zone = zone::named_by(Path::new("/etc"), &target);
                Found::Link { target: target.to_string_lossy().into_owned(), zone }
            }
            Some(FileKind::File) => Found::Copy,
            Some(FileKind::Directory) => Found::Other("a folder"),
            Some(FileKind::Special(_)) => Found::Other("neither a link nor a file"),
        })
    }
}

#[async_trait]
impl Stepwise for Timezone {
    const TYPE: &'static str = "system.timezone";
    const ONLY_LINUX: &'static str = "it is about the files that the C library of Linux reads";
    type Step = TimezoneStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<TimezoneStep>> {
        if let Some(reason) = self.missing_zone(cx).await? {
            if cx.pending().is_empty() {
                return Err(Error::msg(reason));
            }
            return Ok(Findings::not_yet(reason));
        }
        let mut findings = Findings::new();
        let name = self.name.to_string();
        if let Some(text) = text_file::read(cx, Path::new(NAME)).await?
            && text.trim() != name
        {
            findings.status.add_difference(NAME, text.trim(), name.as_str());
            findings.steps.push(TimezoneStep::Name);
        }
        let before = match Self::found(cx).await? {
            Found::Link { zone: Some(zone), .. } if zone == name => None,
            Found::Link { zone: Some(zone), .. } => Some(DiffValue::from(zone)),
            Found::Link { target, .. } => Some(DiffValue::from(target)),
            Found::Nothing => Some(DiffValue::from("absent")),
            Found::Copy => Some(DiffValue::Placeholder("(a copy of rules)".to_owned())),
            Found::Other(what) => {
                return Err(Error::msg(format!("{LINK} is {what}, which a link never replaces")));
            }
        };
        if let Some(before) = before {
            findings.status.add_difference("zone", before, name);
            // The link comes first, because it is the effective setting.
            findings.steps.insert(0, TimezoneStep::Link);
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &TimezoneStep) -> Result<()> {
        if *step == TimezoneStep::Name {
            let text = Text::new(format!("{}\n", self.name), false);
            return text_file::write(cx, Path::new(NAME), &text).await;
        }
        let (folder, name) = (Path::new("/etc"), OsStr::new("localtime"));
        let opened = cx.system().files().open_dir(folder).await?;
        let directory =
            opened.ok_or_else(|| Error::NotFound { kind: "directory", name: "/etc".to_owned() })?;
        let is_replaced = |kind| matches!(kind, FileKind::Symlink | FileKind::File);
        let path = self.name.path();
        let owner = Ownership::default();
        atomic_link::put(&*directory, name, NewLink::Symbolic(&path), owner, is_replaced).await?;
        Ok(directory.sync().await?)
    }
}

steps::task!(Timezone);
