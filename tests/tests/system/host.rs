//! Users and groups that exist only in a disposable host.

use std::process::Command;

use converge_tests::{Said, programs, skip};

/// The container that `cargo xtask hosts` starts.
const HOST: &str = "converge-host";

fn docker(arguments: &[&str]) -> Option<Said> {
    Command::new("docker").args(arguments).output().ok().map(Said::from)
}

/// Runs a script in the host.
fn sh(script: &str) -> Said {
    docker(&["exec", HOST, "sh", "-c", script]).unwrap()
}

/// Whether there is a host in which this program runs; says what is missing otherwise.
fn ready(test: &str) -> bool {
    let program = programs().join("converge").display().to_string();
    let copied = docker(&["cp", &program, &format!("{HOST}:/usr/local/bin/converge")]);
    if copied.is_none_or(|said| said.code != Some(0)) {
        skip(test, "there is no disposable host: start one with `cargo xtask hosts`, as root on Debian");
        return false;
    }
    if sh("converge version").code != Some(0) {
        skip(test, "programs of this machine do not run in the host: its C library is older");
        return false;
    }
    true
}

const MODULE: &str = r#"
file.directory "site" {
  destination = "/srv/site/pages"
  create_all  = true
}

file.content "page" {
  destination = "{{lookup `file.directory.site.destination`}}/index"
  content     = "hello"
}

file.owner "site" {
  destination = "/srv/site"
  user        = "keeper"
  group       = "keepers"
  recursive   = true
  depends     = ["file.content.page"]
}
"#;

#[test]
fn the_users_of_a_host_own_its_files() {
    if !ready("the_users_of_a_host_own_its_files") {
        return;
    }
    // The host may have been used before.
    sh("rm -rf /srv/site; userdel keeper; groupdel keepers");
    let write = sh(&format!("cat > /srv/site.hcl <<'END'\n{MODULE}\nEND"));
    assert_eq!(write.code, Some(0), "{write:?}");

    let unknown = sh("mkdir -p /srv/site && converge apply /srv/site.hcl");
    assert_eq!(unknown.code, Some(1), "{unknown:?}");
    assert!(unknown.stdout.contains("user \"keeper\" does not exist"), "{unknown:?}");

    let made = sh("groupadd --gid 4243 keepers && useradd --uid 4242 --gid keepers keeper");
    assert_eq!(made.code, Some(0), "{made:?}");
    let applied = sh("converge apply /srv/site.hcl");
    assert_eq!(applied.code, Some(0), "{applied:?}");
    assert!(applied.stdout.contains("UID: \"0\" => \"4242\""), "{applied:?}");
    assert!(applied.stdout.contains("group: \"root\" => \"keepers\""), "{applied:?}");
    let owners = sh("find /srv/site -printf '%u:%g\\n' | sort | uniq -c | tr -s ' '");
    assert_eq!(owners.stdout, " 3 keeper:keepers\n");

    let again = sh("converge apply /srv/site.hcl");
    assert!(again.stdout.contains("Apply: 0 changed, 0 failed"), "{again:?}");
}
