use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Follow;

use super::edit;
use super::name::LocaleName;
use crate::steps::{self, Findings, Stepwise};
use crate::text::Text;
use crate::{text_file, tools};

/// The list of locales to generate.
pub(super) const MADE: &str = "/etc/locale.gen";

/// The file with the default on Debian and related distributions.
pub(super) const DEBIAN: &str = "/etc/default/locale";

/// The file with the default on other distributions.
pub(super) const CONF: &str = "/etc/locale.conf";

const LISTS: [&str; 3] = ["/usr/share/i18n/SUPPORTED", "/usr/local/share/i18n/SUPPORTED", MADE];

/// The task of a `system.locale` resource.
#[derive(Debug, Export)]
pub struct Locale {
    /// The locales.
    #[export]
    pub(super) name: Vec<LocaleName>,
    /// The default locale of programs.
    #[export]
    pub(super) lang: Option<LocaleName>,
    /// Whether the locales are to be present.
    #[export]
    pub(super) state: Ensure,
    /// The declared values of locale variables.
    pub(super) defaults: Vec<(String, LocaleName)>,
    pub(super) steps: Vec<LocaleStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocaleStep {
    /// Edit the list of locales to generate, as it is at that moment.
    Edit,
    /// Edit the list, and generate the locales. If that fails, the list is as before.
    Generate,
    /// Set the variables in this file.
    Default(&'static str),
}

/// The present state of the machine.
struct Found {
    /// The list of locales to generate.
    made: String,
    /// The names of locales that programs can use.
    usable: Vec<String>,
}

impl Found {
    async fn look(cx: &Context) -> Result<Self> {
        let text = text_file::read(cx, Path::new(MADE)).await?.unwrap_or_default();
        let usable = tools::look(cx, "locale", ["-a"]).await?;
        Ok(Self { made: text, usable: usable.lines().map(|line| line.trim().to_owned()).collect() })
    }

    fn has(&self, name: &LocaleName) -> bool {
        name.is_built_in() || self.usable.iter().any(|usable| name.matches(usable))
    }
}

impl Locale {
    /// Returns the line of a locale in the lists of supported locales, if there is one.
    async fn supported_line(cx: &Context, name: &LocaleName) -> Result<Option<String>> {
        for list in LISTS {
            let list = text_file::read(cx, Path::new(list)).await?.unwrap_or_default();
            if let Some(line) = edit::find_supported(&list, name) {
                return Ok(Some(line.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns the declared list of locales to generate.
    ///
    /// # Errors
    ///
    /// Returns an inner error if a locale is missing and cannot be generated.
    async fn edited(&self, cx: &Context, locales: &Found) -> Result<Result<String, String>> {
        let mut text = locales.made.clone();
        for name in self.name.iter().filter(|name| !name.is_built_in()) {
            if !self.state.is_present() {
                text = edit::comment_out(&text, name);
                continue;
            }
            let can_make = tools::require(cx, "locale-gen").await.is_ok();
            match Self::supported_line(cx, name).await? {
                Some(known_as) if can_make => text = edit::make(&text, name, &known_as),
                // A locale from a package needs no line in the list.
                _ if locales.has(name) => {}
                _ if can_make => {
                    return Ok(Err(format!(
                        "the machine cannot make the locale {name}: {} does not have it",
                        LISTS[0]
                    )));
                }
                _ => {
                    return Ok(Err(format!(
                        "the machine has no locale {name}, and no `locale-gen` to make it: install the package `locales`, \
                         or on Fedora and Red Hat `glibc-langpack-{}`",
                        name.language()
                    )));
                }
            }
        }
        Ok(Ok(text))
    }

    async fn default_file(cx: &Context) -> Result<&'static str> {
        for file in [DEBIAN, CONF] {
            if cx.system().files().metadata(Path::new(file), Follow::Links).await?.is_some() {
                return Ok(file);
            }
        }
        Ok(if cx.system().platform().family() == "debian" { DEBIAN } else { CONF })
    }

    /// Edits the list of locales to generate.
    async fn edit_list(&self, cx: &Context) -> Result<()> {
        let locales = Found::look(cx).await?;
        let edited = self.edited(cx, &locales).await?.map_err(Error::msg)?;
        if edited == locales.made {
            return Ok(());
        }
        text_file::write(cx, Path::new(MADE), &Text::new(edited, false)).await
    }

    /// Generates the locales in the list.
    ///
    /// # Errors
    ///
    /// Returns an error if that fails, or leaves a declared locale out.
    async fn generate(&self, cx: &Context) -> Result<()> {
        if !self.state.is_present() {
            return tools::change(cx, "locale-gen", [""; 0]).await;
        }
        // Existing locales are kept when a new one is generated.
        tools::change(cx, "locale-gen", ["--keep-existing"]).await?;
        let locales = Found::look(cx).await?;
        match self.name.iter().find(|name| !locales.has(name)) {
            Some(name) => Err(Error::msg(format!("`locale-gen` succeeded and did not make {name}"))),
            None => Ok(()),
        }
    }

    /// Whether a locale will exist after the apply.
    fn will_have(&self, locales: &Found, name: &LocaleName) -> bool {
        locales.has(name) || self.name.iter().any(|locale| locale.matches(&name.to_string()))
    }
}

#[async_trait]
impl Stepwise for Locale {
    const TYPE: &'static str = "system.locale";
    const ONLY_LINUX: &'static str = "it is about the locales of the C library of Linux";
    type Step = LocaleStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<LocaleStep>> {
        let locales = Found::look(cx).await?;
        let lacks = |reason: String| {
            if cx.pending().is_empty() { Err(Error::msg(reason)) } else { Ok(Findings::not_yet(reason)) }
        };
        let edited = match self.edited(cx, &locales).await? {
            Ok(edited) => edited,
            Err(reason) => return lacks(reason),
        };
        if let Some((variable, name)) = self.defaults.iter().find(|(_, name)| !self.will_have(&locales, name))
        {
            return lacks(format!(
                "{variable} cannot be {name}: the machine has no such locale; add it to `name`"
            ));
        }
        let mut findings = Findings::new();
        let (absent, present) = ("absent", "present");
        for name in &self.name {
            let (is_made, is_there) = (edit::is_made(&locales.made, name), locales.has(name));
            let is_listed = edit::is_made(&edited, name);
            if self.state.is_present() && (is_made != is_listed || !is_there) {
                let before = if is_there { "not made again" } else { absent };
                findings.status.add_difference(name.to_string(), before, present);
            } else if !self.state.is_present() && (is_made || is_there) {
                findings.status.add_difference(name.to_string(), present, absent);
            }
        }
        if self.name.iter().any(|name| locales.has(name) != self.state.is_present()) {
            findings.steps.push(LocaleStep::Generate);
        } else if edited != locales.made {
            findings.steps.push(LocaleStep::Edit);
        }
        let file = Self::default_file(cx).await?;
        let text = text_file::read(cx, Path::new(file)).await?.unwrap_or_default();
        for (variable, name) in &self.defaults {
            let value = edit::value(&text, variable);
            if value != Some(&name.to_string()) {
                findings.status.add_difference(variable.as_str(), value.unwrap_or(absent), name.to_string());
                if !findings.steps.contains(&LocaleStep::Default(file)) {
                    findings.steps.push(LocaleStep::Default(file));
                }
            }
        }
        findings.status.raise_level_for_diffs();
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &LocaleStep) -> Result<()> {
        match step {
            LocaleStep::Edit => self.edit_list(cx).await,
            LocaleStep::Generate => {
                let list = text_file::read(cx, Path::new(MADE)).await?;
                self.edit_list(cx).await?;
                let generated = self.generate(cx).await;
                if generated.is_err() {
                    match list {
                        Some(list) => text_file::write(cx, Path::new(MADE), &Text::new(list, false)).await?,
                        None => text_file::remove(cx, Path::new(MADE)).await?,
                    }
                }
                generated
            }
            LocaleStep::Default(file) => {
                let path = Path::new(file);
                let mut text = text_file::read(cx, path).await?.unwrap_or_default();
                for (variable, name) in &self.defaults {
                    text = edit::assign(&text, variable, name);
                }
                text_file::make_folder(cx, path).await?;
                text_file::write(cx, path, &Text::new(text, false)).await
            }
        }
    }
}

steps::task!(Locale);
