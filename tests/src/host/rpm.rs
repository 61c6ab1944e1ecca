//! RPM packages that a test builds in a host, as files and as a `dnf` repository.

use std::fmt::Write as _;

use super::Host;

/// The folder of the package files in the host.
const FOLDER: &str = "/srv/converge-test/rpm";

/// An RPM package to build, in release 1 and for every architecture.
///
/// By default it contains `/usr/share/NAME/version` and has no dependencies.
#[derive(Clone, Debug)]
pub struct RpmPackage {
    name: String,
    version: String,
    tags: String,
    scripts: String,
}

impl RpmPackage {
    /// Creates a package with this name and version.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            tags: String::new(),
            scripts: String::new(),
        }
    }

    /// Adds a tag to the spec file: `("Requires", "hello")`.
    pub fn tag(mut self, tag: &str, value: &str) -> Self {
        let _ = writeln!(self.tags, "{tag}: {value}");
        self
    }

    /// Adds a `pre` or `post` script in Lua, which RPM runs itself.
    ///
    /// A shell script would add a dependency that nothing on Debian provides.
    pub fn script(mut self, name: &str, lua: &str) -> Self {
        let _ = writeln!(self.scripts, "%{name} -p <lua>\n{lua}");
        self
    }

    /// Returns the path of the package file.
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

    /// Builds packages, and creates a repository of all packages built so far as the only one of `dnf`.
    #[track_caller]
    pub fn rpm_repository(&self, packages: &[RpmPackage]) {
        self.rpm_files(packages);
        self.put(
            "/etc/yum.repos.d/converge-test.repo",
            format!("[converge-test]\nname=made by a test\nbaseurl=file://{FOLDER}\ngpgcheck=0\nmetadata_expire=0\n"),
        );
        self.ok(&format!("createrepo_c --quiet {FOLDER}"));
    }

    /// Removes a program from the host.
    #[track_caller]
    pub fn without(&self, program: &str) {
        self.ok(&format!("rm \"$(command -v {program})\""));
    }

    /// Returns the version and release of a package that RPM has installed.
    #[track_caller]
    pub fn rpm_package(&self, name: &str) -> Option<String> {
        let output = self.run(&format!("rpm --query --queryformat '%{{VERSION}}-%{{RELEASE}}' '{name}'"));
        (output.code == Some(0)).then_some(output.stdout)
    }
}
