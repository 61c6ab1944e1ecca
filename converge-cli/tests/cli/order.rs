//! Tests of the order that follows from what resources declare, from the apply to the empty plan.

use crate::env::Env;

/// Applies a module; afterwards a plan is empty.
fn settles(text: &str, prepare: impl Fn(&Env)) -> Env {
    let env = Env::with("m.hcl", text);
    prepare(&env);
    env.run(&["apply", "m.hcl"]).code(0);
    env.run(&["plan", "--detailed-exitcode", "m.hcl"]).code(0);
    env
}

/// Whether `from` waits for `to` in the graph, at once or through others.
#[expect(clippy::unwrap_used, reason = "a test")]
fn waits(env: &Env, from: &str, to: &str) -> bool {
    let run = env.run(&["graph", "--format", "json", "m.hcl"]).code(0);
    let graph: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let edges: Vec<(&str, &str)> = graph["edges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| (edge["from"].as_str().unwrap(), edge["to"].as_str().unwrap()))
        .collect();
    let (mut seen, goal) = (vec![format!("root/{from}")], format!("root/{to}"));
    let mut next = 0;
    while let Some(current) = seen.get(next).cloned() {
        let more = edges.iter().filter(|(from, _)| *from == current).map(|(_, to)| (*to).to_owned());
        let more: Vec<String> = more.filter(|to| !seen.contains(to)).collect();
        seen.extend(more);
        next += 1;
    }
    seen.contains(&goal)
}

fn nothing(_: &Env) {}

#[test]
fn a_path_has_one_name() {
    let env = Env::with(
        "m.hcl",
        "file.content \"relative\" {\n  destination = \"x\"\n  content = \"1\"\n}\n\
         file.content \"absolute\" {\n  destination = \"{{path.cwd}}/x\"\n  content = \"2\"\n}\n",
    );
    env.run(&["validate", "m.hcl"]).code(1).err_has("both manage the existence and content");
    settles(
        "file.content \"x\" {\n  destination = \"sub/x\"\n  content = \"x\"\n}\n\
         file.directory \"sub\" {\n  destination = \"{{path.cwd}}/sub\"\n}\n",
        nothing,
    );
    settles(
        "file.content \"x\" {\n  destination = \"l/sub/x\"\n  content = \"x\"\n}\n\
         file.directory \"sub\" {\n  destination = \"d/sub\"\n}\n",
        |env| {
            std::fs::create_dir(env.path().join("d")).unwrap();
            std::os::unix::fs::symlink("d", env.path().join("l")).unwrap();
        },
    );
    // A link of the module is made before what is below it, in the folder that it leads to.
    settles(
        "file.content \"x\" {\n  destination = \"l/sub/x\"\n  content = \"x\"\n}\n\
         file.link \"l\" {\n  destination = \"{{path.cwd}}/l\"\n  target = \"d\"\n}\n\
         file.directory \"sub\" {\n  destination = \"d/sub\"\n  create_all = true\n}\n",
        nothing,
    );
}

#[test]
fn a_relative_pattern_finds_the_files_of_the_run() {
    let env = Env::with(
        "m.hcl",
        "file.content \"first\" {\n  destination = \"src-1\"\n  content = \"1\"\n}\n\
         file.query \"found\" {\n  glob = \"src-*\"\n}\n\
         file.content \"copy\" {\n  for_each = file.query.found.paths\n  \
         destination = format(\"copy-of-%s\", basename(each.key))\n  content = \"y\"\n}\n",
    );
    env.run(&["plan", "m.hcl"]).code(0).out_has("file.content.copy  may change");
    env.run(&["apply", "m.hcl"]).code(0);
    assert_eq!(env.read("copy-of-src-1").as_deref(), Some("y"));
}

#[test]
fn a_folder_comes_before_an_archive_in_its_parent() {
    let text = "unarchive \"app\" {\n  source = \"a.tar\"\n  destination = \"app\"\n}\n\
                file.directory \"release\" {\n  destination = \"app/releases/1\"\n  create_all = true\n}\n";
    let env = settles(text, |env| {
        env.write("x", "x\n");
        let tar =
            std::process::Command::new("tar").args(["cf", "a.tar", "x"]).current_dir(env.path()).status();
        assert!(tar.unwrap().success());
    });
    assert_eq!(env.read("app/x").as_deref(), Some("x\n"));
}

#[test]
fn an_instance_names_the_one_with_its_key() {
    let text = |argument: &str| {
        format!(
            "locals {{\n  sites = [\"a\", \"b\", \"c\"]\n}}\n\
             file.content \"site\" {{\n  for_each = local.sites\n  destination = \"{{{{each.key}}}}/x\"\n  \
             content = \"x\"\n}}\n\
             task \"build\" {{\n  for_each = local.sites\n  check = \"test -f {{{{each.key}}}}/built\"\n  \
             apply = \"cp {{{{each.key}}}}/x {{{{each.key}}}}/built\"\n  \
             {argument} = [\"file.content.site[each.key]\"]\n}}\n"
        )
    };
    for argument in ["depends", "on_change_of"] {
        let env = Env::with("m.hcl", &text(argument));
        for name in ["a", "c"] {
            std::fs::create_dir(env.path().join(name)).unwrap();
        }
        assert!(waits(&env, "task.build[\"a\"]", "file.content.site[\"a\"]"));
        assert!(!waits(&env, "task.build[\"a\"]", "file.content.site[\"b\"]"));
        // Only the reader of the instance that fails is skipped.
        env.run(&["apply", "m.hcl"]).code(1).out_has("task.build[\"b\"]  skipped");
        assert_eq!(
            ["a", "b", "c"].map(|name| env.read(&format!("{name}/built")).is_some()),
            [true, false, true]
        );
    }
    let refused = |text: &str, expect: &str| {
        let env = Env::with("m.hcl", text);
        env.run(&["validate", "m.hcl"]).code(1).err_has(expect);
    };
    let each = "task \"t\" {\n  for_each = [\"a\"]\n  check = \"true\"\n}\n";
    refused(
        &format!("{each}task \"u\" {{\n  check = \"true\"\n  depends = [\"task.t[each.key]\"]\n}}\n"),
        "this block has no `for_each`",
    );
    refused(
        &format!(
            "{each}task \"u\" {{\n  for_each = [\"b\"]\n  check = \"true\"\n  depends = [\"task.t[each.key]\"]\n}}\n"
        ),
        "`task.t` has no instance `b`",
    );
    refused(
        &format!(
            "{each}task \"u\" {{\n  for_each = [\"a\"]\n  check = \"true\"\n  depends = [task.t[each.key]]\n}}\n"
        ),
        "write the name in quotes: \"task.t[each.key]\"",
    );
}

#[test]
fn texts_wait_for_what_they_name() {
    let account = "user.user \"ada\" {\n  username = \"ada\"\n  home_dir = \"/srv/ada\"\n}\n\
                   user.group \"www\" {\n  name = \"www\"\n}\n";
    let check = |text: &str, from: &str, to: &[&str]| {
        let env = Env::with("m.hcl", &format!("{account}{text}"));
        for to in to {
            assert!(waits(&env, from, to), "{from} does not wait for {to}");
        }
    };
    let unit = |content: &str| {
        format!(
            "systemd.unit.file \"app\" {{\n  unit = \"app\"\n  content = \"[Service]\\n{content}\"\n}}\n\
             systemd.unit.state \"app\" {{\n  unit = \"app\"\n  state = \"running\"\n}}\n"
        )
    };
    check(&unit("User=ada\\nGroup=www\\n"), "systemd.unit.state.app", &["user.user.ada", "user.group.www"]);
    let file = |name: &str, path: &str| {
        format!("file.content \"{name}\" {{\n  destination = \"{path}\"\n  content = \"\"\n}}\n")
    };
    check(
        &[
            &*unit("ExecStart=/opt/app --port 80\\nEnvironmentFile=-/etc/default/app\\nWorkingDirectory=/srv/app\\n"),
            &file("program", "/opt/app"),
            &file("environment", "/etc/default/app"),
            "file.directory \"work\" {\n  destination = \"/srv/app\"\n}\n",
        ]
        .concat(),
        "systemd.unit.file.app",
        &["file.content.program", "file.content.environment", "file.directory.work"],
    );
    // The text may be known only in a run.
    let late = "task.query \"q\" {\n  query = \"echo 1\"\n}\n";
    check(
        &[late, &unit("ExecStart=/bin/sleep {{lookup `task.query.q.status.stdout`}}\\n")].concat(),
        "systemd.unit.state.app",
        &["systemd.unit.file.app"],
    );
    check(
        "user.sudoers \"ops\" {\n  name = \"ops\"\n  content = \"ada ALL=(ALL:www) NOPASSWD: /bin/true\"\n}\n",
        "user.sudoers.ops",
        &["user.user.ada", "user.group.www"],
    );
    check(
        "system.mount \"data\" {\n  destination = \"/data\"\n  source = \"tmpfs\"\n  fstype = \"tmpfs\"\n  \
         options = [\"uid=ada\", \"gid=www\"]\n}\n",
        "system.mount.data",
        &["user.user.ada", "user.group.www"],
    );
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB one";
    check(
        &format!(
            "user.authorized_key \"k\" {{\n  user = \"ada\"\n  key = \"{key}\"\n}}\n\
             file.directory \"home\" {{\n  destination = \"/srv/ada\"\n  owner = \"ada\"\n}}\n"
        ),
        "user.authorized_key.k",
        &["user.user.ada", "file.directory.home"],
    );
}

#[test]
fn a_unit_is_enabled_or_not() {
    let text = |enabled: &str| {
        format!(
            "systemd.unit.file \"a\" {{\n  unit = \"app\"\n  enabled = true\n  \
             content = \"[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n\"\n}}\n\
             systemd.unit.state \"b\" {{\n  unit = \"app.service\"\n  enabled = {enabled}\n}}\n"
        )
    };
    Env::with("m.hcl", &text("true")).run(&["validate", "m.hcl"]).code(0);
    let clash = Env::with("m.hcl", &text("false")).run(&["validate", "m.hcl"]);
    clash.code(1).err_has("both manage the enabled of the unit `app.service`");
}
