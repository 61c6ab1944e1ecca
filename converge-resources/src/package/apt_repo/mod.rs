//! The `package.apt_repo` resource: a package repository of apt.

mod files;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::system::Url;
use converge_sdk::value::{FieldError, OneOrMany, Parsed};

pub use task::AptRepository;

use super::names::invalid;
use super::openpgp::{Fingerprint, KeySource};
use super::repo_files;
use files::Repository;

/// Ensures that apt knows a package repository and its signing key, or that it does not know it.
///
/// The repository is a file in `/etc/apt/sources.list.d`, in the deb822 format, which contains the key: apt
/// uses this key for this repository only. A priority is a file in `/etc/apt/preferences.d`, and a proxy one
/// in `/etc/apt/apt.conf.d`; without these fields there are no such files.
///
/// # Guarantees
///
/// A key is accepted only if its fingerprint is the declared one. The resource reads the key itself, without
/// a program of the machine. A key at a URL may have changed there, so the check first looks at the key in
/// the file. If that is the right one, nothing is fetched.
///
/// # Caveats
///
/// Package lists are not fetched: `update = true` of `package.apt` does that for packages from this
/// repository. Keys in such files need apt 2.3.10 or later (Debian 12, Ubuntu 22.04).
#[derive(Debug, Preparer)]
#[preparer(name = "package.apt_repo", task = AptRepository, validate, footprint, lock = "apt", example = "example.hcl")]
#[preparer(at_most_one = "key,key_url")]
pub struct AptRepoPreparer {
    /// Name of the file, without its ending.
    #[hcl(
        required,
        nonempty,
        pattern = "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        expects = "a name of a file that apt reads: letters, digits, _ - and ."
    )]
    name: String,
    /// The addresses of the repository: `"https://deb.example.com/debian"`.
    #[hcl(mutually_exclusive = "uris,ppa")]
    uris: Option<Vec<String>>,
    /// An archive of Launchpad, instead of `uris`: `"deadsnakes/ppa"`.
    #[hcl(
        mutually_exclusive = "uris,ppa",
        pattern = "^[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*$",
        expects = "the name of an archive, as in `owner/archive`"
    )]
    ppa: Option<String>,
    /// The suites of the repository: `"bookworm"`, or a path that ends with a slash.
    #[hcl(required_if = "state=present")]
    suites: Option<Vec<String>>,
    /// The components of the suites: `"main"`.
    ///
    /// A suite that is a path has none; the default of any other is `main`.
    components: Option<Vec<String>>,
    /// The signing key of the repository, as text.
    key: Option<String>,
    /// The URL of the key, which may be text or binary there.
    key_url: Option<Parsed<Url>>,
    /// The full fingerprint of the key, or the fingerprints of all keys if there are several.
    #[hcl(required_if = "state=present")]
    key_fingerprint: Option<OneOrMany<Fingerprint>>,
    /// The architectures whose packages are used; the default is those of the machine.
    architectures: Option<Vec<String>>,
    /// The priority of the packages over those of other repositories, as in `apt_preferences(5)`.
    ///
    /// 500 is usual. With 100 or less, nothing is upgraded from this repository; more than 1000 replaces
    /// newer versions.
    #[hcl(min = -32768, max = 32767)]
    priority: Option<i32>,
    /// The proxy for this repository; `"DIRECT"` for none.
    proxy: Option<String>,
    /// Whether apt is to know the repository.
    #[hcl(default)]
    state: Ensure,
}

impl AptRepoPreparer {
    fn repository(&self) -> Result<Repository, Vec<FieldError>> {
        let uris = match (&self.uris, &self.ppa) {
            (_, Some(ppa)) => vec![format!("https://ppa.launchpadcontent.net/{ppa}/ubuntu")],
            (uris, None) => uris.clone().unwrap_or_default(),
        };
        let suites = self.suites.clone().unwrap_or_default();
        let is_path = suites.iter().any(|suite| suite.ends_with('/'));
        let usual = if is_path { Vec::new() } else { vec!["main".to_owned()] };
        let repository = Repository {
            name: self.name.clone(),
            uris,
            components: self.components.clone().unwrap_or(usual),
            suites,
            architectures: self.architectures.clone().unwrap_or_default(),
            priority: self.priority,
            proxy: self.proxy.clone(),
        };
        if self.state == Ensure::Absent {
            return Ok(repository);
        }
        repository.validate().map_err(|(field, message)| invalid(field, &message))?;
        if is_path && !repository.components.is_empty() {
            return Err(invalid("components", "a suite that is a path has no components"));
        }
        Ok(repository)
    }

    /// Returns the key in the module, or its URL.
    fn key(&self) -> Result<KeySource, Vec<FieldError>> {
        match (&self.key, &self.key_url) {
            (Some(key), _) => KeySource::inline(key, self.expected()).map_err(|why| invalid("key", &why)),
            (None, Some(url)) => Ok(KeySource::Url(url.0.clone())),
            (None, None) if self.state == Ensure::Absent => Ok(KeySource::None),
            (None, None) => Err(invalid("key", "the key is missing: write `key` or `key_url`")),
        }
    }

    fn expected(&self) -> &[Fingerprint] {
        self.key_fingerprint.as_ref().map_or(&[], OneOrMany::as_slice)
    }
}

impl HasFootprint for AptRepoPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        repo_files::claim(footprint, Repository::paths(&self.name));
    }
}

impl Validate for AptRepoPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.repository()?;
        self.key().map(drop)
    }
}

impl Resource for AptRepoPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<AptRepository> {
        let (repository, key) = (self.repository()?, self.key()?);
        let [path, ..] = Repository::paths(&self.name);
        let expected = self.expected().to_vec();
        Ok(AptRepository {
            name: self.name,
            path,
            state: self.state,
            repository,
            key,
            expected,
            changes: Vec::new(),
        })
    }
}
