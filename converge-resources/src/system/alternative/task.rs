use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};

use super::group::Group;
use super::name::AlternativeName;
use super::tool::Tool;
use crate::file::real_path;
use crate::missing_dependency;
use crate::steps::{self, Findings, Stepwise};

/// The default priority of a new alternative.
const PRIORITY: i32 = 50;

/// The task of a `system.alternative` resource.
#[derive(Debug, Export)]
pub struct Alternative {
    /// The name of the group of alternatives.
    #[export]
    pub(super) name: AlternativeName,
    /// The path of the alternative.
    #[export]
    pub(super) path: Option<String>,
    /// The path that programs use.
    #[export]
    pub(super) link: Option<String>,
    /// Whether the alternative with the highest priority is used.
    #[export]
    pub(super) auto: bool,
    /// Whether the path is to be an alternative.
    #[export]
    pub(super) state: Ensure,
    pub(super) priority: Option<i32>,
    /// The declared slaves; `None` leaves them as they are.
    pub(super) slaves: Option<Vec<Slave>>,
    pub(super) steps: Vec<AlternativeStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slave {
    pub(super) name: String,
    pub(super) link: String,
    pub(super) path: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AlternativeStep {
    /// Register the path as an alternative.
    Install(Registration),
    Set,
    /// Use the alternative with the highest priority.
    Auto,
    Remove,
}

/// The priority and the slaves with which a path is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Registration {
    priority: i32,
    slaves: Vec<Slave>,
}

impl Alternative {
    /// Returns the new registration: slaves that are not declared are those of the present one.
    fn registration(&self, group: &Group, priority: i32) -> Registration {
        let slaves = self.slaves.clone().unwrap_or_else(|| {
            let present = group.choice(self.path()).into_iter().flat_map(|choice| &choice.slaves);
            let slave = |(name, path): (&String, &String)| {
                let link = group.slave_links.get(name)?.clone();
                Some(Slave { name: name.clone(), link, path: path.clone() })
            };
            present.filter_map(slave).collect()
        });
        Registration { priority, slaves }
    }

    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or_default()
    }

    /// Reports differences of the registration, if `link` is declared.
    fn compare(&self, group: &Group, findings: &mut Findings<AlternativeStep>) {
        let Some(link) = &self.link else { return };
        let choice = group.choice(self.path());
        let priority = self.priority.or(choice.map(|choice| choice.priority)).unwrap_or(PRIORITY);
        let before = findings.status.diffs().len();
        let absent = || "absent".to_owned();
        match choice {
            None => findings.status.add_difference(self.path(), absent(), format!("priority {priority}")),
            Some(choice) if choice.priority != priority => {
                findings.status.add_difference("priority", choice.priority.to_string(), priority.to_string());
            }
            Some(_) => {}
        }
        if let Some(has) = group.link.as_ref().filter(|current| *current != link) {
            findings.status.add_difference("link", has.as_str(), link.as_str());
        }
        let declared = self.slaves.as_deref();
        for slave in declared.unwrap_or_default() {
            let current = choice.and_then(|choice| choice.slaves.get(&slave.name));
            let has_link = group.slave_links.get(&slave.name).is_none_or(|current| *current == slave.link);
            if current != Some(&slave.path) || !has_link {
                let text = |link: Option<&String>, path: Option<&String>| match (link, path) {
                    (Some(link), Some(path)) => format!("{link} -> {path}"),
                    (None, Some(path)) => path.clone(),
                    _ => absent(),
                };
                let current = text(group.slave_links.get(&slave.name), current);
                findings.status.add_difference(
                    &*slave.name,
                    current,
                    text(Some(&slave.link), Some(&slave.path)),
                );
            }
        }
        let is_other =
            |name: &String| declared.is_some_and(|slaves| slaves.iter().all(|slave| slave.name != *name));
        for (name, path) in
            choice.into_iter().flat_map(|choice| &choice.slaves).filter(|(name, _)| is_other(name))
        {
            findings.status.add_difference(&**name, path.as_str(), "absent");
        }
        if findings.status.diffs().len() > before {
            findings.steps.push(AlternativeStep::Install(self.registration(group, priority)));
        }
    }

    /// Compares the links themselves with what the tool has recorded.
    ///
    /// Returns the reason why a link cannot be made, if there is one.
    async fn check_links(
        &self,
        cx: &Context,
        group: &Group,
        findings: &mut Findings<AlternativeStep>,
    ) -> Result<Option<String>> {
        let files = cx.system().files();
        let main = self.link.as_ref().or(group.link.as_ref());
        for link in main.into_iter().chain(self.slaves.iter().flatten().map(|slave| &slave.link)) {
            let kind = files.metadata(Path::new(link), Follow::Never).await?.map(|metadata| metadata.kind);
            if kind.is_some_and(|kind| kind != FileKind::Symlink) {
                // `update-alternatives` keeps it, and succeeds.
                return Ok(Some(format!("{link} is not a link, and a link never replaces it: move it away")));
            }
        }
        let (Some(link), Some(value), true) = (main, &group.value, findings.steps.is_empty()) else {
            return Ok(None);
        };
        let is_there = files.metadata(Path::new(link), Follow::Never).await?.is_some();
        let current = real_path::resolved(cx, Path::new(link)).await?;
        if !is_there || current != real_path::resolved(cx, Path::new(value)).await? {
            let before = if is_there { current.display().to_string() } else { "absent".to_owned() };
            findings.status.add_difference(link.as_str(), before, value.as_str());
            findings.steps.push(if group.is_auto { AlternativeStep::Auto } else { AlternativeStep::Set });
        }
        Ok(None)
    }

    /// Returns the error that the path is not an alternative.
    fn no_alternative(&self, group: Option<&Group>) -> String {
        let (name, path) = (&self.name, self.path());
        let paths =
            group.map(|group| group.choices.iter().map(|choice| choice.path.as_str()).collect::<Vec<_>>());
        match paths {
            None => format!("there are no alternatives {name}: `link` makes {path} the first"),
            Some(paths) => format!(
                "{path} is not an alternative of {name}, which has {}: `link` makes it one",
                if paths.is_empty() { "none".to_owned() } else { paths.join(", ") }
            ),
        }
    }
}

#[async_trait]
impl Stepwise for Alternative {
    const TYPE: &'static str = "system.alternative";
    const ONLY_LINUX: &'static str = "it is about the alternatives of distributions of Linux";
    type Step = AlternativeStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<AlternativeStep>> {
        let tool = Tool::detect(cx).await?;
        let group = tool.group(cx, &self.name).await?;
        let mut findings = Findings::new();
        if !self.state.is_present() {
            if let Some(choice) = group.as_ref().and_then(|group| group.choice(self.path())) {
                findings.status.add_difference(
                    self.path(),
                    format!("priority {}", choice.priority),
                    "absent",
                );
                findings.steps.push(AlternativeStep::Remove);
            }
            findings.status.raise_level_for_diffs();
            return Ok(findings);
        }
        let lacks = |reason: String| {
            if cx.pending().is_empty() { Err(Error::msg(reason)) } else { Ok(Findings::not_yet(reason)) }
        };
        let is_known = group.as_ref().is_some_and(|group| group.choice(self.path()).is_some());
        if let Some(path) = &self.path {
            if !is_known && self.link.is_none() {
                return lacks(self.no_alternative(group.as_ref()));
            }
            if cx.system().files().metadata(Path::new(path), Follow::Links).await?.is_none() {
                let status =
                    missing_dependency::missing(cx, "file", path, format!("there is no {path} yet"))?;
                return Ok(Findings { status, ..findings });
            }
        } else if group.is_none() {
            return lacks(format!("there are no alternatives {}", self.name));
        }
        let group = group.unwrap_or_default();
        self.compare(&group, &mut findings);
        if self.auto {
            if !group.is_auto && !group.choices.is_empty() {
                findings.status.add_difference("mode", "manual", "auto");
                findings.steps.push(AlternativeStep::Auto);
            }
        } else {
            if group.value.as_deref() != self.path.as_deref() {
                let before = group.value.clone().unwrap_or_else(|| "absent".to_owned());
                findings.status.add_difference("path", before, self.path());
            }
            if group.is_auto {
                findings.status.add_difference("mode", "auto", "manual");
            }
            if group.is_auto || group.value.as_deref() != self.path.as_deref() {
                findings.steps.push(AlternativeStep::Set);
            }
        }
        if let Some(reason) = self.check_links(cx, &group, &mut findings).await? {
            return lacks(reason);
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &AlternativeStep) -> Result<()> {
        let (name, path) = (self.name.to_string(), self.path().to_owned());
        let args = match step {
            AlternativeStep::Install(Registration { priority, slaves }) => {
                let link = self.link.clone().unwrap_or_default();
                let mut args = vec!["--install".to_owned(), link, name, path, priority.to_string()];
                for Slave { name, link, path } in slaves {
                    args.extend(["--slave".to_owned(), link.clone(), name.clone(), path.clone()]);
                }
                args
            }
            AlternativeStep::Set => vec!["--set".to_owned(), name, path],
            AlternativeStep::Auto => vec!["--auto".to_owned(), name],
            AlternativeStep::Remove => vec!["--remove".to_owned(), name, path],
        };
        Tool::detect(cx).await?.change(cx, args).await
    }
}

steps::task!(Alternative);
