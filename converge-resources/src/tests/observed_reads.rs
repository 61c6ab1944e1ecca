//! Tests of the paths that the checks of resources read, on this machine.

use std::path::Path;
use std::sync::Arc;

use converge_core::engine::Engine;
use converge_core::load::Loader;
use converge_core::system::LocalSystem;

/// Returns the paths that each check read, in the order of the reports, with `~` for the folder.
async fn reads(folder: &Path, module: &str) -> Vec<(String, Option<Vec<String>>)> {
    let registry = crate::registry().unwrap();
    let module = module.replace('~', folder.to_str().unwrap());
    let graph = Loader::new(&registry).load_text("main.hcl", &module).into_graph().unwrap();
    let plan = Engine::new(Arc::new(LocalSystem::new())).make_plan(&graph).observe_reads().await.unwrap();
    let shown = |path: &Path| path.to_str().unwrap().replace(folder.to_str().unwrap(), "~");
    let resources = plan.report.resources.into_iter().map(|result| {
        let paths = result.reads.map(|paths| paths.iter().map(|path| shown(path)).collect());
        (result.id.short().to_owned(), paths)
    });
    resources.collect()
}

#[expect(clippy::disallowed_methods, reason = "the files are those of the test")]
#[tokio::test]
async fn a_check_of_files_reads_only_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["a", "source"] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    std::fs::create_dir(folder.join("d")).unwrap();
    let check = async |resource: &str, expect: Option<&[&str]>| {
        let expect = expect.map(|paths| paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>());
        let reads = reads(folder, resource).await;
        assert!(reads.iter().any(|(_, reads)| *reads == expect), "{resource}: {reads:?}");
    };
    let content = |fields: &str| format!("file.content \"a\" {{\n  destination = \"~/a\"\n{fields}\n}}\n");
    check(&content("content = \"x\""), Some(&["~/a"])).await;
    check(&content("content = \"x\"\nmode = 0600"), Some(&["~/a"])).await;
    let param = "param \"mode\" {\n  default = 0600\n}\n";
    check(&format!("{param}{}", content("content = \"x\"\nmode = param.mode")), Some(&["~/a"])).await;
    check(&content("content = \"x\"\nowner = \"root\""), Some(&["/etc/group", "/etc/passwd", "~/a"])).await;
    for (resource, path) in [
        ("file.mode \"a\" {\n  destination = \"~/source\"\n  mode = 0600\n}", "~/source"),
        ("file.directory \"a\" {\n  destination = \"~/d\"\n}", "~/d"),
        ("file.absent \"a\" {\n  destination = \"~/gone\"\n}", "~/gone"),
        ("file.line \"a\" {\n  destination = \"~/source\"\n  line = \"y\"\n}", "~/source"),
        ("file.ini \"a\" {\n  destination = \"~/source\"\n  key = \"k\"\n  value = \"v\"\n}", "~/source"),
    ] {
        check(resource, Some(&[path])).await;
    }
    // A folder may have other entries, and a program and the clock may say something else.
    check("file.mode \"a\" {\n  destination = \"~\"\n  mode = \"u=rwX\"\n  recursive = true\n}", None).await;
    let query = "task.query \"q\" {\n  query = \"echo x\"\n}\n";
    for fields in [
        "content = task.query.q.status.stdout",
        "content = \"x\"\nwhen = task.query.q.status.exitstatus == 0",
    ] {
        let none = [("file.content.a".to_owned(), None), ("task.query.q".to_owned(), None)];
        assert_eq!(reads(folder, &format!("{query}{}", content(fields))).await, none, "{fields}");
    }
    check(&content("content = \"{{platform.hostname}}\""), None).await;
    // A secret name cannot be shown.
    let secret = "param \"name\" {\n  default = \"k3y-of-vault\"\n  sensitive = true\n}\n";
    std::fs::write(folder.join("k3y-of-vault"), "x").unwrap();
    check(&format!("{secret}{}", content("content = \"x\"").replace("~/a", "~/{{param `name`}}")), None)
        .await;
    check("random.integer \"a\" {\n  min = 1\n  max = 9\n}", None).await;
}
