//! RPM packages that a test makes in a host, as files and as a repository for `dnf`.

use std::fmt::Write as _;

use super::Host;

/// Where the package files are in the host.
const FOLDER: &str = "/srv/converge-test/rpm";

/// An RPM package to be built, in release 1 and for every architecture. It holds `/usr/share/NAME/version`, and depends
/// on nothing unless the test says more.
#[derive(Clone, Debug)]
pub struct RpmPackage {
    name: String,
    version: String,
    tags: String,
    scripts: String,
}

impl RpmPackage {
    /// A package of this name and version.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            tags: String::new(),
            scripts: String::new(),
        }
    }

    /// With a tag of its spec file: `("Requires", "hello")`.
    pub fn tag(mut self, tag: &str, value: &str) -> Self {
        let _ = writeln!(self.tags, "{tag}: {value}");
        self
    }

    /// With a script of the package, `pre` or `post`, in Lua, which RPM runs itself: a shell would be a dependency that
    /// nothing on Debian provides.
    pub fn script(mut self, name: &str, lua: &str) -> Self {
        let _ = writeln!(self.scripts, "%{name} -p <lua>\n{lua}");
        self
    }

    /// The path of its file.
    pub fn file(&self) -> String {
        format!("{FOLDER}/{}-{}-1.noarch.rpm", self.name, self.version)
    }

    fn spec(&self) -> String {
        let Self { name, version, tags, scripts } = self;
        format!(
            "Name: {name}\nVersion: {version}\nRelease: 1\nSummary: made by a test\nLicense: none\nBuildArch: noarch\n\
             AutoReqProv: no\n{tags}\n%description\nmade by a test\n%install\nmkdir -p %{{buildroot}}/usr/share/{name}\n\
             echo {version} > %{{buildroot}}/usr/share/{name}/version\n%files\n/usr/share/{name}/version\n{scripts}"
        )
    }
}

impl Host {
    /// Builds package files.
    #[track_caller]
    pub fn rpm_files(&self, packages: &[RpmPackage]) {
        let mut script = format!("set -e\nmkdir -p {FOLDER} /tmp/rpm\ncd /tmp/rpm\n");
        for package in packages {
            let _ =
                writeln!(script, "cat > made.spec <<'END OF THE FILE'\n{}\nEND OF THE FILE", package.spec());
            let _ = writeln!(
                script,
                "rpmbuild -bb --quiet --define '_rpmdir {FOLDER}' --define '_rpmfilename \
                 %%{{NAME}}-%%{{VERSION}}-%%{{RELEASE}}.%%{{ARCH}}.rpm' made.spec"
            );
        }
        self.ok(&script);
    }

    /// Builds packages, and makes a repository of all that were built so far the only one that `dnf` knows.
    #[track_caller]
    pub fn rpm_repository(&self, packages: &[RpmPackage]) {
        self.rpm_files(packages);
        self.put(
            "/etc/yum.repos.d/converge-test.repo",
            format!("[converge-test]\nname=made by a test\nbaseurl=file://{FOLDER}\ngpgcheck=0\nmetadata_expire=0\n"),
        );
        self.ok(&format!("createrepo_c --quiet {FOLDER}"));
    }

    /// Takes a program away, as on a machine that does not have it.
    #[track_caller]
    pub fn without(&self, program: &str) {
        self.ok(&format!("rm \"$(command -v {program})\""));
    }

    /// The version of a package that RPM has installed, with its release.
    #[track_caller]
    pub fn rpm_package(&self, name: &str) -> Option<String> {
        let said = self.run(&format!("rpm --query --queryformat '%{{VERSION}}-%{{RELEASE}}' '{name}'"));
        (said.code == Some(0)).then_some(said.stdout)
    }
}
