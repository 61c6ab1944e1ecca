use std::ffi::OsStr;
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow};
use indexmap::IndexMap;

use super::edit::{self, Edited, Topic};
use super::kernel_state::{self, ModuleKind};
use super::name::{ModuleName, ParameterName, ParameterValue};
use crate::steps::{self, Findings, Stepwise};
use crate::{missing_dependency, text_file, tools};

/// Parameters that the kernel itself accepts for each module.
const COMMON_PARAMETERS: [&str; 2] = ["async_probe", "dyndbg"];

/// The historical file of modules to load, which systemd still reads.
const OLD_FILE: &str = "/etc/modules";

/// The task of a `system.kernel_module` resource.
#[derive(Debug, Export)]
pub struct KernelModule {
    /// The name of the module, in the kernel's form.
    #[export]
    pub(super) name: ModuleName,
    /// Whether the state also applies to the next boot.
    #[export]
    pub(super) persistent: bool,
    /// Whether the module is blacklisted.
    #[export]
    pub(super) blacklisted: bool,
    /// Whether the module is to be loaded: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) parameters: Option<IndexMap<ParameterName, ParameterValue>>,
    pub(super) steps: Vec<KernelModuleStep>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KernelModuleStep {
    /// Edit the line of this topic, in the file as it is at that moment.
    Edit(Topic),
    Load,
    Unload,
}

impl KernelModule {
    /// Returns the parameters in the form of the file.
    fn words(&self) -> Vec<String> {
        let parameters = self.parameters.iter().flatten();
        parameters.map(|(name, value)| format!("{name}={value}")).collect()
    }

    fn file(&self, topic: Topic) -> String {
        match topic {
            Topic::Load => self.name.load_file(),
            Topic::Blacklist | Topic::Options => self.name.options_file(),
        }
    }

    fn edit(&self, topic: Topic, text: &str) -> Edited {
        let words = self.words().join(" ");
        let target = match topic {
            Topic::Load => self.state.is_present().then_some(""),
            Topic::Blacklist => self.blacklisted.then_some(""),
            Topic::Options => (!words.is_empty()).then_some(words.as_str()),
        };
        edit::edit(topic, &self.name, target, text)
    }

    /// Compares a line of a file with its declaration.
    async fn compare(
        &self,
        cx: &Context,
        topic: Topic,
        name: &str,
        look: &mut Findings<KernelModuleStep>,
    ) -> Result<()> {
        let text = text_file::read(cx, Path::new(&self.file(topic))).await?.unwrap_or_default();
        let edited = self.edit(topic, &text);
        if edited.text == text {
            return Ok(());
        }
        if topic == Topic::Options {
            let (before, after) = (edited.before.unwrap_or_default(), self.words().join(" "));
            look.status.add_difference_with_default(name, before, after, "(none)");
        } else {
            let (before, after) = if edited.before.is_some() { ("true", "false") } else { ("false", "true") };
            look.status.add_difference(name, before, after);
        }
        look.steps.push(KernelModuleStep::Edit(topic));
        Ok(())
    }

    async fn check_files(&self, cx: &Context, findings: &mut Findings<KernelModuleStep>) -> Result<()> {
        if self.parameters.is_some() {
            self.compare(cx, Topic::Options, "parameters", findings).await?;
        }
        self.compare(cx, Topic::Blacklist, "blacklisted", findings).await?;
        self.compare(cx, Topic::Load, "at boot", findings).await?;
        let (topic, folder, effect) = if self.state.is_present() {
            (Topic::Blacklist, "/etc/modprobe.d", "blacklists it, so it is not loaded at boot")
        } else {
            (Topic::Load, "/etc/modules-load.d", "loads it at boot")
        };
        let mut others = Vec::new();
        if cx.system().files().metadata(Path::new(folder), Follow::Links).await?.is_some() {
            others = cx.system().files().read_dir(Path::new(folder)).await?;
            others.retain(|entry| {
                entry.kind == FileKind::File && entry.path.extension() == Some(OsStr::new("conf"))
            });
        }
        let mut others: Vec<_> = others.into_iter().map(|entry| entry.path).collect();
        if topic == Topic::Load {
            others.push(OLD_FILE.into());
        }
        for path in others.iter().filter(|other| **other != Path::new(&self.file(topic))) {
            let text = text_file::read(cx, path).await?.unwrap_or_default();
            if topic.is_in(&self.name, &text) {
                findings.status.add_warning(format!("{} {effect}", path.display()));
            }
        }
        Ok(())
    }

    /// Plans to load a module that is not loaded.
    ///
    /// Returns a status if a pending change may bring the module.
    async fn check_unloaded(
        &self,
        cx: &Context,
        look: &mut Findings<KernelModuleStep>,
    ) -> Result<Option<Status>> {
        let name = &self.name;
        match kernel_state::module_kind(cx, name).await? {
            ModuleKind::Module => {
                look.status.add_difference("loaded", "false", "true");
                self.plan_live(look, KernelModuleStep::Load);
                self.check_parameters(cx).await?;
            }
            ModuleKind::BuiltIn if !self.words().is_empty() => {
                return Err(Error::msg(format!(
                    "{name} is built into the kernel: its parameters are on the command line of the kernel, as `{name}.NAME=VALUE`"
                )));
            }
            ModuleKind::BuiltIn => {}
            ModuleKind::Alias(module) => {
                return Err(Error::msg(format!("{name} is an alias of the module {module}: write {module}")));
            }
            ModuleKind::Nothing(_) if !cx.pending().is_empty() => {
                return Ok(Some(missing_dependency::not_yet(format!("the kernel has no module {name} yet"))));
            }
            ModuleKind::Nothing(said) => {
                return Err(Error::msg(format!("the kernel has no module {name}: {said}")));
            }
        }
        Ok(None)
    }

    /// Plans a step of the running kernel before those of files, so that no boot repeats a failure.
    fn plan_live(&self, look: &mut Findings<KernelModuleStep>, step: KernelModuleStep) {
        // A file with parameters that are no longer declared would still apply to the load.
        let is_removed =
            self.words().is_empty() && look.steps.first() == Some(&KernelModuleStep::Edit(Topic::Options));
        look.steps.insert(usize::from(is_removed), step);
    }

    /// Returns an error for unknown parameters, which the kernel ignores.
    async fn check_parameters(&self, cx: &Context) -> Result<()> {
        let Some(declared) = self.parameters.as_ref().filter(|parameters| !parameters.is_empty()) else {
            return Ok(());
        };
        let names = kernel_state::parameters(cx, &self.name).await?;
        for name in declared.keys().map(ToString::to_string) {
            if !names.contains(&name) && !COMMON_PARAMETERS.contains(&name.as_str()) {
                let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                return Err(Error::msg(format!("{} has no parameter {name}; it has {list}", self.name)));
            }
        }
        Ok(())
    }

    async fn check_loaded(&self, cx: &Context, findings: &mut Findings<KernelModuleStep>) -> Result<()> {
        // Parameters for the next boot must be valid as well.
        if findings.steps.iter().any(|step| matches!(step, KernelModuleStep::Edit(Topic::Options))) {
            self.check_parameters(cx).await?;
        }
        for (parameter, value) in self.parameters.iter().flatten() {
            if let Some(current) = kernel_state::parameter(cx, &self.name, parameter).await?
                && !kernel_state::is_same(&current, value)
            {
                findings.status.add_warning(format!(
                    "{} is loaded with {parameter} = {current}: it has {value} when it is loaded the next time",
                    self.name
                ));
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Stepwise for KernelModule {
    const TYPE: &'static str = "system.kernel_module";
    const ONLY_LINUX: &'static str = "it is about modules of the kernel of Linux";
    type Step = KernelModuleStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<KernelModuleStep>> {
        let mut findings = Findings::new();
        if self.persistent {
            self.check_files(cx, &mut findings).await?;
        }
        let name = &self.name;
        match kernel_state::loaded(cx, name).await? {
            None if self.state.is_present() => {
                if let Some(status) = self.check_unloaded(cx, &mut findings).await? {
                    return Ok(Findings { status, ..Findings::new() });
                }
            }
            None if kernel_state::is_built_in(cx, name).await? => {
                return Err(Error::msg(format!("{name} is built into the kernel: it cannot be unloaded")));
            }
            None => {}
            Some(_) if self.state.is_present() => self.check_loaded(cx, &mut findings).await?,
            Some(loaded) => {
                findings.status.add_difference("loaded", "true", "false");
                match loaded.held {
                    Some(reason) if !cx.pending().is_empty() => {
                        return Ok(Findings::not_yet(format!("{name} cannot be unloaded yet: {reason}")));
                    }
                    Some(reason) => return Err(Error::msg(format!("{name} cannot be unloaded: {reason}"))),
                    None => self.plan_live(&mut findings, KernelModuleStep::Unload),
                }
            }
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &KernelModuleStep) -> Result<()> {
        match step {
            KernelModuleStep::Edit(topic) => {
                let path = self.file(*topic);
                text_file::edit(cx, Path::new(&path), |text| Ok(self.edit(*topic, text).text)).await?;
                text_file::remove_empty(cx, Path::new(&path)).await
            }
            KernelModuleStep::Load => {
                let name = self.name.as_str().to_owned();
                tools::change(cx, "modprobe", std::iter::once(name).chain(self.words())).await
            }
            KernelModuleStep::Unload => tools::change(cx, "modprobe", ["--remove", self.name.as_str()]).await,
        }
    }
}

steps::task!(KernelModule);
