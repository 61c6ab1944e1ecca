//! The `package.rpm_repo` resource: a package repository of dnf and yum.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::system::Url;
use converge_sdk::value::{FieldError, OneOrMany, Parsed};

pub use task::RpmRepository;

use super::names::invalid;
use super::openpgp::{Fingerprint, KeySource};
use super::repo_files;

/// Ensures that `dnf` and `yum` know a package repository and its signing key, or that they do not.
///
/// The repository is a file in `/etc/yum.repos.d`, with the key in a file beside it that ends in `.asc`.
///
/// # Guarantees
///
/// A key is accepted only if its fingerprint is the declared one. The resource reads the key itself, without
/// a program of the machine. A key at a URL may have changed there, so the check first looks at the key on
/// the machine. If that is the right one, nothing is fetched. To accept packages without verification, both
/// `gpgcheck = false` and `accept_unsigned = true` are needed.
///
/// # Caveats
///
/// A machine without `/etc/yum.repos.d` is refused: zypper keeps its repositories elsewhere.
#[derive(Debug, Preparer)]
#[preparer(name = "package.rpm_repo", task = RpmRepository, validate, footprint, lock = "rpm", example = "example.hcl")]
#[preparer(at_most_one = "key,gpgkey")]
pub struct RpmRepoPreparer {
    /// Name of the repository, and of its file without the ending.
    #[hcl(
        required,
        nonempty,
        pattern = "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        expects = "a name of a repository: letters, digits, _ - and ."
    )]
    name: String,
    /// A description for people; the default is the name.
    #[hcl(pattern = "^[^\\x00-\\x1f]*$", expects = "one line")]
    description: Option<String>,
    /// The address of the repository, or a list of mirrors with the same content.
    ///
    /// An example is `"https://rpm.example.com/el9"`.
    #[hcl(required_if = "state=present")]
    baseurl: Option<OneOrMany<String>>,
    /// The signing key of the packages, as text.
    key: Option<String>,
    /// The URL of the key, which may be text or binary there.
    gpgkey: Option<Parsed<Url>>,
    /// The full fingerprint of the key, or the fingerprints of all keys if there are several.
    key_fingerprint: Option<OneOrMany<Fingerprint>>,
    /// Whether the packages of the repository are used by default.
    #[hcl(default = true)]
    enabled: bool,
    /// Whether the signatures of packages are verified.
    #[hcl(default = true)]
    gpgcheck: bool,
    /// Confirms that unsigned packages are accepted.
    #[hcl(default)]
    accept_unsigned: bool,
    /// The priority of the repository: the lowest number is preferred. The default is 99.
    #[hcl(min = 1, max = 99)]
    priority: Option<u32>,
    /// Whether dnf and yum are to know the repository.
    #[hcl(default)]
    state: Ensure,
}

const SCHEMES: [&str; 4] = ["https://", "http://", "ftp://", "file:///"];

impl RpmRepoPreparer {
    fn expected(&self) -> &[Fingerprint] {
        self.key_fingerprint.as_ref().map_or(&[], OneOrMany::as_slice)
    }

    /// Returns the paths of the files for the repository and its key.
    fn paths(&self) -> [String; 2] {
        let name = &self.name;
        [format!("/etc/yum.repos.d/{name}.repo"), format!("/etc/yum.repos.d/{name}.asc")]
    }

    fn key(&self) -> Result<KeySource, Vec<FieldError>> {
        if self.state == Ensure::Absent {
            return Ok(KeySource::None);
        }
        let key = match (&self.key, &self.gpgkey) {
            (Some(key), _) => KeySource::inline(key, self.expected()).map_err(|why| invalid("key", &why))?,
            (None, Some(url)) => KeySource::Url(url.0.clone()),
            (None, None) if self.gpgcheck => {
                return Err(invalid("key", "the key is missing: write `key` or `gpgkey`"));
            }
            (None, None) => KeySource::None,
        };
        if !matches!(key, KeySource::None) && self.expected().is_empty() {
            return Err(invalid("key_fingerprint", "it is missing: a key is taken by its fingerprint"));
        }
        Ok(key)
    }

    fn text(&self, has_key: bool) -> Result<String, Vec<FieldError>> {
        let urls = self.baseurl.as_ref().map_or(&[][..], OneOrMany::as_slice);
        let is_url = |url: &&String| {
            SCHEMES.iter().any(|scheme| url.starts_with(scheme))
                && url.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if urls.is_empty() {
            return Err(invalid("baseurl", "there is none"));
        }
        if let Some(other) = urls.iter().find(|url| !is_url(url)) {
            return Err(invalid(
                "baseurl",
                &format!("{other:?} is not a URL that begins with one of {}", SCHEMES.join(" ")),
            ));
        }
        if !self.gpgcheck && !self.accept_unsigned {
            let message =
                "unsigned packages can come from anybody: to accept that, write `accept_unsigned = true` too";
            return Err(invalid("gpgcheck", message));
        }
        if self.gpgcheck && self.accept_unsigned {
            return Err(invalid("accept_unsigned", "it has no effect without `gpgcheck = false`"));
        }
        let [_, key] = self.paths();
        let number = |yes: bool| if yes { "1" } else { "0" };
        let description = self.description.as_deref().unwrap_or(&self.name);
        let mut lines = vec![
            format!("[{}]", self.name),
            format!("name={description}"),
            format!("baseurl={}", urls.join(" ")),
            format!("enabled={}", number(self.enabled)),
            format!("gpgcheck={}", number(self.gpgcheck)),
        ];
        lines.extend(has_key.then(|| format!("gpgkey=file://{key}")));
        lines.extend(self.priority.map(|priority| format!("priority={priority}")));
        Ok(lines.join("\n") + "\n")
    }
}

impl HasFootprint for RpmRepoPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        repo_files::claim(footprint, self.paths());
    }
}

impl Validate for RpmRepoPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        self.key()?;
        if self.state == Ensure::Present { self.text(true).map(drop) } else { Ok(()) }
    }
}

impl Resource for RpmRepoPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<RpmRepository> {
        let key = self.key()?;
        let text = match self.state {
            Ensure::Present => Some(self.text(!matches!(key, KeySource::None))?),
            Ensure::Absent => None,
        };
        let [path, key_path] = self.paths();
        let expected = self.expected().to_vec();
        Ok(RpmRepository {
            name: self.name,
            path,
            state: self.state,
            key_path,
            text,
            key,
            expected,
            changes: Vec::new(),
        })
    }
}
