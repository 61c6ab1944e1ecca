//! Debian packages that a test makes, in a repository in the host: apt needs no network for them.

use super::Host;

/// A Debian package for all architectures.
#[derive(Clone, Copy, Debug)]
pub struct Deb<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version: `1.0-1`.
    pub version: &'a str,
    /// More lines of its control file: `Depends: libc6\n`.
    pub control: &'a str,
    /// Its files: path without the first slash, and content. What begins with `#!` is a program; scripts of the package
    /// are programs in `DEBIAN`.
    pub files: &'a [(&'a str, &'a str)],
}

/// Builds one package: the folder that holds its files, and where it goes.
const BUILD: &str = r##"
cd "$1"
find . -type f | while read -r file; do
    if head -c 2 "$file" | grep -q '#!'; then chmod 0755 "$file"; fi
done
mkdir -p "$2"
dpkg-deb --root-owner-group --build "$1" "$2"
"##;

/// Writes the index of a repository.
const INDEX: &str = r#"
cd "$1" && for package in *.deb; do
    dpkg-deb --field "$package"
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' \
        "$package" "$(stat --format %s "$package")" "$(sha256sum "$package" | cut -d ' ' -f 1)"
done > Packages.new && mv Packages.new Packages
"#;

impl Host {
    /// Adds packages to the repository in `folder`, which is made when there is none. A host reads it with the line
    /// `deb [trusted=yes] file:FOLDER ./`.
    #[track_caller]
    pub fn repository(&self, folder: &str, packages: &[Deb<'_>]) {
        for Deb { name, version, control, files } in packages {
            let root = format!("/tmp/converge-test/{name}_{version}");
            let about = format!(
                "Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: tests\n{control}Description: made by a test\n"
            );
            self.put(&format!("{root}/DEBIAN/control"), about);
            for (path, content) in *files {
                self.put(&format!("{root}/{path}"), content);
            }
            self.script(BUILD, &[&root, folder]);
            self.ok(&format!("rm -r '{root}'"));
        }
        self.script(INDEX, &[folder]);
    }
}
