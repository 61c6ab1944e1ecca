//! Tests of `for_each` over items that a run finds: a folder of files, each of which is a site.

use std::fs;
use std::path::Path;

use converge_tests::Said;

use crate::run::{converge, private};

const MAIN: &str = r#"
param "folder" { type = "string" }
file.query "sites" { glob = format("%s/conf/*.conf", param.folder) }
module "site.hcl" "site" {
  for_each = { for path in file.query.sites.paths : trimsuffix(basename(path), ".conf") => path }
  params {
    name = each.key
    conf = each.value
    out  = format("%s/out", param.folder)
  }
}
file.directory "out" { destination = format("%s/out", param.folder) }
output "pages" { value = [for name, site in module.site : site.output.page] }
"#;

/// The resources are in the wrong order; dependencies follow from their paths.
const SITE: &str = r#"
param "name" { type = "string" }
param "conf" { type = "string" }
param "out"  { type = "string" }
locals { root = format("%s/%s", param.out, param.name) }
file.content "page" {
  destination = format("%s/html/index.html", local.root)
  content     = format("%s: %s", param.name, file.query.conf.content)
}
file.query "conf" { path = param.conf }
file.directory "html" { destination = format("%s/html", local.root) }
file.directory "root" { destination = local.root }
output "page" { value = file.content.page.destination }
"#;

fn run(folder: &Path, words: &[&str], main: &str) -> Said {
    let (state, param) = (folder.join("state").display().to_string(), format!("folder={}", folder.display()));
    let common = ["--format", "json", "--state-dir", &state, "-p", &param];
    converge(folder, &[&words[..1], &common[..], &words[1..]].concat(), main)
}

fn conf(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join("conf")).unwrap();
    fs::write(folder.join("conf").join(format!("{name}.conf")), text).unwrap();
}

#[test]
fn each_file_that_is_found_is_a_module() {
    let folder = private();
    let path = folder.path();
    fs::write(path.join("site.hcl"), SITE).unwrap();
    conf(path, "shop", "s");
    // A name may contain almost any character.
    conf(path, "a \"quoted\"] one", "q");
    let planned = run(path, &["plan"], MAIN);
    assert_eq!(planned.code, Some(0), "{}", planned.everything());
    assert_eq!((&planned.summary()["will_change"], &planned.summary()["failed"]), (&7.into(), &0.into()));
    let applied = run(path, &["apply"], MAIN);
    assert_eq!(applied.code, Some(0), "{}", applied.everything());
    let page = |name: &str| fs::read_to_string(path.join("out").join(name).join("html/index.html"));
    assert_eq!(
        (page("shop").unwrap().as_str(), page("a \"quoted\"] one").unwrap().as_str()),
        ("shop: s", "a \"quoted\"] one: q")
    );
    let second_plan = run(path, &["plan"], MAIN);
    assert_eq!(second_plan.summary()["unchanged"], 10, "{}", second_plan.everything());
    // One more site changes nothing else, and can be selected alone with its dependencies.
    conf(path, "blog", "b");
    conf(path, "wiki", "w");
    let chosen = run(path, &["plan", "--target", "module.site[\"blog\"]/file.content.page"], MAIN);
    assert_eq!(&chosen.summary()["will_change"], &3, "{}", chosen.everything());
    let skipped = run(path, &["apply", "--skip", "module.site[\"wiki\"]"], MAIN);
    // A resource that reads all instances has no value if one is skipped.
    assert_eq!(&skipped.summary()["changed"], &3, "{}", skipped.everything());
    assert!(page("blog").is_ok() && page("wiki").is_err());
    let unknown = run(path, &["plan", "--target", "module.site[\"blog\"]/file.content.pge"], MAIN);
    assert!(unknown.everything().contains("there is no resource"), "{}", unknown.everything());
}

#[test]
fn a_plan_that_is_kept_holds_for_the_sites_that_it_showed() {
    let folder = private();
    let path = folder.path();
    fs::write(path.join("site.hcl"), SITE).unwrap();
    conf(path, "shop", "s");
    let plan = path.join("plan.json").display().to_string();
    assert_eq!(run(path, &["plan", "--out", &plan], MAIN).code, Some(0));
    conf(path, "late", "l");
    let state = path.join("state").display().to_string();
    let applied: Said =
        converge_tests::converge(&["apply", "--format", "json", "--state-dir", &state, &plan])
            .output()
            .unwrap()
            .into();
    assert_eq!(applied.code, Some(1), "{}", applied.everything());
    assert!(path.join("out/shop/html/index.html").exists(), "{}", applied.everything());
    assert!(!path.join("out/late").exists(), "{}", applied.everything());
    assert!(applied.everything().contains("drifted"), "{}", applied.everything());
}

/// Items that only a plan finds count for health and explanations: an unchecked machine is not healthy.
#[test]
fn health_and_explanations_are_of_what_a_plan_finds() {
    let folder = private();
    let folder_path = folder.path();
    fs::write(folder_path.join("site.hcl"), SITE).unwrap();
    conf(folder_path, "shop", "s");
    conf(folder_path, "wiki", "w");
    let applied = run(folder_path, &["apply"], MAIN);
    assert_eq!(applied.code, Some(0), "{}", applied.everything());
    let healthy = run(folder_path, &["healthcheck"], MAIN);
    assert_eq!(healthy.code, Some(0), "{}", healthy.everything());
    fs::write(folder_path.join("out/shop/html/index.html"), "else").unwrap();
    let warned = run(folder_path, &["healthcheck"], MAIN);
    assert_eq!(warned.code, Some(3), "{}", warned.everything());
    let warnings = |said: &Said| -> Vec<String> {
        let lines =
            said.stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let warned = lines.filter(|line| line["health"] == "warning" && line["id"].is_string());
        warned.map(|line| line["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(warnings(&warned), ["root/module.site[\"shop\"]/file.content.page"], "{}", warned.stdout);
    fs::remove_file(folder_path.join("conf/wiki.conf")).unwrap();
    fs::create_dir(folder_path.join("conf/wiki.conf")).unwrap();
    let failed = run(folder_path, &["healthcheck"], MAIN);
    assert_eq!(failed.code, Some(4), "{}", failed.everything());

    let page = "module.site[\"shop\"]/file.content.page";
    for name in
        [page, "root/module.site[\"shop\"]/file.content.page", "module.site[\"shop\"].file.content.page"]
    {
        let explained = run(folder_path, &["explain", name], MAIN);
        let explained: serde_json::Value = serde_json::from_str(explained.success().stdout.trim()).unwrap();
        assert_eq!(explained["id"], format!("root/{page}"));
        let waits = explained["waits_for"].as_array().unwrap();
        let html = "root/module.site[\"shop\"]/file.directory.html";
        assert!(waits.iter().any(|wait| wait["on"] == html && wait["reason"] == "footprint"), "{explained}");
    }
    let wrong_key = run(folder_path, &["explain", "module.site[\"shp\"]/file.content.page"], MAIN);
    assert_eq!(wrong_key.code, Some(1));
    let expect =
        format!("there is no resource `module.site[\"shp\"]/file.content.page`; did you mean `{page}`");
    assert!(wrong_key.stderr.contains(&expect), "{}", wrong_key.stderr);
    let several = run(folder_path, &["explain", "file.content.page"], MAIN);
    assert!(
        several.code == Some(1) && several.stderr.contains("write more of the path"),
        "{}",
        several.stderr
    );
}

/// A local is named as written in the error about a value that is computed from it.
#[test]
fn what_a_wrong_value_is_made_of_is_named_as_it_is_written() {
    let folder = private();
    let text = "task.query \"port\" { query = \"echo http\" }\n\
                locals { port = trimspace(task.query.port.status.stdout) }\n\
                file.content \"it\" {\n  destination = \"it\"\n  content = format(\"%d\", local.port)\n}\n";
    let output = converge(folder.path(), &["plan"], text).everything();
    assert!(output.contains("the value comes from `local.port`"), "{output}");
}
