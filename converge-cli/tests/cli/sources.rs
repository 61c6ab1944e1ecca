//! Tests of the sources of modules: folders, URLs and the cache.

use std::os::unix::fs::PermissionsExt as _;

use converge_core::testing::server::{Server, answer};

use crate::env::Env;

/// Starts a server with these files, and returns its URL.
fn served(files: &'static [(&str, &str)]) -> String {
    let server = Server::new(move |path, _| match files.iter().find(|(name, _)| *name == path) {
        Some((_, text)) => answer("200 OK", &[], text.as_bytes()),
        None => answer("404 Not Found", &[], b""),
    });
    server.url("")
}

#[test]
fn every_module_in_a_folder_is_looked_at() {
    let env = Env::with("z.hcl", "task \"x\" { check = \"true\" }\n");
    for folder in ["deep/er", ".git", "none"] {
        std::fs::create_dir_all(env.path().join(folder)).unwrap();
    }
    env.write("deep/a.hcl", "nope \"x\" {}\n");
    env.write("deep/er/b.hcl", "param \"_p\" {}\n");
    env.write("deep/readme.md", "nothing");
    env.write(".git/c.hcl", "nope \"x\" {}\n");
    std::os::unix::fs::symlink(env.path(), env.path().join("deep/around")).unwrap();
    let run = env.run(&["validate", "--format", "json", "."]).err("").code(1);
    let files: Vec<String> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["event"] == "validated")
        .map(|line| format!("{} {}", line["file"].as_str().unwrap(), line["valid"]))
        .collect();
    assert_eq!(files, ["./deep/a.hcl false", "./deep/er/b.hcl true", "./z.hcl true"]);
    env.run(&["validate", "deep/er", "z.hcl"]).out("2 files are valid\n").err("").code(0);
    env.run(&["validate", "none"]).out("").err_has("error[no-modules]: there is no module in none").code(1);
    env.run(&["plan", "deep"]).err_has("deep is a folder, and there is no `module.hcl` in it").code(1);
}

#[test]
fn a_file_of_parameters_in_a_folder_is_what_it_is() {
    let env = Env::with("a.hcl", "param \"_port\" { type = \"number\" }\n");
    env.write("live.hcl", "_port = 80\nnames = [\"a\"]\n");
    env.run(&["validate", "."]).out("2 files are valid\n").err("").code(0);
    env.write("live.hcl", "port = 80\nnames = param.x\n");
    env.run(&["validate", "."])
        .out("1 of 2 files are valid\n")
        .err_has("error[bad-params-file]: a parameter file holds only literal values")
        .code(1);
    env.write("live.hcl", "port = 80\ntask \"x\" { check = \"true\" }\n");
    env.run(&["validate", "."]).err_has("error[stray-attribute]").code(1);
}

/// Tests that a parameter without a value causes no errors in a module that is only validated.
#[test]
fn a_parameter_without_a_value_is_unknown_to_validate() {
    let env = Env::with(
        "main.hcl",
        r#"
param "hosts" { type = "list(string)" }
param "on" {}
param "many" { type = "number" }
param "long" {
  validation {
    condition = length(param.long) > 3
    message   = "too short"
  }
}
param "_path" { default = "/tmp/{{param `on`}}" }
module "inner.hcl" "inner" {
  params { hosts = param.hosts, on = "{{param `on`}}" }
}
module "inner.hcl" "each" {
  for_each = param.hosts
  params { hosts = [each.value], on = param.on }
}
task "a" {
  for_each = param.hosts
  check    = "test -e {{each.key}}"
  retry { attempts = param.many }
  timeout = param.on
}
task "b" {
  check   = "{{range paramList `hosts`}}{{.}}{{end}} {{if gt (param `many`) 3}}x{{end}} {{index (param `hosts`) 2}}"
  depends = ["task.a"]
  when    = param.on && param.many > 2
}
task "c" { check = task.a["web"].dir }
switch "s" {
  case "eq (param `on`) `x`" "x" {
    task "d" { check = "{{param `long`}}" }
  }
  case "{{param `on`}}" "y" {
    task "e" { check = "{{split `,` (param `long`) | join `;`}}" }
  }
}
"#,
    );
    env.write(
        "inner.hcl",
        r#"
param "hosts" { type = "list(string)" }
param "on" {}
task "t" {
  for_each = { for host in param.hosts : host => param.on }
  check    = "{{each.value}}"
}
"#,
    );
    env.run(&["validate", "."]).out("2 files are valid\n").err("").code(0);
    // Mistakes that do not depend on the values are still found.
    env.write(
        "main.hcl",
        "param \"p\" {}\ntask \"x\" { check = \"{{param `q`}}\", depends = [\"task.y\"] }\n",
    );
    env.run(&["validate", "."]).err_has("unknown parameter `q`").err_has("names `task.y`").code(1);
}

#[test]
fn paths_may_begin_at_the_module_or_at_the_root() {
    let main = r#"
module "lib/inner.hcl" "inner" {}
file.content "a" {
  destination = "a.txt"
  content     = join(" ", [path.module, path.root, path.cwd])
}
"#;
    let env = Env::with("main.hcl", "");
    std::fs::create_dir_all(env.path().join("site/lib")).unwrap();
    env.write("site/main.hcl", main);
    env.write(
        "site/lib/inner.hcl",
        "file.content \"b\" {\n  destination = \"b.txt\"\n  content = \"{{path.module}} {{path.root}} {{path.cwd}}\"\n}\n",
    );
    env.run(&["apply", "site/main.hcl"]).err("").code(0);
    let root = env.path().canonicalize().unwrap().display().to_string();
    assert_eq!(env.read("a.txt"), Some(format!("{root}/site {root}/site {root}")));
    assert_eq!(env.read("b.txt"), Some(format!("{root}/site/lib {root}/site {root}")));
    env.write(
        "main.hcl",
        "param \"x\" { default = path.modul }\nparam \"y\" { default = \"{{path.rot}}\" }\n",
    );
    env.run(&["validate", "main.hcl"])
        .err_has("`path` has no `modul`; did you mean `module`?")
        .err_has("did you mean `root`?")
        .code(1);
}

#[test]
fn a_module_may_come_from_a_url() {
    let env = Env::with("a.hcl", "");
    let url = served(&[("/site.hcl", "task \"x\" { check = \"true\" }\n")]) + "/site.hcl";
    env.run(&["validate", &url]).out("1 file is valid\n").err("").code(0);
    env.run(&["plan", &url]).out("Plan: 0 to change, 0 failed, 1 unchanged (TIME)\n").err("").code(0);
    env.run(&["graph", &url]).out_has("task.x").err("").code(0);
    env.run(&["apply", "--offline", &url]).out_has("Apply: 0 changed").err("").code(0);
    env.run(&["plan", "--offline", "--cache-dir", "elsewhere", &url])
        .out("")
        .err_has(&format!("error[not-cached]: cannot fetch {url}: it is not in the cache"))
        .err_has("help: load it once without `--offline`")
        .code(1);
    let pinned = format!("{url}#sha256={}", "0".repeat(64));
    env.run(&["plan", &pinned]).err_has("error[pin-mismatch]").err_has("pin it to #sha256=").code(1);
}

#[test]
fn modules_from_urls_call_others_of_their_server_only() {
    let env = Env::with("main.hcl", "");
    let url = served(&[
        (
            "/a/site.hcl",
            "module \"../b/web.hcl\" \"web\" {}\nmodule \"../b/web.hcl\" \"again\" {}\n\
             module \"file:///etc/passwd\" \"stolen\" {}\n",
        ),
        ("/b/web.hcl", "task \"x\" {\n  check = file(\"/etc/passwd\")\n}\ntask \"y\" { check = \"true\" }\n"),
        ("/loop.hcl", "module \"/loop.hcl\" \"again\" {}\n"),
    ]);
    env.write("main.hcl", &format!("module \"{url}/b/web.hcl\" \"web\" {{}}\n"));
    env.run(&["graph", &format!("{url}/a/site.hcl")])
        .out_has("module.again/task.y")
        .err_has("`file:///etc/passwd` is a file of this machine")
        .err_has("/a/site.hcl:3:8")
        .code(1);
    env.run(&["plan", "main.hcl"]).out("").err_has("/etc/passwd cannot be read here").code(1);
    env.run(&["validate", &format!("{url}/loop.hcl")]).err_has("loop.hcl").code(1);
}

#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    let env = Env::with("a.hcl", "param \"a\" { default = 1 }\n");
    let open = tempfile::tempdir().unwrap();
    std::fs::set_permissions(open.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let cache = open.path().join("cache").display().to_string();
    env.run(&["plan", "--cache-dir", &cache, "a.hcl"])
        .err_has("warning: fetched modules are not cached: ")
        .err_has("so others than its owner may write there")
        .code(0);
}
