use super::*;
use crate::package::apt::error::AptError;

/// Checks output of apt 2.6.1 and dpkg 1.21.22 from Debian 12.
fn check(stdout: &str, stderr: &str, expect: &str) {
    let error = explain(&Failed { command: "apt-get install hello", stdout, stderr });
    assert_eq!(error.to_string(), expect, "{stderr}");
}

#[test]
fn packages_that_apt_does_not_have() {
    let unknown = "apt knows no package \"hello\": check the spelling, the repositories in /etc/apt, and whether their lists are up to date (`update = true` fetches them)";
    check("Reading package lists...\n", "E: Unable to locate package hello\n", unknown);
    let referred = "Package hello is not available, but is referred to by another package.\nThis may mean that the \
                    package is missing, has been obsoleted, or\nis only available from another source\n\n";
    check(referred, "E: Package 'hello' has no installation candidate\n", unknown);
    check(
        "Package vmail is a virtual package provided by:\n  mta2 1.0\n  mta1 1.0\n\n",
        "E: Package 'vmail' has no installation candidate\n",
        "\"vmail\" is a virtual package, which is never installed itself: name one of those that provide it: mta1, mta2",
    );
    check("", "E: Version '9' for 'hello' was not found\n", "apt knows no version \"9\" of \"hello\"");
}

#[test]
fn dependencies() {
    let stdout = "The following information may help to resolve the situation:\n\nThe following packages have unmet \
                  dependencies:\n unmet : Depends: nothere but it is not installable\n";
    let stderr = "E: Unable to correct problems, you have held broken packages.\n";
    check(
        stdout,
        stderr,
        "apt cannot satisfy the dependencies:\n unmet : Depends: nothere but it is not installable",
    );
}

#[test]
fn scripts_that_fail() {
    let stdout = "\
Get:1 file:/srv/repo ./ bad 1.0 [812 B]
Preparing to unpack /srv/repo/./bad_1.0_all.deb ...
Unpacking bad (1.0) ...
Setting up good (1.0) ...
Setting up bad (1.0) ...
making trouble
Setting up other (1.0) ...
";
    let stderr = "\
debconf: delaying package configuration, since apt-utils is not installed
some error
dpkg: error processing package bad (--configure):
 installed bad package post-installation script subprocess returned error exit status 1
Errors were encountered while processing:
 bad
E: Sub-process /usr/bin/dpkg returned an error code (1)
";
    check(
        stdout,
        stderr,
        "dpkg failed with bad: installed bad package post-installation script subprocess returned error exit status \
         1:\nmaking trouble\nsome error",
    );
    let stdout = "Preparing to unpack .../0-bad_1.0_all.deb ...\nleaving\nUnpacking good (1.0) ...\n";
    let stderr = "\
dpkg: error processing archive /tmp/apt-dpkg-install-x1/0-bad_1.0_all.deb (--unpack):
 new bad package pre-installation script subprocess returned error exit status 2
";
    check(
        stdout,
        stderr,
        "dpkg failed with bad: new bad package pre-installation script subprocess returned error exit status \
         2:\nleaving",
    );
    let stderr = "\
dpkg: error processing archive /srv/repo/./0ad_1.0_all.deb (--unpack):
 trying to overwrite '/usr/bin/game', which is also in package game 1.0
dpkg: dependency problems prevent configuration of data:
 data depends on 0ad; however:
  Package 0ad is not configured yet.

dpkg: error processing package data (--configure):
 dependency problems - leaving unconfigured
";
    check(
        "",
        stderr,
        "dpkg failed with 0ad: trying to overwrite '/usr/bin/game', which is also in package game 1.0\n\
         dpkg failed with data: dependency problems - leaving unconfigured:\n\
         dpkg: dependency problems prevent configuration of data:\n data depends on 0ad; however:\n  \
         Package 0ad is not configured yet.",
    );
}

#[test]
fn repositories_that_do_not_answer() {
    let reason = "Could not connect to 127.0.0.1:9 (127.0.0.1). - connect (111: Connection refused)";
    let url = "http://127.0.0.1:9/repo/./InRelease";
    check(
        "",
        &format!(
            "E: Failed to fetch {url}  {reason}\nE: Some index files failed to download. They have been ignored, or \
                  old ones used instead.\n"
        ),
        &format!("apt could not fetch {url}: {reason}"),
    );
    check(
        "",
        "E: The repository 'copy:/srv/gone ./ Release' does not have a Release file.\n",
        "apt could not fetch copy:/srv/gone ./ Release does not have a Release file.",
    );
}

#[test]
fn anything_else() {
    check(
        "",
        "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\nE: Unable to \
               acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), are you root?\n",
        "only root can change packages: run converge as root",
    );
    check(
        "",
        "dpkg: error: requested operation requires superuser privilege\n",
        "only root can change packages: run converge as root",
    );
    check(
        "",
        "E: You don't have enough free space in /var/cache/apt/archives/.\n",
        "`apt-get install hello` failed:\nE: You don't have enough free space in /var/cache/apt/archives/.",
    );
    check("only here\n", "", "`apt-get install hello` failed:\nonly here");
}

#[test]
fn locks() {
    let check = |stderr: &str, expect: Option<(&str, Option<&str>)>| {
        let actual = lock(stderr).map(|Lock { path, holder }| (path, holder));
        let expect = expect.map(|(path, holder)| (path.to_owned(), holder.map(str::to_owned)));
        assert_eq!(actual, expect, "{stderr}");
    };
    check("", None);
    check("E: Unable to locate package lock\n", None);
    let frontend = "/var/lib/dpkg/lock-frontend";
    check(
        &format!(
            "E: Could not get lock {frontend}. It is held by process 337 (apt-get)\nE: Unable to acquire\n"
        ),
        Some((frontend, Some("process 337 (apt-get)"))),
    );
    check(
        "E: Could not get lock /var/lib/dpkg/lock - open (11: Resource temporarily unavailable)\n",
        Some(("/var/lib/dpkg/lock", None)),
    );
    check(
        "dpkg: error: dpkg frontend lock was locked by another process with pid 337\nNote: removing\n",
        Some((frontend, Some("process 337"))),
    );
    check(
        "dpkg: error: dpkg database lock was locked by another process with pid 5\n",
        Some(("/var/lib/dpkg/lock", Some("process 5"))),
    );
    check(
        "dpkg: error: dpkg status database is locked by another process\n",
        Some(("/var/lib/dpkg/lock", None)),
    );
    check("dpkg: error: dpkg frontend lock is damaged\n", None);
}

#[test]
fn who_is_to_blame() {
    let package = |name: &str| crate::package::apt::spec::Package { name: name.into(), arch: None };
    let failure = |name: &str| PackageFailure {
        package: name.into(),
        reason: "it failed".into(),
        output: OutputTail::default(),
    };
    let error = AptError::Packages(vec![failure("bad"), failure("worse:i386")]);
    assert!(error.concerns(&package("bad")) && error.concerns(&package("worse")));
    assert!(!error.concerns(&package("good")));
    assert_eq!(error.about(&[&package("worse")]).to_string(), "dpkg failed with worse:i386: it failed");
    assert_eq!(error.about(&[&package("good")]), error);
    assert!(AptError::UnknownPackage { package: "bad".into() }.concerns(&package("bad")));
    assert!(!AptError::NotRoot.concerns(&package("bad")));
}
