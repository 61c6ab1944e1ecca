//! `package.rpm_repo`: a repository of packages that dnf and yum know.

mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::Footprint;
use converge_core::prelude::*;
use converge_core::system::Url;
use converge_core::value::{FieldError, OneOrMany, Parsed};

pub use task::RpmRepository;

use super::names::invalid;
use super::openpgp::{Fingerprint, KeySource};
use super::repo_files;

/// Sees to it that `dnf` and `yum` know a repository of packages, and by which key its packages are signed, or that they do not know it.
///
/// It is a file in `/etc/yum.repos.d`, and beside it one with the key, which ends with `.asc`.
///
/// # Guarantees
///
/// A key is taken only when its fingerprint is the one that is written. It is read here, no program of the machine is asked. Of a
/// key from a URL, which may have changed there, the check looks at what is on the machine first: with the right key there,
/// nothing is fetched. That packages are not looked at has to be said twice, with `gpgcheck = false` and `accept_unsigned = true`.
///
/// # Caveats
///
/// A machine without `/etc/yum.repos.d` is refused: zypper has its repositories elsewhere.
#[derive(Debug, Preparer)]
#[preparer(name = "package.rpm_repo", task = RpmRepository, validate, footprint, lock = "rpm", example = "example.hcl")]
pub struct RpmRepoPreparer {
    /// Name of the file, without its ending, and of the repository.
    #[hcl(
        required,
        nonempty,
        pattern = "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$",
        expects = "a name of a repository: letters, digits, _ - and ."
    )]
    name: String,
    /// What it is, for people; without it, the name.
    #[hcl(pattern = "^[^\\x00-\\x1f]*$", expects = "one line")]
    description: Option<String>,
    /// Where it is: `"https://rpm.example.com/el9"`, or a list of places that have the same.
    #[hcl(required_if = "state=present")]
    baseurl: Option<OneOrMany<String>>,
    /// The key with which packages are signed, as text.
    #[hcl(mutually_exclusive = "key,gpgkey")]
    key: Option<String>,
    /// Where the key is fetched, as text or as bytes.
    #[hcl(mutually_exclusive = "key,gpgkey")]
    gpgkey: Option<Parsed<Url>>,
    /// The fingerprint of the key: all of it. Where the key is several keys, those of all.
    key_fingerprint: Option<OneOrMany<Fingerprint>>,
    /// Whether its packages are used when nothing else is said.
    #[hcl(default = true)]
    enabled: bool,
    /// Whether the signatures of packages are looked at.
    #[hcl(default = true)]
    gpgcheck: bool,
    /// Says once more that packages are taken that nobody signed.
    #[hcl(default)]
    accept_unsigned: bool,
    /// Which repository is preferred: the lowest number, 99 without it.
    #[hcl(min = 1, max = 99)]
    priority: Option<u32>,
    /// Whether it is to be known.
    #[hcl(default)]
    state: Ensure,
}

/// What the ways to a repository begin with.
const SCHEMES: [&str; 4] = ["https://", "http://", "ftp://", "file:///"];

impl RpmRepoPreparer {
    fn expected(&self) -> &[Fingerprint] {
        self.key_fingerprint.as_ref().map_or(&[], OneOrMany::as_slice)
    }

    /// The file of the repository, and that of its key.
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

    /// The text of the file.
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
                &format!("{other:?} is no URL that begins with one of {}", SCHEMES.join(" ")),
            ));
        }
        if !self.gpgcheck && !self.accept_unsigned {
            let message =
                "packages that nobody signed may be anybody's: say so twice, with `accept_unsigned = true`";
            return Err(invalid("gpgcheck", message));
        }
        if self.gpgcheck && self.accept_unsigned {
            return Err(invalid("accept_unsigned", "it goes with `gpgcheck = false`"));
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
