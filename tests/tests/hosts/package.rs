//! Tests of `package.apt` with repositories that the tests create.

use std::process::Child;

use converge_tests::host::Host;
use converge_tests::host::apt::Package;
use converge_tests::host::signing_key::{FINGERPRINT, KEY};

/// Returns the start of a resource `package.apt "ID"`, to which a test adds fields.
fn apt(id: &str, fields: &str) -> String {
    format!("package.apt \"{id}\" {{\n  {fields}\n}}\n")
}

fn hello(version: &str) -> Package {
    Package::new("hello", version)
}

/// Returns the transactions in apt's log: the packages that each installed, removed or replaced.
fn transactions(host: &Host) -> Vec<String> {
    let history = String::from_utf8_lossy(&host.get("/var/log/apt/history.log")).into_owned();
    let words = ["Install: ", "Upgrade: ", "Downgrade: ", "Remove: ", "Purge: "];
    history
        .split("\n\n")
        .map(|transaction| {
            let lines = transaction.lines().filter(|line| words.iter().any(|word| line.starts_with(word)));
            lines.collect::<Vec<_>>().join("; ").replace(":amd64", "").replace(":arm64", "")
        })
        .filter(|transaction| !transaction.is_empty())
        .collect()
}

#[test]
fn a_package_is_installed_replaced_and_removed() {
    let Some(host) = Host::plain("a_package_is_installed_replaced_and_removed") else { return };
    host.apt_repository(&[
        hello("1.0").conffile("/etc/hello.conf", "greeting"),
        hello("2.0"),
        hello("1:0.5"),
    ]);
    let steps = [
        ("version = \"1.0\"", "absent", "1.0", Some("1.0")),
        ("version = \"1:0.5\"", "1.0", "1:0.5", Some("1:0.5")),
        ("version = \"2.0\"", "1:0.5", "2.0", Some("2.0")),
        ("state = \"absent\"", "present", "absent", None),
        ("", "absent", "present", Some("1:0.5")),
        ("version = \"1.0\"", "1:0.5", "1.0", Some("1.0")),
    ];
    for (fields, before, after, version) in steps {
        let story = host.story(&apt("hello", &format!("name = \"hello\"\n  {fields}")), &[]);
        let expect = [("hello".to_owned(), before.to_owned(), after.to_owned())];
        assert_eq!(story.plan.differences("package.apt.hello"), expect, "{fields}");
        assert_eq!(host.package("hello").as_deref(), version, "{fields}");
    }
    // An installed package keeps its version.
    host.nothing_to_do(&apt("hello", "name = \"hello\""), &[]);

    // Without a purge the configuration files stay, and the package counts as absent.
    let absent = "name = \"hello\"\n  state = \"absent\"";
    host.story(&apt("hello", absent), &[]);
    host.file("/etc/hello.conf").is("greeting\n");
    let purge = host.story(&apt("hello", &format!("{absent}\n  purge = true")), &[]);
    let expect = [("hello".to_owned(), "only its configuration".to_owned(), "absent".to_owned())];
    assert_eq!(purge.plan.differences("package.apt.hello"), expect);
    host.file("/etc/hello.conf").is_absent();
}

#[test]
fn what_becomes_ready_together_is_one_transaction() {
    let Some(host) = Host::plain("what_becomes_ready_together_is_one_transaction") else { return };
    let app = Package::new("app", "1.0").control("Depends", "lib");
    let packages = ["lib", "unwanted", "one", "two", "later"].map(|name| Package::new(name, "1.0"));
    host.apt_repository(&[packages.as_slice(), &[app]].concat());
    host.ok("apt-get install -y unwanted && rm /var/log/apt/history.log");
    let module = [
        apt("app", "name = \"app\""),
        apt("list", "name = [\"one\", \"two=1.0\"]"),
        apt("unwanted", "name = \"unwanted\"\n  state = \"absent\""),
        apt("later", "name = \"later\"\n  depends = [\"package.apt.app\"]"),
    ]
    .concat();
    let story = host.story(&module, &[]);
    assert_eq!(story.plan.report("package.apt.app")["messages"][0], "also installs lib 1.0");
    let first = "Install: app (1.0), one (1.0), two (1.0), lib (1.0, automatic); Remove: unwanted (1.0)";
    let sorted = |transaction: &str| {
        let mut words: Vec<String> = transaction.split(", ").map(str::to_owned).collect();
        words.sort();
        words
    };
    let transaction_list = transactions(&host);
    assert_eq!(transaction_list.len(), 2, "{transaction_list:?}");
    assert_eq!(
        transaction_list[0].matches("1.0").count(),
        first.matches("1.0").count(),
        "{transaction_list:?}"
    );
    for package in ["app (1.0)", "one (1.0)", "two (1.0)", "lib (1.0, automatic)", "Remove: unwanted (1.0)"] {
        assert!(transaction_list[0].contains(package), "{package}: {transaction_list:?}");
    }
    assert_eq!(sorted(&transaction_list[1]), ["Install: later (1.0)"]);
}

#[test]
fn only_the_guilty_fail() {
    let Some(host) = Host::plain("only_the_guilty_fail") else { return };
    let bad = Package::new("bad", "1.0").script("postinst", "echo making trouble; test -e /srv/mended");
    host.apt_repository(&[hello("1.0"), bad, Package::new("good", "1.0")]);
    let module = [
        apt("hello", "name = \"hello\""),
        apt("bad", "name = \"bad\""),
        apt("good", "name = \"good\""),
        apt("gone", "name = \"gone\"\n  update = true"),
    ]
    .concat();
    let apply = host.converge("apply", &module, &[]);
    let error = apply.failure("package.apt.bad");
    assert_eq!(
        error,
        "dpkg failed with bad: installed bad package post-installation script subprocess returned error exit status \
         1:\nmaking trouble"
    );
    assert!(apply.failure("package.apt.gone").starts_with("apt knows no package \"gone\""));
    assert_eq!(apply.with_outcome("changed"), ["package.apt.good", "package.apt.hello"]);
    assert_eq!((host.package("hello"), host.package("good")), (Some("1.0".into()), Some("1.0".into())));

    // A half-configured package has changes, and is completed once its problem is solved.
    let bad = apt("bad", "name = \"bad\"");
    let plan = host.converge("plan", &bad, &[]).success();
    let expect = [("bad".to_owned(), "1.0 (half-configured)".to_owned(), "present".to_owned())];
    assert_eq!(plan.differences("package.apt.bad"), expect);
    host.ok("touch /srv/mended");
    host.story(&bad, &[]);
    assert_eq!(host.package("bad").as_deref(), Some("1.0"));
}

#[test]
fn what_apt_does_not_have() {
    let Some(host) = Host::plain("what_apt_does_not_have") else { return };
    let unmet = Package::new("unmet", "1.0").control("Depends", "nothere");
    let mails =
        ["mail-one", "mail-two"].map(|name| Package::new(name, "1.0").control("Provides", "mail, mail-only"));
    let sole = Package::new("sole", "1.0").control("Provides", "sole-virtual");
    let repository = host.apt_repository(&[hello("1.0"), hello("2.0"), unmet, sole]);
    repository.publish(&mails);
    host.ok("apt-get update");
    let check = |name: &str, expect: &str| {
        let module = apt("x", &format!("name = \"{name}\""));
        for command in ["plan", "apply"] {
            let error = host.converge(command, &module, &[]).failure("package.apt.x");
            assert!(error.contains(expect), "{command} {name}: {error}");
        }
    };
    check("helo", "apt knows no package \"helo\"");
    check("hello.x", "apt knows no package \"hello.x\"");
    check("hello=3.0", "apt knows no version \"3.0\" of \"hello\": it knows 2.0, 1.0");
    check("nothere", "apt knows no package \"nothere\"");
    check("unmet", "unmet : Depends: nothere but it is not installable");
    check(
        "mail",
        "\"mail\" is a virtual package, which is never installed itself: name one of those that provide it: \
                   mail-one, mail-two",
    );
    check(
        "sole-virtual",
        "\"sole-virtual\" is a virtual package, which is never installed itself: name the package that \
                           provides it, sole",
    );
    assert_eq!((host.package("sole"), host.package("hello")), (None, None));
}

#[test]
fn what_would_be_removed_is_shown() {
    let Some(host) = Host::plain("what_would_be_removed_is_shown") else { return };
    let old = Package::new("old-mail", "1.0");
    let new = Package::new("new-mail", "1.0").control("Conflicts", "old-mail");
    let app = Package::new("app", "1.0").control("Depends", "old-mail");
    host.apt_repository(&[old, new, app]);
    host.ok("apt-get install -y app");
    let story = host.story(&apt("mail", "name = \"new-mail\""), &[]);
    let mut differences = story.plan.differences("package.apt.mail");
    differences.sort();
    let difference = |name: &str, from: &str, to: &str| (name.to_owned(), from.to_owned(), to.to_owned());
    let expect = [
        difference("app", "1.0", "absent"),
        difference("new-mail", "absent", "present"),
        difference("old-mail", "1.0", "absent"),
    ];
    assert_eq!(differences, expect);
    assert_eq!((host.package("app"), host.package("old-mail")), (None, None));
}

#[test]
fn a_package_on_hold_is_left_alone() {
    let Some(host) = Host::plain("a_package_on_hold_is_left_alone") else { return };
    host.apt_repository(&[hello("1.0"), hello("2.0")]);
    host.ok("apt-get install -y hello=1.0 && apt-mark hold hello");
    host.nothing_to_do(&apt("hello", "name = \"hello\""), &[]);
    let module = apt("hello", "name = \"hello\"\n  version = \"2.0\"");
    let error = host.converge("apply", &module, &[]).failure("package.apt.hello");
    assert_eq!(error, "hello is on hold, so it is not changed: `apt-mark unhold hello` releases it");
    assert_eq!(host.ok("dpkg-query -W -f '${Version}' hello").stdout, "1.0");
}

#[test]
fn lists_are_fetched_once_and_when_they_are_old() {
    let Some(host) = Host::plain("lists_are_fetched_once_and_when_they_are_old") else { return };
    let repository = host.apt_repository(&[hello("1.0")]);
    repository.publish(&[hello("2.0"), Package::new("new", "1.0")]);
    let module = apt("new", "name = \"new\"\n  cache_valid_time = \"1h\"");
    // The lists were fetched a moment ago.
    assert!(host.converge("apply", &module, &[]).failure("package.apt.new").contains("apt knows no package"));
    host.ok("touch -d '2 hours ago' /etc/apt/sources.list /etc/apt/sources.list.d /var/lib/apt/lists");
    host.story(&module, &[]);
    assert!(host.run("test -e /var/lib/apt/periodic/update-success-stamp").code == Some(0));

    // The state of a freshly installed machine.
    host.ok("apt-get purge -y new && rm -r /var/lib/apt/lists/* /var/lib/apt/periodic");
    host.story(&apt("new", "name = \"new\""), &[]);

    repository.vanish();
    let module = apt("hello", "name = \"hello\"\n  version = \"2.0\"\n  update = true");
    let plan = host.converge("plan", &module, &[]).success();
    assert_eq!(plan.with_outcome("will-change"), ["package.apt.hello"]);
    let error = host.converge("apply", &module, &[]).failure("package.apt.hello");
    assert!(error.starts_with("apt could not fetch copy:/srv/converge-test/apt"), "{error}");
    assert_eq!(host.package("hello"), None);
}

/// A program that holds a lock like dpkg, until the file `/tmp/release` exists or forever.
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
exec perl /tmp/hold.pl "#;

/// A program that releases the lock after another process has tried to get it.
const RELEASE: &str = "\
until pgrep --full '[f]orce-confold (install|update)'; do sleep 0.01; done
while pgrep --full '[f]orce-confold (install|update)'; do sleep 0.01; done
touch /tmp/release";

/// Takes a lock, and returns once it is held.
fn hold(host: &Host, lock: &str) -> Child {
    let holder = host.start_script(&format!("{HOLD}{lock}"));
    host.eventually("rm /tmp/held");
    holder
}

#[test]
fn a_lock_that_another_program_holds() {
    let Some(host) = Host::plain("a_lock_that_another_program_holds") else { return };
    host.apt_repository(&[hello("1.0")]);
    let locks = [
        ("/var/lib/dpkg/lock-frontend", ""),
        ("/var/lib/dpkg/lock", ""),
        ("/var/cache/apt/archives/lock", ""),
        ("/var/lib/apt/lists/lock", "update = true"),
    ];
    for (lock, fields) in locks {
        // The lock is never released: an error after the timeout.
        let mut holder = hold(&host, lock);
        let module = apt("hello", &format!("name = \"hello\"\n  lock_timeout = \"1s\"\n  {fields}"));
        let error = host.converge("apply", &module, &[]).failure("package.apt.hello");
        let expect =
            format!("(perl) has held the lock {lock} for more than 1s: end it, or give it more time");
        assert!(error.starts_with("process ") && error.contains(&expect), "{error}");
        assert_eq!(host.package("hello"), None);

        // The lock is released after an attempt to get it, like that of a finished apt-get.
        let mut release = host.start_script(RELEASE);
        let module = apt("hello", &format!("name = \"hello\"\n  {fields}"));
        host.converge("apply", &module, &[]).success();
        assert_eq!(host.package("hello").as_deref(), Some("1.0"));
        assert!(release.wait().unwrap().success());
        holder.wait().unwrap();
        host.ok("rm /tmp/release; apt-get purge -y hello");
    }
}

#[test]
fn nothing_can_ask() {
    let Some(host) = Host::plain("nothing_can_ask") else { return };
    let settings = |version: &str| {
        hello(version)
            .conffile("/etc/hello.conf", &format!("of {version}"))
            .conffile("/etc/other.conf", version)
    };
    let asks = Package::new("asks", "1.0")
        .control("Depends", "debconf")
        .file(
            "/DEBIAN/templates",
            "Template: asks/really\nType: boolean\nDefault: true\nDescription: Really?",
        )
        .script("config", ". /usr/share/debconf/confmodule\ndb_input critical asks/really || true\ndb_go")
        .script(
            "postinst",
            ". /usr/share/debconf/confmodule\ndb_get asks/really\necho \"$RET\" > /srv/answer\n\
             exec 3>&- </dev/null",
        );
    let reads = Package::new("reads", "1.0").script("postinst", "read answer || echo nobody > /srv/reader");
    host.apt_repository(&[settings("1.0"), settings("2.0"), asks, reads]);
    host.ok("apt-get install -y hello=1.0 && echo mine > /etc/hello.conf");
    host.story(&apt("all", "name = [\"hello=2.0\", \"asks\", \"reads\"]"), &[]);
    host.file("/etc/hello.conf").is("mine\n");
    host.file("/etc/other.conf").is("2.0\n");
    host.file("/srv/answer").is("true\n");
    host.file("/srv/reader").is("nobody\n");
}

#[test]
fn what_a_killed_dpkg_left_is_completed() {
    let Some(host) = Host::plain("what_a_killed_dpkg_left_is_completed") else { return };
    let slow = |name: &str, script: &str| {
        let wait = "touch /tmp/busy; while test -e /srv/slow; do sleep 0.05; done";
        Package::new(name, "1.0").script(script, wait)
    };
    host.apt_repository(&[slow("configured", "postinst"), slow("unpacked", "preinst"), hello("1.0")]);
    for name in ["configured", "unpacked"] {
        host.ok("touch /srv/slow; rm -f /tmp/busy");
        let mut killed = host.start_script(&format!("apt-get install -y {name}"));
        host.eventually("test -e /tmp/busy");
        host.ok("pkill -KILL apt-get; pkill -KILL dpkg; rm /srv/slow");
        killed.wait().unwrap();
        let plan = host.converge("plan", &apt(name, &format!("name = \"{name}\"")), &[]).success();
        let [(_, before, _)] = &plan.differences(&format!("package.apt.{name}"))[..] else {
            panic!("{name}")
        };
        assert!(before.contains('('), "{before}");
        // The problem does not prevent the installation of another package.
        host.story(&apt("hello", "name = \"hello\""), &[]);
        host.ok("apt-get purge -y hello");
        host.converge("apply", &apt(name, &format!("name = \"{name}\"")), &[]).success();
        host.nothing_to_do(&apt(name, &format!("name = \"{name}\"")), &[]);
        assert_eq!(host.package(name).as_deref(), Some("1.0"));
    }
}

#[test]
fn not_as_root() {
    let Some(host) = Host::plain("not_as_root") else { return };
    host.apt_repository(&[hello("1.0")]);
    host.put("/srv/hello.hcl", apt("hello", "name = \"hello\""));
    let converge = |command: &str| {
        host.run(&format!(
            "su nobody -s /bin/sh -c 'HOME=/tmp converge {command} --format json /srv/hello.hcl'"
        ))
    };
    let plan = converge("plan").success();
    assert_eq!(plan.with_outcome("will-change"), ["package.apt.hello"]);
    let error = converge("apply").failure("package.apt.hello");
    assert_eq!(error, "only root can change packages: run converge as root");
}

#[test]
fn the_example() {
    let Some(host) = Host::plain("the_example_of_package_apt") else { return };
    // An older version would break packages of Debian itself.
    host.apt_repository(&["mc", "tree", "telnetd"].map(|name| Package::new(name, "9:1.0")));
    host.ok("apt-get install -y telnetd");
    let registry = converge_resources::registry().unwrap();
    host.story(registry.get("package.apt").unwrap().schema().example, &[]);
    assert_eq!((host.package("tree"), host.package("telnetd")), (Some("9:1.0".into()), None));
}

#[test]
fn the_package_manager_of_the_machine() {
    let Some(host) = Host::plain("the_package_manager_of_the_machine") else { return };
    host.apt_repository(&[hello("1.0"), hello("2.0"), Package::new("mc", "3:4.8.29-2")]);
    let example = include_str!("../../../converge-resources/src/package/install/example.hcl");
    host.story(example, &[]);
    assert_eq!(host.package("mc").as_deref(), Some("3:4.8.29-2"));
    let install = |fields: &str| format!("package.install \"it\" {{\n  {fields}\n}}\n");
    let story = host.story(&install("name = \"hello\"\n  version = \"1.0\""), &[]);
    let expect = [("hello".to_owned(), "absent".to_owned(), "1.0".to_owned())];
    assert_eq!(story.plan.differences("package.install.it"), expect);
    assert_eq!(host.package("hello").as_deref(), Some("1.0"));
    host.story(&install("name = [\"hello\", \"mc\"]\n  state = \"absent\""), &[]);
    assert_eq!((host.package("hello"), host.package("mc")), (None, None));
}

/// A repository without packages, signed with a key that no one has.
const SIGNED: &str = "\
-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA256

Date: Mon, 01 Jan 2024 00:00:00 UTC
SHA256:
 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 Packages
-----BEGIN PGP SIGNATURE-----

iHQEARYIAB0WIQScOWQfHTQ2/+I4bfirfFFIEltjQwUCZZIAgAAKCRCrfFFIEltj
Q9aIAPdVgszAQptJ/2mFzH3ZWhGsIZ/g/jxyItRNQMhHJAmUAQDyNAZtVKrFlFNG
1MJJ4Ba+N6L8ig7JwmLXpP//I3SYCw==
=MeWN
-----END PGP SIGNATURE-----
";

#[test]
fn a_repository_and_its_key() {
    let Some(host) = Host::plain("a_repository_and_its_key") else { return };
    host.ok("rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* && mkdir -p /srv/signed && touch /srv/signed/Packages");
    host.put("/srv/signed/InRelease", SIGNED);
    let module = |fingerprint: &str, fields: &str| {
        format!(
            "package.apt_repo \"it\" {{\n  name = \"it\"\n  uris = [\"copy:/srv/signed\"]\n  suites = [\"./\"]\n  \
             key_fingerprint = \"{fingerprint}\"\n  key = <<END\n{KEY}END\n{fields}}}\n"
        )
    };
    host.story(&module(FINGERPRINT, ""), &[]);
    host.file("/etc/apt/sources.list.d/it.sources").has_mode("0644").has_owner("root:root");
    // apt reads the file and accepts the key in it.
    let update = "apt-get update -o APT::Update::Error-Mode=any";
    host.ok(update);

    // With another key, apt refuses the repository.
    let signed = "/srv/signed/InRelease";
    host.ok(&format!("sed -i 's/0 Packages/0 Package/' {signed}"));
    assert_ne!(host.run(update).code, Some(0));

    let wrong_fingerprint = "00".repeat(20);
    let output = host.converge("apply", &module(&wrong_fingerprint, ""), &[]);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    let expect = format!("it has the fingerprint {FINGERPRINT}, and {wrong_fingerprint} is expected");
    assert!(output.everything().contains(&expect), "{}", output.everything());

    let removal = "package.apt_repo \"it\" {\n  name = \"it\"\n  state = \"absent\"\n}\n";
    host.story(removal, &[]);
    host.file("/etc/apt/sources.list.d/it.sources").is_absent();

    // The effect of a priority and a proxy in apt.
    let web = "package.apt_repo \"web\" {\n  name = \"web\"\n  uris = [\"http://deb.example.com/debian\"]\n  \
               suites = [\"bookworm\"]\n  priority = 400\n  proxy = \"http://proxy.example.com:3128\"\n";
    let web = format!("{web}  key_fingerprint = \"{FINGERPRINT}\"\n  key = <<END\n{KEY}END\n}}\n");
    host.story(&web, &[]);
    let proxy = host.ok("apt-config dump Acquire::http::Proxy::deb.example.com").stdout;
    assert_eq!(proxy, "Acquire::http::Proxy::deb.example.com \"http://proxy.example.com:3128\";\n");
    host.ok("apt-cache policy");
}
