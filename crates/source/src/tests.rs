//! Tests of paths, `file://` URLs and reading of files.
#![expect(clippy::disallowed_methods, reason = "tests make the files that they read")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::{ModuleText, Source, Sources};
use crate::graph::Module;
use crate::language::{WorkBudget, WorkLimits};
use crate::types::id::NodeId;
use crate::types::scope::ScopeError;

/// Checks the resolution of `written` in `base`: the name, or the code, message and help of the error.
#[track_caller]
fn check(base: Option<&str>, reference: &str, expect: &str) {
    let base = base.map(|base| Sources::new().resolve(None, base).unwrap());
    let actual = match Sources::new().resolve(base.as_ref(), reference) {
        Ok(source) => source.to_string(),
        Err(error) => {
            format!("{}: {error} | {}", error.code(), error.help().unwrap_or_default())
        }
    };
    assert_eq!(actual, expect, "{reference} in {base:?}");
}

/// Returns the result of `file` in a module of this directory.
fn read_text(directory: Option<&Path>, path: &str) -> Result<Arc<str>, ScopeError> {
    let module = Module {
        id: NodeId::root(),
        source: "site.hcl".into(),
        directory: directory.map(Path::to_owned),
        root: None,
        call: None,
        tags: Arc::default(),
        environment: Arc::default(),
        optional: false,
        files: None,
        visible: Arc::default(),
        paths: Arc::default(),
    };
    ModuleText::new(&module, path)?.read(&WorkBudget::new(WorkLimits::default()))
}

#[test]
fn paths_are_relative_to_the_file_that_names_them() {
    check(None, "web.hcl", "web.hcl");
    check(None, "./web.hcl", "./web.hcl");
    check(Some("main.hcl"), "web.hcl", "web.hcl");
    check(Some("main.hcl"), "./web.hcl", "web.hcl");
    check(Some("site/main.hcl"), "web.hcl", "site/web.hcl");
    check(Some("site/main.hcl"), "./sub/../web.hcl", "site/sub/../web.hcl");
    check(Some("site/main.hcl"), "/srv/web.hcl", "/srv/web.hcl");
    check(Some("/srv/main.hcl"), "a/b.hcl", "/srv/a/b.hcl");
    check(Some("/main.hcl"), "b.hcl", "/b.hcl");
    // These names only resemble URLs.
    check(Some("site/main.hcl"), "a b://c", "site/a b:/c");
    check(Some("site/main.hcl"), "github.com/a/b.hcl", "site/github.com/a/b.hcl");
}

#[test]
fn file_urls() {
    check(None, "file:///srv/a%20b.hcl", "/srv/a b.hcl");
    check(Some("site/main.hcl"), "file:///srv/x.hcl", "/srv/x.hcl");
    check(None, "FILE://LocalHost/srv/%C3%A9.hcl", "/srv/é.hcl");
    check(
        None,
        "file://site/web.hcl",
        "bad-url: `file://site/web.hcl` names no file: `site` is read as the name of a machine | write \
         file:///site/web.hcl, or site/web.hcl alone when it is relative to this file",
    );
    check(
        None,
        "file://",
        "bad-url: `file://` names no file: it has no path | write it like file:///srv/site.hcl",
    );
    check(
        None,
        "file:///srv/100%.hcl",
        "bad-url: `file:///srv/100%.hcl` names no file: `%.h` stands for no byte | write %25 for a percent sign",
    );
    check(
        None,
        "file:///srv/%00.hcl",
        "bad-url: `file:///srv/%00.hcl` names no file: `%00` stands for no byte | write %25 for a percent sign",
    );
    check(
        None,
        "file:///srv/c#.hcl",
        "bad-url: `file:///srv/c#.hcl` names no file: `#` ends the path of a URL | write %23 when it belongs to the path",
    );
}

#[test]
fn what_is_no_source() {
    check(
        None,
        "",
        "empty-source: the source of a module is empty | write the path of a module, relative to this file",
    );
    for (reference, scheme) in
        [("ftp://h/x.hcl", "ftp"), ("hg::https://h/x", "hg::https"), ("s3://b/x", "s3")]
    {
        let message = format!("`{reference}` cannot be loaded: there are no `{scheme}` sources");
        check(None, reference, &format!("unknown-scheme: {message} | a source is a path or file://"));
    }
    check(
        None,
        "git::https://h/x",
        "unknown-scheme: `git::https://h/x` cannot be loaded: there are no `git::https` sources | a source is a path or file://; a program that fetches from repositories has `Sources::with_git`, with the feature `git` of `converge-core`",
    );
    check(
        None,
        "https://h/x.hcl",
        "unknown-scheme: `https://h/x.hcl` cannot be loaded: there are no `https` sources | a source is a path or file://; \
         a program that fetches modules has `Sources::with_http`, with the feature `http` of `converge-core`",
    );
}

#[test]
fn one_file_is_one_source() {
    let folder = tempfile::tempdir().unwrap();
    let path_of = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(path_of("deep/inner")).unwrap();
    std::fs::write(path_of("web.hcl"), "").unwrap();
    std::fs::write(path_of("deep/web.hcl"), "").unwrap();
    symlink(path_of("web.hcl"), path_of("link.hcl")).unwrap();
    symlink(path_of("deep/inner"), path_of("inner")).unwrap();
    let is_same = |a: &str, b: &str| Source::file(path_of(a)) == Source::file(path_of(b));
    assert!(is_same("web.hcl", "./web.hcl"));
    assert!(is_same("web.hcl", "deep/../web.hcl"));
    assert!(is_same("web.hcl", "link.hcl"));
    assert!(!is_same("web.hcl", "deep/web.hcl"));
    // This also holds for files that do not exist.
    assert!(is_same("none.hcl", "deep/../none.hcl"));
    assert!(!is_same("none.hcl", "web.hcl"));
    // A path is shortened only if it still leads to the same file.
    let sources = Sources::new();
    let resolve =
        |base: &str, written: &str| sources.resolve(Some(&Source::file(path_of(base))), written).unwrap();
    assert_eq!(
        resolve("deep/main.hcl", "../web.hcl").name().as_ref(),
        path_of("web.hcl").display().to_string()
    );
    let through_link = resolve("inner/main.hcl", "../web.hcl");
    assert_eq!(through_link, Source::file(path_of("deep/web.hcl")));
    assert_eq!(through_link.name().as_ref(), path_of("inner/../web.hcl").display().to_string());
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&folder.path().join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
    symlink("pipe", folder.path().join("link")).unwrap();
    let check = |path: &str, expect: &str| {
        let path = folder.path().join(path);
        let expect = format!("cannot read {}: it is {expect}, not a regular file", path.display());
        let message = Sources::new().read(&Source::file(&path)).unwrap_err().to_string();
        assert_eq!(message, expect);
        let message = read_text(Some(Path::new("")), path.to_str().unwrap()).unwrap_err().to_string();
        assert_eq!(message, expect);
    };
    check("pipe", "a named pipe");
    check("link", "a named pipe");
    check("socket", "a socket");
    check("/dev/zero", "a character device");
}

#[test]
fn files_next_to_a_module() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("motd"), "hello\n").unwrap();
    let source = Source::file(folder.path().join("main.hcl"));
    assert_eq!(read_text(source.directory(), "motd").unwrap().as_ref(), "hello\n");
    let absolute = folder.path().join("motd").display().to_string();
    assert_eq!(read_text(Some(Path::new("")), &absolute).unwrap().as_ref(), "hello\n");
    let missing = read_text(source.directory(), "none").unwrap_err().to_string();
    assert_eq!(
        missing,
        format!("cannot read {}: there is no such file", folder.path().join("none").display())
    );
    assert_eq!(
        read_text(None, &absolute).unwrap_err().to_string(),
        format!("{absolute} cannot be read here: the module is not a file, so nothing is next to it")
    );
}

proptest! {
    #[test]
    fn any_text_is_a_source_or_an_error(written in "(file://|[a-z]{1,3}://)?[/%#?.a-zé0-9]{0,12}") {
        let base = Source::file("site/main.hcl");
        if let Ok(source) = Sources::new().resolve(Some(&base), &written) {
            prop_assert!(source.directory().is_some());
        }
    }
}
