use converge_sdk::prelude::*;
use converge_sdk::value::OneOrMany;

use super::python::{Distribution, Python};
use super::spec::PipSpec;

/// The task of a `package.pip` resource.
#[derive(Debug, Export)]
pub struct PipPackages {
    /// The package, or the list of packages, as declared.
    #[export]
    pub(super) name: OneOrMany<PipSpec>,
    /// Whether the packages are to be installed.
    #[export]
    pub(super) state: Ensure,
    /// The installed version, or null if there is none; for a list of packages, the list of their versions.
    #[export(computed)]
    pub(super) version: OneOrMany<Option<String>>,
    pub(super) requirements: Option<String>,
    pub(super) python: Python,
    pub(super) extra_args: Vec<String>,
    pub(super) plan: PipPlan,
}

#[derive(Debug, Default)]
pub(super) struct PipPlan {
    /// Whether the virtual environment is created first.
    make: bool,
    install: Vec<String>,
    uninstall: Vec<String>,
}

fn find<'a>(list: &'a [Distribution], name: &str) -> Option<&'a str> {
    list.iter().find(|distribution| distribution.name == name).map(|found| &*found.version)
}

impl PipPackages {
    /// Returns the arguments that request these packages.
    fn asked(&self, specs: &[String]) -> Vec<String> {
        self.extra_args.iter().chain(specs).cloned().collect()
    }

    /// Returns the installed packages whose version may not be an accepted one.
    ///
    /// pip compares them: `1.0` and `1.0.0` are the same version.
    async fn unsatisfied(&self, cx: &Context, list: &[Distribution]) -> Result<Vec<Distribution>> {
        let is_open = |spec: &&PipSpec| {
            let current = find(list, &spec.normal());
            !spec.versions.is_empty() && current.is_some() && spec.exact() != current
        };
        let open: Vec<String> = self.name.as_slice().iter().filter(is_open).map(PipSpec::to_string).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        // A satisfied requirement needs no access to an index.
        let arguments: Vec<String> =
            std::iter::once("--no-deps".to_owned()).chain(self.asked(&open)).collect();
        self.python.preview(cx, &arguments).await
    }

    async fn compare(&mut self, cx: &Context, list: &[Distribution], status: &mut Status) -> Result<()> {
        let unsatisfied = match self.state {
            Ensure::Present if !self.plan.make => self.unsatisfied(cx, list).await?,
            _ => Vec::new(),
        };
        for spec in self.name.as_slice() {
            let name = spec.normal();
            let current = find(list, &name);
            match (self.state, current) {
                (Ensure::Present, None) => {
                    let target =
                        if spec.versions.is_empty() { Ensure::Present.as_str() } else { &spec.versions };
                    status.add_difference(
                        spec.name.as_str(),
                        Ensure::Absent.as_str(),
                        target.trim_start_matches("=="),
                    );
                    self.plan.install.push(spec.to_string());
                }
                (Ensure::Present, Some(has)) => {
                    let Some(target) = find(&unsatisfied, &name) else { continue };
                    status.add_difference(spec.name.as_str(), has, target);
                    self.plan.install.push(spec.to_string());
                }
                (Ensure::Absent, Some(has)) => {
                    status.add_difference(spec.name.as_str(), has, Ensure::Absent.as_str());
                    self.plan.uninstall.push(spec.name.clone());
                }
                (Ensure::Absent, None) => {}
            }
        }
        Ok(())
    }

    /// Simulates the installation with pip.
    async fn preview(&mut self, cx: &Context, list: &[Distribution], status: &mut Status) -> Result<()> {
        if self.plan.make {
            if let Some(file) = &self.requirements {
                status.add_message(format!("then what {file} requires is installed"));
                self.plan.install = vec![format!("--requirement={file}")];
            }
            return Ok(());
        }
        let arguments = match &self.requirements {
            Some(file) => vec![format!("--requirement={file}")],
            None if self.plan.install.is_empty() => return Ok(()),
            None => self.plan.install.clone(),
        };
        let installs = self.python.preview(cx, &self.asked(&arguments)).await?;
        if self.requirements.is_some() {
            for Distribution { name, version } in &installs {
                let current = find(list, name).unwrap_or(Ensure::Absent.as_str());
                status.add_difference(name.as_str(), current, version.as_str());
            }
            if !installs.is_empty() {
                self.plan.install = arguments;
            }
            return Ok(());
        }
        let is_named = |name: &str| self.name.as_slice().iter().any(|spec| spec.normal() == name);
        let (mut new, mut replaced) = (Vec::new(), Vec::new());
        for Distribution { name, version } in
            installs.iter().filter(|distribution| !is_named(&distribution.name))
        {
            match find(list, name) {
                None => new.push(format!("{name} {version}")),
                Some(current) => replaced.push(format!("{name} {current} with {version}")),
            }
        }
        for (verb, packages) in [("installs", new), ("replaces", replaced)] {
            if !packages.is_empty() {
                status.add_message(format!("also {verb} {}", packages.join(", ")));
            }
        }
        Ok(())
    }

    async fn inspect(&mut self, cx: &Context, status: &mut Status) -> Result<()> {
        self.plan.make = self.python.is_missing(cx).await?;
        let list = if self.plan.make { Vec::new() } else { self.python.list(cx, self.state).await? };
        if self.state == Ensure::Absent {
            self.plan.make = false;
        }
        if self.plan.make {
            status.add_difference("venv", Ensure::Absent.as_str(), Ensure::Present.as_str());
        }
        let mut versions =
            self.name.as_slice().iter().map(|spec| find(&list, &spec.normal()).map(str::to_owned));
        self.version = self.name.clone().map(|_| versions.next().flatten());
        self.compare(cx, &list, status).await?;
        if self.state == Ensure::Present {
            self.preview(cx, &list, status).await?;
        }
        status.raise_level_for_diffs();
        Ok(())
    }
}

impl Task for PipPackages {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        self.plan = PipPlan::default();
        match self.inspect(cx, &mut status).await {
            Ok(()) => Ok(status),
            Err(error @ Error::Cancelled) => Err(error),
            Err(error) if cx.pending().is_empty() => Err(error),
            Err(error) => {
                status.add_message(format!("pip cannot tell yet what that takes: {error}"));
                status.raise_level(StatusLevel::MayChange);
                Ok(status)
            }
        }
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        if self.plan.make {
            self.python.make(cx).await?;
        }
        if !self.plan.install.is_empty() {
            self.python.install(cx, &self.asked(&self.plan.install)).await?;
        }
        if !self.plan.uninstall.is_empty() {
            self.python.uninstall(cx, &self.plan.uninstall).await?;
        }
        Ok(Status::new())
    }
}
