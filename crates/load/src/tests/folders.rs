//! Tests of modules that are folders.

use super::{Folder, check_files, lines, registry};
use crate::Loader;
use converge_source::{Memory, Source, Sources};

const CALL: &str = "module \"web\" \"web\" {\n  params { port = 1 }\n}";
const PARAMS: &str = "param \"port\" {}\n";

/// A file can use names from other files of the folder; files next to the folder are left out.
#[test]
fn the_files_of_a_folder_are_one_module() {
    check_files(
        &[
            ("main.hcl", CALL),
            ("web/module.hcl", "a.thing \"x\" { path = \"{{param `port`}}{{local.host}}\" }"),
            ("web/params.hcl", PARAMS),
            ("web/values.hcl", "locals {\n  host = \"h\"\n}"),
            ("web/calls.hcl", "module \"../db.hcl\" \"db\" {}\nmodule \"deep\" \"deep\" {}"),
            ("web/deep/module.hcl", "param \"level\" { default = 2 }"),
            ("web/deep/more.hcl", "a.thing \"y\" { path = \"{{param `level`}}\" }"),
            ("web/.draft.hcl", "broken"),
            ("web/notes.txt", "broken"),
            ("db.hcl", "a.thing \"z\" { path = \"p\" }"),
        ],
        &[],
    );
}

#[test]
fn mistakes_are_told_in_the_file_that_has_them() {
    check_files(
        &[
            ("main.hcl", "module \"web\" \"web\" {\n  params { prot = 1 }\n}"),
            ("web/module.hcl", "a.thing \"x\" { path = \"p\" }"),
            ("web/params.hcl", "param \"port\" { default = 1 }"),
            ("web/more.hcl", "a.thing \"y\" { path = param.none }"),
        ],
        &[
            "main.hcl:2:12 unexpected-param: web/module.hcl has no parameter `prot` | did you mean `port`?",
            "web/more.hcl:1:22 unknown-param: unknown parameter `none` | declare it: param \"none\" { default = \"..\" }",
        ],
    );
}

/// A name counts in the first file that declares it; other items of later files still count.
#[test]
fn one_name_is_declared_once_in_a_folder() {
    check_files(
        &[
            ("main.hcl", "module \"web\" \"web\" {}"),
            (
                "web/b.hcl",
                "param \"port\" { default = 2 }\na.thing \"x\" { path = \"b\" }\na.thing \"y\" { path = \"b\" }",
            ),
            ("web/module.hcl", "param \"port\" { default = 1 }\na.thing \"x\" { path = \"m\" }"),
        ],
        &[
            "web/module.hcl:1:1 web/b.hcl:1:1 duplicate-resource: `param.port` is declared twice | give one of them another name",
            "web/module.hcl:2:1 web/b.hcl:2:1 duplicate-resource: `a.thing.x` is declared twice | give one of them another name",
        ],
    );
}

#[test]
fn a_folder_is_a_module_when_it_says_so() {
    check_files(
        &[
            ("main.hcl", "module \"web\" \"web\" {}\nmodule \"empty\" \"e\" {}"),
            ("web/main.hcl", ""),
            ("empty/x.txt", ""),
        ],
        &[
            "main.hcl:1:8 no-module-file: web is a folder, and there is no `module.hcl` in it, which would make it a module; it is called in main.hcl | name a file of it, like web/main.hcl; or, when its files are one module, name one of them `module.hcl`",
            "main.hcl:2:8 no-module-file: empty is a folder, and there is no `module.hcl` in it, which would make it a module; it is called in main.hcl | name a file of it, like empty/main.hcl; or, when its files are one module, name one of them `module.hcl`",
        ],
    );
}

/// Modules for the original Converge call single files, which are modules by themselves.
#[test]
fn a_file_that_is_named_is_a_module_by_itself() {
    check_files(
        &[
            ("main.hcl", "module \"web/module.hcl\" \"one\" {}\nmodule \"web/other.hcl\" \"two\" {}"),
            ("web/module.hcl", "a.thing \"x\" { path = \"p\" }"),
            ("web/other.hcl", "a.thing \"x\" { path = \"p\" }"),
        ],
        &[],
    );
}

#[test]
fn a_folder_that_leads_back_to_itself() {
    check_files(
        &[
            ("main.hcl", "module \"web\" \"web\" {}"),
            ("web/module.hcl", ""),
            ("web/more.hcl", "module \"../web/.\" \"again\" {}"),
        ],
        &[
            "web/more.hcl:1:8 include-cycle: a module calls itself: web/module.hcl -> web/module.hcl | remove one of these calls",
        ],
    );
}

#[test]
fn a_folder_is_loaded_from_its_path() {
    let folder = Folder::new(&[
        ("module.hcl", "a.thing \"x\" { path = param.p }"),
        ("params.hcl", "param \"p\" { default = \"v\" }"),
    ]);
    let registry = registry();
    let loaded = Loader::new(&registry).load_file(folder.0.path());
    let graph = loaded.into_graph().unwrap();
    assert!(graph.find("root/param.p").is_some());
    assert!(graph.find("root/a.thing.x").is_some());
    let module = folder.0.path().join("module.hcl");
    assert!(Source::folder_of(&module).is_some());
    assert!(Source::folder_of(&folder.0.path().join("params.hcl")).is_some());
    assert!(Source::folder_of(&folder.0.path().join("notes.txt")).is_none());
}

/// A source of an application lists its folders, or does not support folders.
#[test]
fn folders_of_other_sources() {
    let registry = registry();
    let load = |sources| Loader::new(&registry).with_sources(sources).load("main.hcl");
    let modules = Memory::new()
        .with("main.hcl", CALL)
        .with("web/module.hcl", "a.thing \"x\" { path = \"{{param `port`}}\" }")
        .with("web/params.hcl", PARAMS);
    let graph = load(Sources::only(modules)).into_graph().unwrap();
    assert!(graph.find("root/module.web/a.thing.x").is_some());

    let with_folder = Memory::new().with("main.hcl", CALL).with("web", PARAMS).with("web/other.hcl", "");
    assert!(
        load(Sources::only(with_folder)).into_graph().unwrap().find("root/module.web/param.port").is_some()
    );

    let without_folder = Memory::new().with("main.hcl", CALL).with("web/other.hcl", "");
    let loaded = load(Sources::only(without_folder));
    assert_eq!(
        lines(&loaded, |span| loaded.sources.location(span)),
        [
            "main.hcl:1:8 no-module-file: web is a folder, and there is no `module.hcl` in it, which would make it a module; it is called in main.hcl | name a file of it, like web/main.hcl; or, when its files are one module, name one of them `module.hcl`"
        ]
    );
}

/// Parameters that another file of the folder uses are not reported as unused.
#[test]
fn what_another_file_uses_is_used() {
    let folder = Folder::new(&[
        ("module.hcl", "a.thing \"x\" { path = param.p }"),
        ("params.hcl", "param \"p\" { default = \"v\" }\nparam \"q\" { default = \"v\" }"),
    ]);
    let registry = registry();
    let loaded = Loader::new(&registry).for_inspection().load_file(folder.0.path());
    let lines = lines(&loaded, |span| loaded.sources.location(span));
    let lines: Vec<String> = lines.iter().map(|line| folder.short(line)).collect();
    assert_eq!(
        lines,
        [
            "params.hcl:2:1 unused: nothing uses the parameter `param.q` | remove it, or rename it to `_q` if callers still set it"
        ]
    );
}

#[test]
fn too_many_files() {
    let folder = Folder::new(&[("module.hcl", "")]);
    for number in 0..1_000 {
        std::fs::write(folder.0.path().join(format!("{number}.hcl")), "").unwrap();
    }
    let registry = registry();
    let error = Loader::new(&registry).load_file(folder.0.path()).into_graph().unwrap_err().to_string();
    assert!(error.contains("has more than 1000 entries"), "{error}");
}
