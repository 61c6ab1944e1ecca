//! Tests of scripts that run as another user.

use converge_tests::host::Host;

const MODULE: &str = r#"
user.group "deploy" {
  name = "deploy"
  gid  = 4200
}

user.user "web" {
  username    = "web"
  uid         = 4100
  create_home = true
}

task "file" {
  check = "test -e made"
  apply = "touch made && id -G > groups && id -g > group && env > environment && ulimit -c > /dev/null"
  user  = "web"
  depends = ["user.user.web"]
}

task "group" {
  check     = "test -e grouped"
  apply     = "touch grouped"
  user      = "web"
  run_group = "deploy"
  depends   = ["task.file", "user.group.deploy"]
}

wait.query "ready" {
  check   = "test \"$(id -un)\" = web"
  user    = "web"
  depends = ["user.user.web"]
}
"#;

#[test]
fn a_script_of_another_user() {
    let Some(host) = Host::plain("a_script_of_another_user") else { return };
    let story = host.story(MODULE, &[]);
    // The same plan creates the user.
    assert_eq!(story.plan.report("task.file")["outcome"], "may-change");
    assert_eq!(story.apply.report("task.file")["outcome"], "changed");
    let owner = |path: &str| host.ok(&format!("stat -c %U:%G {path}")).stdout.trim().to_owned();
    assert_eq!(owner("/home/web/made"), "web:web");
    assert_eq!(owner("/home/web/grouped"), "web:deploy");
    // The script has no group of root, and nothing from the environment of the caller.
    assert_eq!(host.ok("cat /home/web/groups").stdout, host.ok("id -G web").stdout);
    let environment = host.ok("sort /home/web/environment").stdout;
    let names: Vec<&str> = environment.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    let expected = ["HOME", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "SHLVL", "USER", "_"];
    assert!(names.iter().all(|name| expected.contains(name)), "{environment}");
    assert!(environment.contains("HOME=/home/web\n") && environment.contains("USER=web\n"), "{environment}");

    let refused = |module: &str, expect: &str| {
        let output = host.converge("plan", module, &[]);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.everything().contains(expect), "{}", output.everything());
    };
    refused("task \"t\" {\n check = \"true\"\n user = \"ghost\"\n}\n", "user \\\"ghost\\\" does not exist");
    host.ok("mkdir -m 0700 /srv/closed");
    refused(
        "task \"t\" {\n check = \"true\"\n user = \"web\"\n dir = \"/srv/closed\"\n}\n",
        "web may not run it, or may not enter /srv/closed",
    );
}
