//! Tests of `package.rpm`, with `rpm` alone and with `dnf`, on packages that the tests build.

use converge_tests::host::Host;
use converge_tests::host::rpm::RpmPackage;
use converge_tests::host::signing_key::{FINGERPRINT, KEY};

fn rpm(id: &str, fields: &str) -> String {
    format!("package.rpm \"{id}\" {{\n  {fields}\n}}\n")
}

fn hello(version: &str) -> RpmPackage {
    RpmPackage::new("hello", version)
}

fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn files_are_installed_where_there_is_only_rpm() {
    let Some(host) = Host::plain("files_are_installed_where_there_is_only_rpm") else { return };
    host.without("dnf");
    let (old, new) = (hello("1.0"), hello("2.0"));
    host.rpm_files(&[old.clone(), new.clone()]);
    for (package, before, after) in
        [(&old, "absent", "1.0-1"), (&new, "1.0-1", "2.0-1"), (&old, "2.0-1", "1.0-1")]
    {
        let story = host.story(&rpm("hello", &format!("name = \"{}\"", package.file())), &[]);
        let expect = [difference(&package.file(), before, after)];
        assert_eq!(story.plan.differences("package.rpm.hello"), expect);
        assert_eq!(host.rpm_package("hello").as_deref(), Some(after));
    }
    host.nothing_to_do(&rpm("hello", "name = \"hello\""), &[]);
    host.story(&rpm("hello", "name = \"hello\"\n  state = \"absent\""), &[]);
    assert_eq!(host.rpm_package("hello"), None);

    let error = host.converge("plan", &rpm("hello", "name = \"hello\""), &[]).failure("package.rpm.hello");
    assert!(
        error.starts_with("hello cannot be installed by its name, as this machine has none of dnf"),
        "{error}"
    );
    let error = host.converge("plan", &rpm("x", "name = \"/srv/x.rpm\""), &[]).failure("package.rpm.x");
    assert_eq!(error, "file \"/srv/x.rpm\" does not exist");
    host.put("/srv/x.rpm", "no package");
    let error = host.converge("plan", &rpm("x", "name = \"/srv/x.rpm\""), &[]).failure("package.rpm.x");
    assert!(error.starts_with("/srv/x.rpm cannot be read as a package:\n"), "{error}");
}

#[test]
fn dnf_installs_replaces_and_removes() {
    let Some(host) = Host::plain("dnf_installs_replaces_and_removes") else { return };
    let app = RpmPackage::new("app", "1.0").tag("Requires", "hello >= 1.0");
    host.rpm_repository(&[hello("1.0"), hello("2.0"), app, RpmPackage::new("other", "3.0")]);
    let steps = [
        ("version = \"1.0\"", "absent", "1.0", Some("1.0-1")),
        ("version = \"2.0-1\"", "1.0-1", "2.0-1", Some("2.0-1")),
        ("version = \"1.0\"", "2.0-1", "1.0", Some("1.0-1")),
        ("state = \"absent\"", "present", "absent", None),
        ("", "absent", "present", Some("2.0-1")),
    ];
    for (fields, before, after, version) in steps {
        let story = host.story(&rpm("hello", &format!("name = \"hello\"\n  {fields}")), &[]);
        assert_eq!(
            story.plan.differences("package.rpm.hello"),
            [difference("hello", before, after)],
            "{fields}"
        );
        assert_eq!(host.rpm_package("hello").as_deref(), version, "{fields}");
    }
    host.story(&rpm("list", "name = [\"app\", \"other=3.0\", \"hello\"]"), &[]);

    // A package that others need stays, unless these are named too.
    let error = host
        .converge("apply", &rpm("hello", "name = \"hello\"\n  state = \"absent\""), &[])
        .failure("package.rpm.hello");
    assert!(error.contains("hello >= 1.0 is needed by (installed) app-1.0-1.noarch"), "{error}");
    assert_eq!(host.rpm_package("hello").as_deref(), Some("2.0-1"));
    host.story(&rpm("both", "name = [\"hello\", \"app\"]\n  state = \"absent\""), &[]);
    assert_eq!((host.rpm_package("hello"), host.rpm_package("app")), (None, None));

    for (name, expect) in [
        ("nothere", "dnf finds no package nothere in its repositories"),
        ("hello=9.0", "dnf knows no version \"9.0\" of hello: it knows 1.0-1, 2.0-1"),
    ] {
        let error =
            host.converge("apply", &rpm("x", &format!("name = \"{name}\"")), &[]).failure("package.rpm.x");
        assert_eq!(error, expect);
    }
}

#[test]
fn scripts_that_fail() {
    let Some(host) = Host::plain("scripts_of_rpm_packages_that_fail") else { return };
    host.without("dnf");
    let before = RpmPackage::new("before", "1.0").script("pre", "print('no way')\nerror('it fails')");
    let after = RpmPackage::new("after", "1.0").script("post", "error('it fails')");
    host.rpm_files(&[before.clone(), after.clone()]);
    let module = rpm("before", &format!("name = \"{}\"", before.file()));
    let error = host.converge("apply", &module, &[]).failure("package.rpm.before");
    assert!(
        error.contains("it fails") && error.contains("no way") && error.contains("install failed"),
        "{error}"
    );
    assert_eq!(host.rpm_package("before"), None);

    // RPM has installed the package nevertheless.
    let module = rpm("after", &format!("name = \"{}\"", after.file()));
    let apply = host.converge("apply", &module, &[]).success();
    assert!(
        apply.report("package.rpm.after")["warnings"].to_string().contains("it fails"),
        "{}",
        apply.everything()
    );
    host.nothing_to_do(&module, &[]);
}

/// A program that holds the RPM lock like RPM, until the file `/tmp/release` exists.
const HOLD: &str = r#"
cat > /tmp/hold.pl <<'END'
use Fcntl qw(SEEK_SET F_SETLK F_WRLCK);
open(my $file, ">>", $ARGV[0]) or die;
my $lock = pack("s s l! l! i", F_WRLCK, SEEK_SET, 0, 0, 0);
fcntl($file, F_SETLK, $lock) or die;
open(my $held, ">", "/tmp/held") or die;
close($held);
select(undef, undef, undef, 0.05) until -e "/tmp/release";
END
exec perl /tmp/hold.pl "$(rpm --eval '%{_rpmlock_path}')"
"#;

#[test]
fn a_lock_that_another_program_holds() {
    let Some(host) = Host::plain("a_lock_of_rpm_that_another_program_holds") else { return };
    host.rpm_repository(&[hello("1.0"), RpmPackage::new("other", "1.0")]);
    // The lock is a file that the first transaction creates.
    host.story(&rpm("other", "name = \"other\""), &[]);
    let mut holder = host.start_script(HOLD);
    host.eventually("test -e /tmp/held");
    let module = |timeout: &str| rpm("hello", &format!("name = \"hello\"\n  lock_timeout = \"{timeout}\""));
    let error = host.converge("apply", &module("1s"), &[]).failure("package.rpm.hello");
    assert!(error.starts_with("process ") && error.contains("(perl) has held the lock /"), "{error}");
    assert_eq!(host.rpm_package("hello"), None);

    let mut release = host.start_script("sleep 1; touch /tmp/release");
    host.converge("apply", &module("5m"), &[]).success();
    assert_eq!(host.rpm_package("hello").as_deref(), Some("1.0-1"));
    assert!(release.wait().unwrap().success() && holder.wait().unwrap().success());
}

#[test]
fn the_example() {
    let Some(host) = Host::plain("the_example_of_package_rpm") else { return };
    host.rpm_repository(&[RpmPackage::new("mc", "1.0"), RpmPackage::new("telnet-server", "1.0")]);
    host.ok("dnf -y install telnet-server");
    let registry = converge_resources::registry().unwrap();
    host.story(registry.get("package.rpm").unwrap().schema().example, &[]);
    assert_eq!((host.rpm_package("mc").as_deref(), host.rpm_package("telnet-server")), (Some("1.0-1"), None));
}

#[test]
fn a_repository_that_dnf_knows() {
    let Some(host) = Host::plain("a_repository_that_dnf_knows") else { return };
    host.rpm_repository(&[hello("1.0")]);
    host.ok("sed -n 's/^baseurl=file:..//p' /etc/yum.repos.d/converge-test.repo > /srv/folder && rm /etc/yum.repos.d/converge-test.repo");
    let folder = host.ok("cat /srv/folder").stdout.trim().to_owned();
    let module = |fields: &str| {
        format!(
            "package.rpm_repo \"it\" {{\n  name = \"it\"\n  baseurl = \"file://{folder}\"\n{fields}\n}}\n"
        )
    };
    let unsigned = "  gpgcheck = false\n  accept_unsigned = true";
    host.story(&module(unsigned), &[]);
    host.story(&rpm("hello", "name = \"hello\""), &[]);
    assert_eq!(host.rpm_package("hello").as_deref(), Some("1.0-1"));
    host.story(&rpm("hello", "name = \"hello\"\n  state = \"absent\""), &[]);

    // With a key, dnf refuses unsigned packages.
    let signed = format!("  key_fingerprint = \"{FINGERPRINT}\"\n  key = <<END\n{KEY}END\n");
    host.story(&module(&signed), &[]);
    host.file("/etc/yum.repos.d/it.asc").is(KEY).has_mode("0644");
    let output = host.converge("apply", &rpm("hello", "name = \"hello\""), &[]);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert_eq!(host.rpm_package("hello"), None);

    host.story("package.rpm_repo \"it\" {\n  name = \"it\"\n  state = \"absent\"\n}\n", &[]);
    host.file("/etc/yum.repos.d/it.asc").is_absent();
    host.file("/etc/yum.repos.d/it.repo").is_absent();
}
