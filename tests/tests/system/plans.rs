//! Tests that an apply does what its plan announced, even if a pending resource affects a later check.
//!
//! Dependencies are inferred where possible, so `depends` is rarely written.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use converge_tests::{Said, is_root, skip};

use crate::run::{converge, private};

/// A module in a folder, in whose text `DIR` is that folder.
struct Told<'a> {
    folder: &'a Path,
    module: String,
}

impl<'a> Told<'a> {
    fn new(folder: &'a Path, module: &str) -> Self {
        let dir = folder.join("dir");
        fs::create_dir_all(&dir).unwrap();
        Self { folder, module: module.replace("DIR", &dir.display().to_string()) }
    }

    fn run(&self, command: &str) -> Said {
        let state = self.folder.join("state").display().to_string();
        converge(self.folder, &[command, "--format", "json", "--state-dir", &state], &self.module)
    }
}

/// Plans and applies a module after `prepare` created the initial state.
///
/// The plan must announce the expected outcomes, the apply must match it, and then nothing is left to do.
#[track_caller]
fn check(prepare: impl FnOnce(&Path), module: &str, expect: &[(&str, &str)]) -> (Said, Said) {
    let folder = private();
    let fixture = Told::new(folder.path(), module);
    prepare(&folder.path().join("dir"));
    let plan = fixture.run("plan").success();
    let outcomes = plan.outcomes();
    let outcomes: Vec<(&str, &str)> = outcomes.iter().map(|(id, outcome)| (&**id, &**outcome)).collect();
    assert_eq!(outcomes, expect, "{}", plan.everything());
    let apply = fixture.run("apply").success();
    apply.did_what_was_planned(&plan);
    for command in ["apply", "plan"] {
        fixture.run(command).has_nothing_to_do();
    }
    (plan, apply)
}

fn nothing(_: &Path) {}

const CONF: &str = "file.content \"conf\" {\n destination = \"DIR/conf\"\n content = \"new\"\n}\n";

#[test]
fn a_script_after_the_file_that_it_checks() {
    let task = "task \"t\" {\n check = \"grep -q new DIR/conf && test -e DIR/done\"\n apply = \"touch DIR/done\"\n depends = [\"file.content.conf\"]\n}\n";
    let module = format!("{CONF}{task}");
    // The file changes, and the script depends on it, so the script may change.
    let (plan, _) =
        check(nothing, &module, &[("file.content.conf", "will-change"), ("task.t", "may-change")]);
    assert_eq!(plan.report("task.t")["pending"], "root/file.content.conf");
    // The script has nothing to do until the file changes, so it may change.
    let check_new = task
        .replace("grep -q new DIR/conf", "! grep -q new DIR/conf || test -s DIR/done")
        .replace("touch DIR/done", "echo new > DIR/done")
        .replace("test -e DIR/done", "true");
    let old = |dir: &Path| fs::write(dir.join("conf"), "old").unwrap();
    let expect = [("file.content.conf", "will-change"), ("task.t", "may-change")];
    let (_, apply) = check(old, &format!("{CONF}{check_new}"), &expect);
    assert_eq!(apply.outcomes()["task.t"], "changed");
    // Without a pending resource before it, the check of the script is certain.
    let in_place = |dir: &Path| fs::write(dir.join("conf"), "new").unwrap();
    check(in_place, &module, &[("file.content.conf", "unchanged"), ("task.t", "will-change")]);
}

#[test]
fn scripts_that_follow_each_other() {
    let task = |name: &str, depends: &str| {
        format!(
            "task \"{name}\" {{\n check = \"test -e DIR/{name}\"\n apply = \"touch DIR/{name}\"\n {depends}\n}}\n"
        )
    };
    let module = task("a", "") + &task("b", "depends = [\"task.a\"]") + &task("c", "depends = [\"task.b\"]");
    check(nothing, &module, &[("task.a", "will-change"), ("task.b", "may-change"), ("task.c", "may-change")]);
    let create_file = |dir: &Path| fs::write(dir.join("a"), "").unwrap();
    check(
        create_file,
        &module,
        &[("task.a", "unchanged"), ("task.b", "will-change"), ("task.c", "may-change")],
    );
}

#[test]
fn what_a_query_says_after_a_change_is_not_known() {
    let module = format!(
        "{CONF}task.query \"q\" {{\n query = \"cat DIR/conf\"\n depends = [\"file.content.conf\"]\n}}\n\
         file.content \"copy\" {{\n destination = \"DIR/copy\"\n content = \"{{{{lookup `task.query.q.status.stdout`}}}}\"\n}}\n"
    );
    let old = |dir: &Path| {
        fs::write(dir.join("conf"), "old").unwrap();
        fs::write(dir.join("copy"), "old").unwrap();
    };
    // The copy agrees with the output of the query before the change, so it may change.
    let expect = [
        ("file.content.conf", "will-change"),
        ("file.content.copy", "may-change"),
        ("task.query.q", "may-change"),
    ];
    let (_, apply) = check(old, &module, &expect);
    assert_eq!(apply.outcomes()["file.content.copy"], "changed");
    // The query fails until the file exists, which is no error of the plan.
    check(nothing, &module, &expect);
}

#[test]
fn conditions_on_what_is_not_known() {
    let query = "task.query \"q\" {\n query = \"cat DIR/conf\"\n depends = [\"file.content.conf\"]\n}\n";
    let conditional = "file.content \"page\" {\n destination = \"DIR/page\"\n content = \"x\"\n when = \"{{eq (lookup `task.query.q.status.stdout`) `new`}}\"\n}\n";
    let old = |dir: &Path| fs::write(dir.join("conf"), "old").unwrap();
    let expect = [
        ("file.content.conf", "will-change"),
        ("file.content.page", "may-change"),
        ("task.query.q", "may-change"),
    ];
    let (_, apply) = check(old, &format!("{CONF}{query}{conditional}"), &expect);
    assert_eq!(apply.outcomes()["file.content.page"], "changed");
    let case = |name: &str| {
        format!(
            " case \"{{{{eq (lookup `task.query.q.status.stdout`) `{name}`}}}}\" \"{name}\" {{\n  file.content \"it\" {{\n   \
             destination = \"DIR/page\"\n   content = \"{name}\"\n  }}\n }}\n"
        )
    };
    let switch = format!("switch \"s\" {{\n{}{}}}\n", case("old"), case("new"));
    let expect = [
        ("file.content.conf", "will-change"),
        ("switch.s/case.new/file.content.it", "may-change"),
        ("switch.s/case.old/file.content.it", "may-change"),
        ("task.query.q", "may-change"),
    ];
    let (_, apply) = check(old, &format!("{CONF}{query}{switch}"), &expect);
    assert_eq!(apply.outcomes()["switch.s/case.old/file.content.it"], "not-taken");
}

#[test]
fn files_after_the_folders_around_them() {
    // The names are in the wrong order on purpose.
    let module = "file.content \"a\" {\n destination = \"DIR/x/y/file\"\n content = \"a\"\n}\n\
                  file.directory \"b\" {\n destination = \"DIR/x//y/\"\n}\n\
                  file.directory \"c\" {\n destination = \"DIR/./x\"\n}\n";
    let outcomes = [
        ("file.content.a", "will-change"),
        ("file.directory.b", "will-change"),
        ("file.directory.c", "will-change"),
    ];
    check(nothing, module, &outcomes);
    // Without inferred edges the order is wrong.
    let folder = private();
    let fixture = Told::new(folder.path(), module);
    let path = crate::run::module(folder.path(), &fixture.module);
    let state = folder.path().join("state").display().to_string();
    let output = converge_tests::run(&["apply", "--no-auto-edges", "--state-dir", &state, &path]);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stdout.contains("does not exist"), "{}", output.everything());
}

#[test]
fn files_in_folders_that_are_made_on_the_way() {
    let data = "file.directory \"z\" {\n destination = \"DIR/app/data/new\"\n create_all = true\n}\n";
    let file = "file.content \"a\" {\n destination = \"DIR/app/conf\"\n content = \"new\"\n}\n";
    let mode = "file.mode \"m\" {\n destination = \"DIR/app\"\n mode = \"0711\"\n}\n";
    let query = |path: &str| format!("file.query \"q\" {{\n path = \"{path}\"\n}}\n");
    let expect = [("file.content.a", "will-change"), ("file.directory.z", "will-change")];
    check(nothing, &format!("{file}{data}"), &expect);
    let (plan, _) = check(
        nothing,
        &format!("{file}{mode}{}{data}", query("DIR/app/data")),
        &[expect[0], expect[1], ("file.mode.m", "may-change"), ("file.query.q", "may-change")],
    );
    assert_eq!(plan.report("file.query.q")["pending"], "root/file.directory.z");
    // A resource that would create the folder as a parent waits for the resource that declares it.
    let app = "file.directory \"app\" {\n destination = \"DIR/app\"\n mode = \"0711\"\n}\n";
    let folder = private();
    let alone = Told::new(folder.path(), &format!("{data}{file}{app}"));
    alone.run("apply").success();
    let mode = fs::metadata(folder.path().join("dir/app")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o711);
    alone.run("plan").has_nothing_to_do();
    // Instances that a run finds are ordered as well.
    let pages = "file.content \"page\" {\n for_each = [for name in [\"one\", \"two\"] : name if !file.query.q.exists]\n \
                 destination = \"DIR/app/data/{{each.key}}\"\n content = \"new\"\n}\n";
    let page = |name: &str| format!("file.content.page[\"{name}\"]");
    let (first, two) = (page("one"), page("two"));
    let expect = [(&*first, "will-change"), (&*two, "will-change"), expect[1], ("file.query.q", "unchanged")];
    check(nothing, &format!("{pages}{}{data}", query("DIR/other")), &expect);
}

#[test]
fn modes_and_owners_after_the_files() {
    let module = "file.mode \"a\" {\n destination = \"DIR/file\"\n mode = \"0640\"\n}\n\
                  file.owner \"b\" {\n destination = \"DIR/file\"\n user = \"daemon\"\n}\n\
                  file.content \"c\" {\n destination = \"DIR/file\"\n content = \"new\"\n}\n";
    if !is_root() {
        skip("modes_and_owners_after_the_files", "only root gives files away");
        return;
    }
    let outcomes = |a, b, c| [("file.content.c", c), ("file.mode.a", a), ("file.owner.b", b)];
    check(nothing, module, &outcomes("may-change", "may-change", "will-change"));
    // Replacing the content keeps the mode and the owner, so their outcomes are certain.
    let right = |dir: &Path| {
        fs::write(dir.join("file"), "old").unwrap();
        fs::set_permissions(dir.join("file"), fs::Permissions::from_mode(0o640)).unwrap();
        chown(dir.join("file"), Some(1), None).unwrap();
    };
    check(right, module, &outcomes("unchanged", "unchanged", "will-change"));
    let old_file = |dir: &Path| fs::write(dir.join("file"), "old").unwrap();
    check(old_file, module, &outcomes("will-change", "will-change", "will-change"));
}

#[test]
fn a_whole_tree_after_what_is_made_in_it() {
    if !is_root() {
        skip("a_whole_tree_after_what_is_made_in_it", "only root gives files away");
        return;
    }
    let module = "file.owner \"all\" {\n destination = \"DIR/tree\"\n user = \"daemon\"\n recursive = true\n}\n\
                  file.content \"new\" {\n destination = \"DIR/tree/new\"\n content = \"x\"\n}\n";
    let right = |dir: &Path| {
        fs::create_dir(dir.join("tree")).unwrap();
        chown(dir.join("tree"), Some(1), None).unwrap();
    };
    // All existing files belong to the user, but the new file does not.
    let (_, apply) =
        check(right, module, &[("file.content.new", "will-change"), ("file.owner.all", "may-change")]);
    assert_eq!(apply.outcomes()["file.owner.all"], "changed");
}

#[test]
fn a_file_that_a_script_makes() {
    let task = "task \"make\" {\n check = \"test -e DIR/made\"\n apply = \"echo -n x > DIR/made\"\n}\n";
    let mode =
        "file.mode \"m\" {\n destination = \"DIR/made\"\n mode = \"0600\"\n depends = [\"task.make\"]\n}\n";
    check(nothing, &format!("{task}{mode}"), &[("file.mode.m", "may-change"), ("task.make", "will-change")]);
    // The script writes the declared content, so nothing is left to change.
    let content = "file.content \"c\" {\n destination = \"DIR/made\"\n content = \"x\"\n depends = [\"task.make\"]\n}\n";
    let expect = [("file.content.c", "may-change"), ("task.make", "will-change")];
    let (_, apply) = check(nothing, &format!("{task}{content}"), &expect);
    assert_eq!(apply.outcomes()["file.content.c"], "unchanged");
    // A script that empties a folder.
    let clean = "task \"clean\" {\n check = \"test ! -e DIR/old/file\"\n apply = \"rm DIR/old/file\"\n}\n";
    let removal = "file.directory \"old\" {\n destination = \"DIR/old\"\n state = \"absent\"\n depends = [\"task.clean\"]\n}\n";
    let fill_folder = |dir: &Path| {
        fs::create_dir(dir.join("old")).unwrap();
        fs::write(dir.join("old/file"), "").unwrap();
    };
    check(
        fill_folder,
        &format!("{clean}{removal}"),
        &[("file.directory.old", "may-change"), ("task.clean", "will-change")],
    );
}

#[test]
fn what_waits_for_what_a_script_starts() {
    let module = "task \"start\" {\n check = \"test -e DIR/up\"\n apply = \"touch DIR/up\"\n}\n\
                  wait.query \"up\" {\n check = \"test -e DIR/up\"\n interval = \"10ms\"\n max_retry = 3\n depends = [\"task.start\"]\n}\n";
    check(nothing, module, &[("task.start", "will-change"), ("wait.query.up", "may-change")]);
}

#[test]
fn a_copy_of_a_file_that_is_pending() {
    let module = format!(
        "file.fetch \"a\" {{\n source = \"DIR/conf\"\n destination = \"DIR/copy\"\n force = true\n}}\n{CONF}"
    );
    let expect = [("file.content.conf", "will-change"), ("file.fetch.a", "may-change")];
    check(nothing, &module, &expect);
    let old = |dir: &Path| {
        fs::write(dir.join("conf"), "old").unwrap();
        fs::write(dir.join("copy"), "old").unwrap();
    };
    // The copy is correct until the original changes.
    let (_, apply) = check(old, &module, &expect);
    assert_eq!(apply.outcomes()["file.fetch.a"], "changed");
}

#[test]
fn a_file_over_an_archive() {
    let module = "file.content \"conf\" {\n destination = \"DIR/app/conf\"\n content = \"ours\"\n}\n\
                  unarchive \"app\" {\n source = \"DIR/app.tar\"\n destination = \"DIR/app\"\n}\n\
                  file.directory \"z\" {\n destination = \"DIR/app\"\n}\n";
    let packed = |dir: &Path| {
        fs::create_dir(dir.join("in")).unwrap();
        fs::write(dir.join("in/program"), "x").unwrap();
        let (archive, folder) = (dir.join("app.tar"), dir.join("in"));
        let tar = Command::new("tar").arg("-cf").arg(archive).arg("-C").arg(folder).arg(".").status();
        assert!(tar.unwrap().success());
    };
    let expect = [
        ("file.content.conf", "may-change"),
        ("file.directory.z", "will-change"),
        ("unarchive.app", "may-change"),
    ];
    check(packed, module, &expect);
}

#[test]
fn what_is_not_touched_stays_certain() {
    let file = |name: &str, depends: &str| {
        format!(
            "file.content \"{name}\" {{\n destination = \"DIR/{name}\"\n content = \"{name}\"\n {depends}\n}}\n"
        )
    };
    let module = file("a", "")
        + &file("b", "depends = [\"file.content.a\"]")
        + &file("c", "depends = [\"file.content.b\"]");
    let create_file = |dir: &Path| fs::write(dir.join("b"), "b").unwrap();
    let expect = [
        ("file.content.a", "will-change"),
        ("file.content.b", "unchanged"),
        ("file.content.c", "will-change"),
    ];
    check(create_file, &module, &expect);
}

/// An error that no pending resource could fix also fails the plan.
#[test]
fn what_is_wrong_is_wrong_in_a_plan() {
    let folder = private();
    let mode = "file.mode \"m\" {\n destination = \"DIR/missing\"\n mode = \"0600\"\n}\n";
    let output = Told::new(folder.path(), &format!("{CONF}{mode}")).run("plan");
    assert!(output.failure("file.mode.m").contains("does not exist"), "{}", output.everything());
    let deep =
        "file.directory \"d\" {\n destination = \"DIR/no/where\"\n depends = [\"file.content.conf\"]\n}\n";
    fs::write(folder.path().join("dir/conf"), "new").unwrap();
    let output = Told::new(folder.path(), &format!("{CONF}{deep}")).run("plan");
    assert!(output.failure("file.directory.d").contains("does not exist"), "{}", output.everything());
}

/// A thing that two resources manage by a value known only at run time is refused.
///
/// Nothing is written twice.
#[test]
fn what_turns_out_to_be_managed_twice_fails() {
    let folder = private();
    let query = "task.query \"where\" {\n query = \"echo -n DIR/./file\"\n}\n";
    let first = "file.content \"a\" {\n destination = \"DIR/file\"\n content = \"a\"\n}\n";
    let second = "file.content \"b\" {\n destination = \"{{lookup `task.query.where.status.stdout`}}\"\n content = \"b\"\n}\n";
    let fixture = Told::new(folder.path(), &format!("{query}{first}{second}"));
    for command in ["plan", "apply"] {
        let output = fixture.run(command);
        let message = output.failure("file.content.b");
        assert!(message.contains("`file.content.a` and `file.content.b` both manage the"), "{message}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("dir/file")).unwrap(), "a");
    // Two resources may set the same value, whether it is known at load time or comes from a loop.
    let mode = |name: &str, destination: &str, mode: &str, more: &str| {
        format!(
            "file.mode \"{name}\" {{\n destination = \"{destination}\"\n mode = \"{mode}\"\n {more}\n}}\n"
        )
    };
    let lookup = "{{lookup `task.query.where.status.stdout`}}";
    let instances = mode("each", "DIR/file", "{{each.value}}", "for_each = { a = \"600\", b = \"600\" }");
    for first in [mode("m", "DIR/file", "600", ""), instances] {
        let agree = first.clone() + &mode("same", lookup, "600", "");
        let fixture = Told::new(folder.path(), &format!("{query}{agree}"));
        assert_eq!(fixture.run("apply").code, Some(0), "{}", fixture.run("plan").everything());
        let differ = first + &mode("other", lookup, "640", "");
        let output = Told::new(folder.path(), &format!("{query}{differ}")).run("apply");
        assert!(
            output.failure("file.mode.other").contains("both manage the mode of"),
            "{}",
            output.everything()
        );
        assert!(output.everything().contains("give both the same value"), "{}", output.everything());
    }
    // If both paths are known at load time, the module is refused before the run.
    let second = "file.content \"b\" {\n destination = \"DIR//file\"\n content = \"b\"\n}\n";
    let output = Told::new(folder.path(), &format!("{first}{second}")).run("plan");
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.everything().contains("managed-twice"), "{}", output.everything());
    assert!(
        output.everything().contains("write all of it with one of them, or parts of it with `file.block`"),
        "{}",
        output.everything()
    );
}
