//! Tests of module folders, modules from git, and `converge modules`.

use std::process::Command;

use crate::env::Env;

/// Runs git in the repository in the folder `modules`.
fn git(env: &Env, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(arguments)
        .current_dir(env.path().join("modules"))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(env: &Env, text: &str) -> String {
    env.write("modules/web/module.hcl", text);
    git(env, &["add", "--all"]);
    git(env, &["commit", "--quiet", "--message", "m"]);
    git(env, &["rev-parse", "HEAD"])
}

/// Creates a module that calls a module tagged `v1` in a git repository; returns the commit of the tag.
fn site() -> (Env, String) {
    let env = Env::with("site.hcl", "module \"git::file://DIR/modules//web?ref=v1\" \"web\" {}\n");
    std::fs::create_dir_all(env.path().join("modules/web")).unwrap();
    git(&env, &["init", "--quiet", "--template="]);
    env.write("modules/web/params.hcl", "param \"text\" { default = \"one\" }\n");
    let first =
        commit(&env, "file.content \"a\" {\n  destination = \"DIR/a\"\n  content     = param.text\n}\n");
    git(&env, &["tag", "v1"]);
    (env, first)
}

/// Removes the path of the folder from a text.
fn short(env: &Env, text: &str) -> String {
    text.replace(&env.path().display().to_string(), "DIR")
}

#[test]
fn a_tag_is_locked_updated_and_listed() {
    let (env, first) = site();
    env.run(&["plan", "site.hcl"])
        .err_has("error[not-locked]: cannot load modules from the repository")
        .err_has("`v1` is not locked to a commit")
        .code(1);
    assert_eq!(env.read("converge.lock"), None);

    let locked = env.run(&["modules", "lock", "site.hcl"]).err("").code(0).stdout;
    assert_eq!(
        short(&env, &locked),
        format!("v1 of file://DIR/modules is {first}, which is new\nconverge.lock is written\n")
    );
    env.run(&["apply", "site.hcl"]).code(0);
    assert_eq!(env.read("a").as_deref(), Some("one"));

    // A moved tag changes nothing until the lock is updated.
    let second =
        commit(&env, "file.content \"a\" {\n  destination = \"DIR/a\"\n  content     = \"two\"\n}\n");
    git(&env, &["tag", "--force", "v1"]);
    env.run(&["plan", "--detailed-exitcode", "site.hcl"]).code(0);
    let first_listing = env.run(&["modules", "lock", "site.hcl"]).code(0).stdout;
    assert_eq!(
        short(&env, &first_listing),
        format!("v1 of file://DIR/modules is {first}\nconverge.lock is as it was\n")
    );
    let url = format!("file://{}/modules", env.path().display());
    let updated = env.run(&["modules", "update", "site.hcl", &url]).code(0).stdout;
    assert_eq!(
        short(&env, &updated),
        format!("v1 of file://DIR/modules is {second}, and was {first}\nconverge.lock is written\n")
    );
    env.run(&["plan", "--detailed-exitcode", "site.hcl"]).code(2);

    let listed = env.run(&["modules", "list", "site.hcl"]).err("").code(0).stdout;
    let expect = format!(
        "git::file://DIR/modules//web/module.hcl?ref={second}\ngit::file://DIR/modules//web/params.hcl?ref={second}\nsite.hcl\nv1 of file://DIR/modules is {second}\n"
    );
    assert_eq!(short(&env, &listed), expect);
    let json = env.run(&["modules", "list", "--format", "json", "site.hcl"]).code(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["git"][0]["commit"], second.as_str());
    assert_eq!(json["files"].as_array().map(Vec::len), Some(3));

    // A fetched module needs no network.
    std::fs::rename(env.path().join("modules"), env.path().join("gone")).unwrap();
    env.run(&["apply", "--offline", "site.hcl"]).code(0);
    assert_eq!(env.read("a").as_deref(), Some("two"));

    env.write("site.hcl", "param \"_none\" {}\n");
    let unchanged_listing = env.run(&["modules", "lock", "site.hcl"]).code(0).stdout;
    assert_eq!(
        short(&env, &unchanged_listing),
        "v1 of file://DIR/modules is no longer used\nconverge.lock is written\n"
    );
    env.run(&["modules", "lock", "site.hcl"])
        .out("nothing to lock: no module is loaded from a repository by a branch or a tag\n")
        .code(0);
}

/// Tests that nothing is written if a module has mistakes.
#[test]
fn what_cannot_be_locked() {
    let (env, _) = site();
    env.run(&["modules", "update", "site.hcl", "https://example.com/other.git"])
        .err_has("converge.lock: no reference of https://example.com/other.git is locked; locked are: none")
        .code(1);
    env.write("converge.lock", "{ \"version\": 2 }");
    env.run(&["modules", "lock", "site.hcl"])
        .err_has("is not a lock file: it has version 2, and this program knows version 1")
        .code(1);
    env.run(&["plan", "site.hcl"]).err_has("error[bad-lock]").code(1);
    std::fs::remove_file(env.path().join("converge.lock")).unwrap();
    env.write("site.hcl", "module \"git::file://DIR/modules//web?ref=v9\" \"web\" {}\n");
    env.run(&["modules", "lock", "site.hcl"]).err_has("the repository has no branch or tag `v9`").code(1);
    env.write("site.hcl", "module \"git::https://me:secret@example.com/m.git\" \"web\" {}\n");
    let stderr = env.run(&["modules", "lock", "site.hcl"]).code(1).stderr;
    assert!(stderr.contains("there is a user name or a password in it"), "{stderr}");
    assert_eq!(env.read("converge.lock"), None);
}

/// Tests that a folder can be planned, applied, validated and formatted by its name.
#[test]
fn a_folder_with_a_module_file() {
    let env = Env::with("other.hcl", "param   \"_p\" {}\n");
    std::fs::create_dir(env.path().join("web")).unwrap();
    env.write(
        "web/module.hcl",
        "file.content \"a\" {\n  destination = \"DIR/a\"\n  content     = param.text\n}\n",
    );
    env.write("web/params.hcl", "param \"text\" {\n  default = \"one\"\n}\n");
    env.run(&["validate", "web"]).out("1 file is valid\n").err("").code(0);
    env.run(&["validate", "."]).out("2 files are valid\n").err("").code(0);
    env.run(&["fmt", "--check", "."]).err("").code(1);
    env.run(&["fmt", "--check", "web"]).err("").code(0);
    env.run(&["apply", "web"]).code(0);
    assert_eq!(env.read("a").as_deref(), Some("one"));
    env.run(&["plan", "--detailed-exitcode", "web/"]).code(0);
    // The file alone is only a part of the module.
    env.run(&["validate", "web/module.hcl"])
        .err_has("error[unknown-param]: unknown parameter `text`")
        .code(1);
    env.write("web/params.hcl", "param \"text\" {\n  default = oops\n}\n");
    env.run(&["validate", "web"]).err_has("web/params.hcl:2:13").code(1);
}
