//! Tests of upgrades, packages from files, and unneeded packages, with `apt-get` and `dnf`.

use converge_tests::host::apt::Package;
use converge_tests::host::rpm::RpmPackage;
use converge_tests::host::{Host, Kind};

fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

fn apt(fields: &str) -> String {
    format!("package.apt \"it\" {{\n{fields}\n}}\n")
}

#[test]
fn apt_upgrades_and_removes_what_nothing_needs() {
    let Some(host) = Host::plain("apt_upgrades_and_removes_what_nothing_needs") else { return };
    let app = |version: &str| Package::new("app", version).control("Depends", "lib");
    let packages = ["lib", "one", "two", "other"].map(|name| Package::new(name, "1.0"));
    let repository = host.apt_repository(&[packages.as_slice(), &[app("1.0")]].concat());
    host.ok("apt-get install -y app one two && apt-mark hold two");
    host.nothing_to_do(&apt("name = [\"app\", \"one\"]\nlatest = true"), &[]);
    host.nothing_to_do(&apt("upgrade_all = true"), &[]);
    host.nothing_to_do(&apt("autoremove = true"), &[]);

    repository.publish(&[app("2.0"), Package::new("one", "2.0"), Package::new("two", "2.0")]);
    // The lists on the machine do not contain these versions yet.
    host.nothing_to_do(&apt("name = \"one\"\nlatest = true"), &[]);
    let plan = host.converge("plan", &apt("name = \"one\"\nlatest = true\nupdate = true"), &[]).success();
    assert_eq!(
        plan.report("package.apt.it")["messages"][0],
        "the lists of packages are fetched first, and may have newer versions"
    );
    let upgrade_only = apt("name = [\"one\", \"other\"]\nonly_upgrade = true\nupdate = true");
    let apply = host.converge("apply", &upgrade_only, &[]).success();
    assert_eq!(apply.report("package.apt.it")["outcome"], "changed", "{}", apply.everything());
    assert_eq!((host.package("one").as_deref(), host.package("other")), (Some("2.0"), None));
    assert_eq!(host.package("app").as_deref(), Some("1.0"));

    let story = host.story(&apt("upgrade_all = true"), &[]);
    assert_eq!(story.plan.differences("package.apt.it"), [difference("app", "1.0", "2.0")]);
    // A package on hold stays.
    assert_eq!(host.ok("dpkg-query --show --showformat '${Version}' two").stdout, "1.0");
    host.nothing_to_do(&apt("name = \"two\"\nlatest = true"), &[]);
    // A resource that declares the hold upgrades the package and restores the hold.
    let on_hold = || host.ok("apt-mark showhold").stdout;
    host.nothing_to_do(&apt("name = \"two\"\nhold = true"), &[]);
    let story = host.story(&apt("name = [\"two\", \"other\"]\nlatest = true\nhold = true"), &[]);
    let expect = [
        difference("other", "absent", "present"),
        difference("other is", "not on hold", "on hold"),
        difference("two", "1.0", "2.0"),
    ];
    assert_eq!(story.plan.differences("package.apt.it"), expect);
    assert_eq!(on_hold(), "other\ntwo\n");
    let error =
        host.converge("apply", &apt("name = \"two\"\nstate = \"absent\""), &[]).failure("package.apt.it");
    assert!(error.starts_with("two is on hold"), "{error}");
    host.story(&apt("name = [\"two\", \"other\"]\nhold = false"), &[]);
    assert_eq!(on_hold(), "");

    let story = host.story(&apt("name = \"app\"\nstate = \"absent\"\nautoremove = true"), &[]);
    let expect = [difference("app", "present", "absent"), difference("lib", "1.0", "absent")];
    assert_eq!(story.plan.differences("package.apt.it"), expect);
    assert_eq!((host.package("app"), host.package("lib")), (None, None));
}

#[test]
fn apt_installs_a_file() {
    let Some(host) = Host::plain("apt_installs_a_file") else { return };
    let needy = Package::new("needy", "1.0").control("Depends", "lib");
    host.apt_repository(&[Package::new("lib", "1.0"), needy, Package::new("needy", "2.0")]);
    host.ok("cp /srv/converge-test/apt/needy_1.0_all.deb /srv/old.deb && cp /srv/converge-test/apt/needy_2.0_all.deb /srv/new.deb");
    let sum = host.ok("sha256sum < /srv/old.deb | cut -d ' ' -f 1").stdout;
    let old = apt(&format!("file = \"/srv/old.deb\"\nhash = \"{}\"", sum.trim()));
    let story = host.story(&old, &[]);
    assert_eq!(story.plan.differences("package.apt.it"), [difference("needy", "absent", "1.0")]);
    assert_eq!(story.plan.report("package.apt.it")["messages"][0], "also installs lib 1.0");
    assert_eq!(
        (host.package("needy").as_deref(), host.package("lib").as_deref()),
        (Some("1.0"), Some("1.0"))
    );
    host.story(&apt("file = \"/srv/new.deb\""), &[]);
    assert_eq!(host.package("needy").as_deref(), Some("2.0"));
    // The version of the file is installed, even if it is older.
    host.story(&old, &[]);
    assert_eq!(host.package("needy").as_deref(), Some("1.0"));

    // A different file is not installed, and leaves nothing behind.
    host.ok("cp /srv/new.deb /srv/old.deb");
    let error = host.converge("apply", &old, &[]).failure("package.apt.it");
    assert!(error.starts_with("/srv/old.deb has the sha256 "), "{error}");
    host.put("/srv/new.deb", "no package");
    let error = host.converge("apply", &apt("file = \"/srv/new.deb\""), &[]).failure("package.apt.it");
    assert!(error.starts_with("/srv/new.deb cannot be read as a package of Debian:\n"), "{error}");
    assert_eq!(host.package("needy").as_deref(), Some("1.0"));
    assert_eq!(host.ok("ls /tmp").stdout, "");
}

#[test]
fn a_package_is_copied_where_the_disk_is_full() {
    let name = "a_package_is_copied_where_the_disk_is_full";
    let Some(host) = Host::with(name, Kind::Plain, &["--tmpfs", "/tmp:size=256k"]) else { return };
    host.put(
        "/srv/bulky/DEBIAN/control",
        "Package: bulky\nVersion: 1.0\nArchitecture: all\nMaintainer: t <t@example.com>\nDescription: t\n",
    );
    host.ok("mkdir -p /srv/bulky/usr/share/bulky && head -c 200000 /dev/urandom > /srv/bulky/usr/share/bulky/noise");
    host.ok(
        "TMPDIR=/srv dpkg-deb --build /srv/bulky /srv/bulky.deb && head -c 150000 /dev/zero > /tmp/filler",
    );
    let module = apt("file = \"/srv/bulky.deb\"");
    let error = host.converge("apply", &module, &[]).failure("package.apt.it");
    assert!(error.ends_with("no space left on device"), "{error}");
    assert_eq!((host.package("bulky"), host.ok("ls -A /tmp").stdout), (None, "filler\n".to_owned()));

    host.ok("rm /tmp/filler");
    host.story(&module, &[]);
    assert_eq!(host.package("bulky").as_deref(), Some("1.0"));
}

fn rpm(fields: &str) -> String {
    format!("package.rpm \"it\" {{\n{fields}\n}}\n")
}

#[test]
fn dnf_upgrades_and_removes_what_nothing_needs() {
    let Some(host) = Host::plain("dnf_upgrades_and_removes_what_nothing_needs") else { return };
    let app = RpmPackage::new("app", "1.0").tag("Requires", "lib");
    let [one, newer] = ["1.0", "2.0"].map(|version| RpmPackage::new("one", version));
    let [lib, newer_lib] = ["1.0", "1.5"].map(|version| RpmPackage::new("lib", version));
    host.rpm_repository(&[one, newer, app, lib, newer_lib, RpmPackage::new("other", "1.0")]);
    host.ok("dnf -y install one-1.0 lib-1.0 && dnf -y install app && dnf -y mark remove lib");
    let error = host.converge("plan", &rpm("name = \"one=3.0\""), &[]).failure("package.rpm.it");
    assert!(error.starts_with("dnf knows no version \"3.0\" of one: it knows "), "{error}");

    let story = host.story(&rpm("name = [\"one\", \"app\", \"other\"]\nonly_upgrade = true"), &[]);
    assert_eq!(story.plan.differences("package.rpm.it"), [difference("one", "1.0-1", "2.0-1")]);
    assert_eq!(host.rpm_package("other"), None);
    host.nothing_to_do(&rpm("name = [\"one\", \"app\"]\nlatest = true"), &[]);
    assert_eq!(host.rpm_package("lib").as_deref(), Some("1.0-1"));
    let story = host.story(&rpm("upgrade_all = true\nupdate = true"), &[]);
    assert_eq!(story.plan.differences("package.rpm.it"), [difference("lib", "1.0-1", "1.5-1")]);
    host.nothing_to_do(&rpm("autoremove = true"), &[]);
    host.story(&rpm("name = \"app\"\nstate = \"absent\""), &[]);
    let story = host.story(&rpm("autoremove = true\noptions = [\"--assumeyes\"]"), &[]);
    assert_eq!(story.plan.differences("package.rpm.it"), [difference("lib", "1.5-1", "absent")]);
    assert_eq!((host.rpm_package("lib"), host.rpm_package("one").as_deref()), (None, Some("2.0-1")));
}

#[test]
fn dnf_installs_a_file() {
    let Some(host) = Host::plain("dnf_installs_a_file") else { return };
    let [old, new] = ["1.0", "2.0"].map(|version| RpmPackage::new("hello", version));
    host.rpm_repository(&[old.clone(), new.clone()]);
    host.ok(&format!("cp '{}' /srv/old.rpm && cp '{}' /srv/new.rpm", old.file(), new.file()));
    let sum = host.ok("sha512sum < /srv/new.rpm | cut -d ' ' -f 1").stdout;
    let module = |name: &str, more: &str| rpm(&format!("file = \"/srv/{name}.rpm\"\n{more}"));
    let steps = [
        ("new", format!("hash = \"sha512:{}\"", sum.trim()), "absent", "2.0-1"),
        ("old", String::new(), "2.0-1", "1.0-1"),
    ];
    for (name, extra, before, after) in steps {
        let story = host.story(&module(name, &extra), &[]);
        let expect = [difference(&format!("/srv/{name}.rpm"), before, after)];
        assert_eq!(story.plan.differences("package.rpm.it"), expect);
        assert_eq!(host.rpm_package("hello").as_deref(), Some(after));
    }
    host.ok("cp /srv/old.rpm /srv/new.rpm");
    let hash = format!("hash = \"{}\"", sum.trim());
    let error = host.converge("apply", &module("new", &hash), &[]).failure("package.rpm.it");
    assert!(error.starts_with("/srv/new.rpm has the sha512 "), "{error}");
    assert_eq!(host.ok("ls /tmp | grep -v -e '^dnf' -e '^rpm$' || true").stdout, "");
}
