//! Tests of plans for machine resources, whose order is inferred without `depends`.
//!
//! The resource names are in the wrong order on purpose. Each test applies its plan, and then has nothing
//! left to do.

use converge_tests::host::Host;
use converge_tests::host::apt::Package;

#[test]
fn accounts_and_what_belongs_to_them() {
    let Some(host) = Host::plain("accounts_and_what_belongs_to_them") else { return };
    let module = r#"
file.content "a" {
  destination = "/srv/notes/today"
  content     = "written"
  owner       = "deploy"
  group       = "web"
}

file.directory "b" {
  destination = "/srv/notes"
}

user.user "c" {
  username  = "deploy"
  groupname = "web"
}

user.group "d" {
  name = "web"
}
"#;
    let story = host.story(module, &[]);
    // No pending resource could fix any of these.
    assert_eq!(story.plan.with_outcome("may-change"), [""; 0]);
    host.file("/srv/notes/today").has_owner("deploy:web");
    // The uid of a recreated user may differ from the owner of an existing file.
    host.ok("userdel deploy && useradd --uid 4711 --no-user-group --gid web deploy && userdel deploy");
    let story = host.story(module, &[]);
    assert_eq!(story.plan.with_outcome("will-change"), ["user.user.c"]);
    assert_eq!(story.plan.with_outcome("may-change"), ["file.content.a"]);
    assert_eq!(story.plan.report("file.content.a")["pending"], "root/user.user.c");
}

#[test]
fn packages_after_their_repositories() {
    let Some(host) = Host::plain("packages_after_their_repositories") else { return };
    host.apt_repository(&[Package::new("hello", "1.0").file("/etc/hello.conf", "of the package")]);
    let source = String::from_utf8_lossy(&host.get("/etc/apt/sources.list")).into_owned();
    host.ok("rm /etc/apt/sources.list && apt-get update");
    let module = format!(
        r#"
file.content "conf" {{
  destination = "/etc/hello.conf"
  content     = "of the package\n"
  depends     = ["package.apt.a"]
}}

package.apt "a" {{
  name = "hello"
}}

file.content "z" {{
  destination = "/etc/apt/sources.list.d/test.list"
  content     = {source:?}
}}
"#
    );
    let story = host.story(&module, &[]);
    assert_eq!(story.plan.with_outcome("will-change"), ["file.content.z"]);
    // The package brings the declared content, which the plan could not know.
    assert_eq!(story.plan.with_outcome("may-change"), ["file.content.conf", "package.apt.a"]);
    assert_eq!(story.apply.with_outcome("unchanged"), ["file.content.conf"]);
    assert_eq!(host.package("hello").as_deref(), Some("1.0"));
}

#[test]
fn units_after_their_files() {
    let Some(host) = Host::systemd("units_after_their_files") else { return };
    let module = |sleep: u32| {
        format!(
            r#"
systemd.unit.state "a" {{
  unit  = "app.service"
  state = "running"
}}

file.content "z" {{
  destination = "/etc/systemd/system/app.service"
  content     = "[Service]\nExecStart=/bin/sleep {sleep}\n"
}}
"#
        )
    };
    let story = host.story(&module(1000), &[]);
    assert_eq!(story.plan.with_outcome("may-change"), ["systemd.unit.state.a"]);
    assert!(host.unit("app.service").is_active());
    // The unit file of a running service changes; only the apply can tell the consequence.
    let story = host.story(&module(2000), &[]);
    assert_eq!(story.plan.with_outcome("may-change"), ["systemd.unit.state.a"]);
}

/// A unit starts in the first apply, with all that its file names.
#[test]
fn a_unit_waits_for_what_its_file_names() {
    let Some(host) = Host::systemd("a_unit_waits_for_what_its_file_names") else { return };
    let module = r##"
systemd.unit.state "app" {
  unit  = "named"
  state = "running"
}

systemd.unit.file "app" {
  unit    = "named"
  content = "[Service]\nUser=ada\nGroup=www\nWorkingDirectory=/srv/ada\nEnvironmentFile=/etc/default/named\nExecStart=/usr/local/bin/named $TIME\n"
}

user.authorized_key "key" {
  user = "ada"
  key  = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB one"
}

file.directory "home" {
  destination = "/srv/ada"
  owner       = "ada"
  mode        = 0750
}

file.content "environment" {
  destination = "/etc/default/named"
  content     = "TIME=1000\n"
}

file.content "program" {
  destination = "/usr/local/bin/named"
  content     = "#!/bin/sh\nexec sleep $1\n"
  mode        = 0755
}

user.user "ada" {
  username  = "ada"
  groupname = "www"
  home_dir  = "/srv/ada"
}

user.group "www" {
  name = "www"
}
"##;
    host.story(module, &[]);
    assert!(host.unit("named").is_active());
    host.file("/srv/ada/.ssh/authorized_keys").has_owner("ada:www");
}
