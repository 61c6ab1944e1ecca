//! The `package.pip` resource: Python packages.

mod python;
mod spec;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, OneOrMany};

pub use task::PipPackages;

use super::names::{each_once, invalid};
use super::scope::validate_options;
use python::{Place, Python};
use spec::PipSpec;
use task::PipPlan;

/// Installs and removes Python packages with `pip`.
///
/// The packages are in a virtual environment, or those of a user, or those of the machine's Python. All
/// spellings of a name are equal (`Zope.Interface` is `zope-interface`), and `pip` itself compares versions.
/// An installed package stays at its version while that is an accepted one. The check simulates `pip`, so the
/// plan names the dependencies.
///
/// A missing virtual environment is created. A directory with other contents is refused.
///
/// # Caveats
///
/// The packages of the machine's Python belong to its distribution, whose programs need them: these are
/// changed only with `system = true`. Extras (`name[extra]`) are installed with a package, but not checked if
/// the package is installed already. The simulation (`pip` 22.2 and later) may access an index, and builds
/// packages that are not wheels. With `state = "absent"`, dependencies stay.
#[derive(Debug, Preparer)]
#[preparer(name = "package.pip", task = PipPackages, validate, footprint, changes = "anything", lock = "pip", example = "example.hcl")]
#[preparer(at_least_one = "name,requirements", at_most_one = "venv,user,system")]
pub struct PipPreparer {
    /// The package, or a list of packages: `"requests"`, with versions `"django>=4.2,<5"`, with extras
    /// `"requests[socks]"`.
    #[hcl(nonempty, alias = "names")]
    name: Option<OneOrMany<PipSpec>>,
    /// A requirements file, all of whose packages are to be installed.
    #[hcl(conflicts_with = "name", pattern = "^/", expects = "an absolute path", needs = "path")]
    requirements: Option<String>,
    /// The directory of the virtual environment.
    #[hcl(pattern = "^/.", expects = "an absolute path", alias = "virtualenv", ensures = "path:tree")]
    venv: Option<String>,
    /// Login name of the user for whom the packages are installed.
    #[hcl(nonempty, needs = "user:name")]
    user: Option<String>,
    /// Allows changes of the packages of the machine's Python.
    system: Option<bool>,
    /// The Python program that creates the virtual environment, or that has the packages.
    #[hcl(touches = "python_packages at all", default = "python3", pattern = "^[^-]", expects = "a program")]
    python: String,
    /// Further options for `pip install`, one in each text.
    ///
    /// An example is `"--index-url=https://pypi.example.com/simple"`.
    #[hcl(default)]
    extra_args: Vec<String>,
    /// The exact version of the one package that is named.
    #[hcl(nonempty)]
    version: Option<String>,
    /// Whether the packages are to be installed.
    #[hcl(default, removes = "absent")]
    state: Ensure,
}

impl PipPreparer {
    fn packages(&self) -> Result<OneOrMany<PipSpec>, Vec<FieldError>> {
        let mut name = self.name.clone().unwrap_or(OneOrMany::Many(Vec::new()));
        if let Some(version) = &self.version {
            match &mut name {
                OneOrMany::One(spec) if spec.versions.is_empty() => {
                    *spec = spec
                        .with_version(version)
                        .map_err(|_| invalid("version", "it is not a version, such as 1.2.3"))?;
                }
                OneOrMany::One(_) => return Err(invalid("version", "`name` has a version already")),
                OneOrMany::Many(_) => {
                    return Err(invalid("version", "it is for one package: in a list write \"name==1.0\""));
                }
            }
        }
        if self.state == Ensure::Absent {
            if self.requirements.is_some() {
                return Err(invalid("requirements", "write the absent packages in `name`"));
            }
            if name.as_slice().iter().any(|spec| !spec.versions.is_empty()) {
                let message = "an absent package has no version: leave the version out to remove any version";
                return Err(invalid("state", message));
            }
        }
        each_once(name.as_slice().iter().map(PipSpec::normal))?;
        Ok(name)
    }

    fn place(&self) -> Result<Place, Vec<FieldError>> {
        match (&self.venv, &self.user, self.system) {
            (Some(path), ..) => Ok(Place::Venv(path.clone())),
            (None, Some(user), _) => Ok(Place::User(user.clone())),
            (None, None, Some(true)) => Ok(Place::System),
            (None, None, _) => {
                let message = "the packages of the machine's Python belong to its distribution: write `venv` or `user`, or \
                               `system = true` if they are meant";
                Err(invalid("system", message))
            }
        }
    }
}

impl Validate for PipPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        validate_options("extra_args", &self.extra_args)?;
        self.packages()?;
        self.place().map(drop)
    }
}

impl HasFootprint for PipPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        let place = match (&self.venv, &self.user) {
            (Some(path), _) => path.as_str(),
            (None, Some(user)) => user.as_str(),
            (None, None) => self.python.as_str(),
        };
        for spec in self.name.as_ref().map_or(&[][..], OneOrMany::as_slice) {
            footprint.manages("package of Python", &format!("{} in {place}", spec.normal()));
        }
    }
}

impl Resource for PipPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<PipPackages> {
        let (name, place) = (self.packages()?, self.place()?);
        let version = name.clone().map(|_| None);
        Ok(PipPackages {
            name,
            state: self.state,
            version,
            requirements: self.requirements,
            python: Python { program: self.python, place },
            extra_args: self.extra_args,
            plan: PipPlan::default(),
        })
    }
}
