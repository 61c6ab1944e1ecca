//! Tests of `for_each` over the files that a query finds, from the plan to the second apply.

use crate::env::Env;

const SITE: &str = r#"
file.query "sites" {
  glob = "DIR/sites/*.conf"
}

file.directory "enabled" {
  destination = "DIR/enabled"
}

file.link "site" {
  for_each    = { for site in file.query.sites.files : basename(site.path) => site }
  destination = format("DIR/enabled/%s", each.key)
  target      = each.value.path
}

file.content "list" {
  destination = "DIR/list"
  content     = join(",", [for name, link in file.link.site : name])
}
"#;

fn env(text: &str) -> Env {
    let env = Env::with("site.hcl", &[SITE, text].concat());
    std::fs::create_dir(env.path().join("sites")).unwrap();
    env.write("sites/b.conf", "b");
    env.write("sites/a.conf", "a");
    env
}

#[test]
fn each_file_that_is_found_is_a_resource() {
    let env = env("");
    let plan = env.run(&["plan", "site.hcl"]);
    let places: Vec<Option<usize>> =
        ["file.link.site[\"a.conf\"]", "file.link.site[\"b.conf\"]"].map(|id| plan.stdout.find(id)).to_vec();
    assert!(places[0].is_some() && places.is_sorted(), "{}", plan.stdout);
    assert_eq!(env.read("enabled/a.conf"), None, "nothing is changed");
    env.run(&["apply", "site.hcl"]).code(0);
    assert_eq!(env.read("enabled/a.conf").as_deref(), Some("a"));
    assert_eq!(env.read("list").as_deref(), Some("a.conf,b.conf"));
    env.run(&["plan", "--detailed-exitcode", "site.hcl"]).code(0);

    // One more file is one more resource, which a saved plan contains and a target can select.
    env.write("sites/c.conf", "c");
    env.write("sites/d.conf", "d");
    env.run(&["apply", "--target", "file.link.site[\"c.conf\"]", "site.hcl"]).code(0);
    assert_eq!(env.read("enabled/c.conf").as_deref(), Some("c"));
    assert_eq!(env.read("enabled/d.conf"), None);
    env.run(&["plan", "--out", "kept.plan", "site.hcl"]).code(0);
    env.write("sites/e.conf", "e");
    // A resource that the plan did not show is not applied.
    let apply = env.run(&["apply", "kept.plan"]);
    assert!(apply.stdout.contains("file.link.site[\"e.conf\"]"), "{}", apply.stdout);
    assert_eq!(env.read("enabled/d.conf").as_deref(), Some("d"));
    assert_eq!(env.read("enabled/e.conf"), None);
}

#[test]
fn what_is_found_later_may_change_and_may_conflict() {
    let env = env(r#"
file.content "new" {
  destination = "DIR/sites/new.conf"
  content     = "n"
}

file.content "own" {
  destination = "DIR/enabled/a.conf"
  content     = "mine"
}
"#);
    let plan = env.run(&["plan", "site.hcl"]);
    assert!(plan.stdout.contains("file.link.site  may change"), "{}", plan.stdout);
    assert!(plan.stdout.contains("for_each"), "{}", plan.stdout);
    let apply = env.run(&["apply", "site.hcl"]);
    let name = "`file.link.site[\"a.conf\"]`";
    let output = [&*apply.stdout, &apply.stderr].concat();
    assert!(output.contains(name) && output.contains("both manage"), "{output}");
    assert_eq!(env.read("enabled/new.conf").as_deref(), Some("n"));
    assert_eq!(env.read("enabled/a.conf").as_deref(), Some("mine"));
}
