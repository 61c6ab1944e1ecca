//! An apt repository inside a host, so that apt needs no network.

use std::fmt::Write as _;

use super::Host;

/// The folder of the repository in the host.
const FOLDER: &str = "/srv/converge-test/apt";

/// A Debian package to build.
///
/// By default it is for every architecture, has no dependencies, and contains the file
/// `/usr/share/NAME/version`.
#[derive(Clone, Debug)]
pub struct Package {
    name: String,
    version: String,
    control: Vec<(String, String)>,
    /// The path, mode and content of each file.
    files: Vec<(String, &'static str, String)>,
}

impl Package {
    /// Creates a package with this name and version.
    pub fn new(name: &str, version: &str) -> Self {
        let package = Self {
            name: name.to_owned(),
            version: version.to_owned(),
            control: Vec::new(),
            files: Vec::new(),
        };
        package.file(&format!("/usr/share/{name}/version"), version)
    }

    /// Adds a field to the control file: `("Depends", "hello (>= 1.0)")`.
    pub fn control(mut self, field: &str, value: &str) -> Self {
        self.control.push((field.to_owned(), value.to_owned()));
        self
    }

    /// Adds a file, to whose content a newline is appended.
    pub fn file(self, path: &str, content: &str) -> Self {
        self.with(path, "0644", content)
    }

    /// Adds an executable script.
    pub fn program(self, path: &str, script: &str) -> Self {
        self.with(path, "0755", &format!("#!/bin/sh\n{script}"))
    }

    /// Adds a configuration file, whose local changes dpkg keeps.
    pub fn conffile(self, path: &str, content: &str) -> Self {
        self.with("/DEBIAN/conffiles", "0644", path).file(path, content)
    }

    /// Adds a maintainer script for `sh`: `("postinst", "exit 1")`.
    pub fn script(self, name: &str, script: &str) -> Self {
        self.with(&format!("/DEBIAN/{name}"), "0755", &format!("#!/bin/sh\n{script}"))
    }

    fn with(mut self, path: &str, mode: &'static str, content: &str) -> Self {
        self.files.push((path.to_owned(), mode, content.to_owned()));
        self
    }

    /// Returns the commands that build the package and add it to the index of the repository.
    fn build(&self) -> String {
        let Self { name, version, .. } = self;
        // The colon of an epoch is encoded in file names.
        let archive = format!("{name}_{}_all.deb", version.replace(':', "%3a"));
        let mut control = format!("Package: {name}\nVersion: {version}\nArchitecture: all\n");
        control.push_str("Maintainer: Nobody <nobody@localhost>\nDescription: made by a test\n");
        for (field, value) in &self.control {
            let _ = writeln!(control, "{field}: {value}");
        }
        let mut script = "rm -rf tree\nmkdir tree\n".to_owned();
        let control = ("/DEBIAN/control".to_owned(), "0644", control);
        for (path, mode, content) in std::iter::once(&control).chain(&self.files) {
            let content = content.trim_end_matches('\n');
            let _ = writeln!(script, "mkdir -p \"$(dirname 'tree{path}')\"");
            let _ = writeln!(script, "cat >> 'tree{path}' <<'END OF THE FILE'\n{content}\nEND OF THE FILE");
            let _ = writeln!(script, "chmod {mode} 'tree{path}'");
        }
        let _ = write!(
            script,
            "dpkg-deb --root-owner-group --build tree '{archive}' > /dev/null\n\
             {{ cat tree/DEBIAN/control; echo \"Filename: ./{archive}\"\n\
             echo \"Size: $(stat --format %s '{archive}')\"\n\
             echo \"SHA256: $(sha256sum '{archive}' | cut -d ' ' -f 1)\"; echo; }} >> Packages\n"
        );
        script
    }
}

/// The key that signs a repository.
#[derive(Clone, Debug)]
pub struct SigningKey {
    /// The public key as text.
    pub text: String,
    /// The full fingerprint.
    pub fingerprint: String,
}

/// A repository that is configured in apt of the host.
#[derive(Clone, Copy, Debug)]
pub struct AptRepository<'a> {
    host: &'a Host,
}

impl Host {
    /// Creates a repository of these packages as the only one of apt, and fetches its index.
    #[track_caller]
    pub fn apt_repository(&self, packages: &[Package]) -> AptRepository<'_> {
        let repository = AptRepository { host: self };
        self.ok(&format!(
            "rm -rf /etc/apt/sources.list.d/* {FOLDER} && mkdir -p {FOLDER} && touch {FOLDER}/Packages\n\
             echo 'deb [trusted=yes] copy:{FOLDER} ./' > /etc/apt/sources.list"
        ));
        repository.publish(packages);
        self.ok("apt-get update");
        repository
    }
}

impl AptRepository<'_> {
    /// Adds packages, which apt sees once it fetches the index again.
    #[track_caller]
    pub fn publish(&self, packages: &[Package]) {
        let build: String = packages.iter().map(Package::build).collect();
        self.host.ok(&format!("set -e\ncd {FOLDER}\n{build}rm -rf tree"));
    }

    /// Returns the URI of the repository.
    pub fn uri(&self) -> String {
        format!("copy:{FOLDER}")
    }

    /// Signs the current contents with a new key.
    #[track_caller]
    pub fn sign(&self) -> SigningKey {
        let folder = "/srv/converge-test/key";
        self.host.ok(&format!(
            "set -e\nexport GNUPGHOME={folder}\nmkdir -m 0700 {folder}\n\
             gpg --batch --quiet --passphrase '' --quick-generate-key nobody@localhost ed25519 sign never\n\
             cd {FOLDER}\n\
             {{ echo 'Suite: test'; date --utc '+Date: %a, %d %b %Y %H:%M:%S UTC'; echo 'SHA256:'\n\
             echo \" $(sha256sum Packages | cut -d ' ' -f 1) $(stat --format %s Packages) Packages\"; }} > Release\n\
             gpg --batch --clearsign --output InRelease Release"
        ));
        let gpg = |arguments: &str| self.host.ok(&format!("gpg --homedir {folder} {arguments}")).stdout;
        SigningKey {
            text: gpg("--armor --export"),
            fingerprint: gpg(
                "--with-colons --list-keys | sed -n 's/^fpr:*\\([0-9A-F]*\\):$/\\1/p' | head -n 1",
            )
            .trim_end()
            .to_owned(),
        }
    }

    /// Removes the repository, as if the server were down.
    ///
    /// The index that apt has fetched remains.
    #[track_caller]
    pub fn vanish(&self) {
        self.host.ok(&format!("rm -rf {FOLDER}"));
    }
}
