//! Tests of malicious repositories and unresponsive servers.
#![expect(clippy::disallowed_methods, reason = "tests make the repositories that they read")]

use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use super::{Place, messages};
use converge_core::Registry;
use converge_core::load::{Git, Loader, Sources};

/// A repository cannot name any file of this machine.
#[test]
fn links_and_paths_that_lead_out() {
    let place = Place::new();
    let secret = place.0.path().join("secret.hcl");
    std::fs::write(&secret, "param \"secret\" { default = 1 }").unwrap();
    symlink(&secret, place.repository().join("link.hcl")).unwrap();
    symlink(place.0.path(), place.repository().join("out")).unwrap();
    place.write("up.hcl", "module \"../secret.hcl\" \"s\" {}");
    place.write("absolute.hcl", &format!("module \"{}\" \"s\" {{}}", secret.display()));
    place.write("url.hcl", &format!("module \"file://{}\" \"s\" {{}}", secret.display()));
    place.write("read.hcl", "param \"s\" { default = file(\"../secret.hcl\") }");
    place.write("read-link.hcl", "param \"s\" { default = file(\"link.hcl\") }");
    place.write("folder.hcl", "param \"s\" { default = path.module }");
    let commit = place.commit("one");
    let check = |path: &str, expect: &str| {
        let lines = messages(&place.call(&place.source(path, &commit)));
        let lines: Vec<String> = lines.iter().map(|line| place.short(line)).collect();
        assert!(lines.len() == 1 && lines[0].contains(expect), "{path}: {lines:?}");
    };
    check("link.hcl", "it is a symbolic link, and none in a repository is followed");
    check("out/secret.hcl", "there is no such file in this commit");
    check(
        "up.hcl",
        "outside-source: `../secret.hcl` is outside of the repository of git::file:///modules//up.hcl",
    );
    check("absolute.hcl", "outside-source: `/secret.hcl` is outside of the repository");
    check("url.hcl", "is outside of the repository");
    check("read.hcl", "`../secret.hcl` is outside of what may be loaded here");
    check("read-link.hcl", "it is a symbolic link, and none in a repository is followed");
    check("folder.hcl", "comes from no file");
}

/// A clone would run these programs; fetching objects does not.
#[test]
fn hooks_filters_and_settings_of_a_repository() {
    let place = Place::new();
    let mark = place.0.path().join("mark");
    let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
    place.write("evil.sh", &script);
    std::fs::set_permissions(place.repository().join("evil.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    place.write(".gitattributes", "*.hcl filter=evil diff=evil\n");
    place.write(".gitmodules", "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c touch% mark\n");
    place.write("main.hcl", "param \"port\" { default = 80 }");
    let commit = place.commit("one");
    // The configuration of the fetched repository must not affect the fetching side.
    place.git(&["config", "filter.evil.smudge", place.repository().join("evil.sh").to_str().unwrap()]);
    place.git(&["config", "core.hooksPath", place.repository().to_str().unwrap()]);
    let graph = place.call(&place.source("main.hcl", &commit)).into_graph().unwrap();
    assert!(graph.find("root/module.web/param.port").is_some());
    assert!(!mark.exists());
}

/// Tests names that git, a shell or a terminal would misinterpret.
#[test]
fn odd_names() {
    let place = Place::new();
    place.write("-n.hcl", "param \"dash\" { default = 1 }");
    place.write("*.hcl", "param \"star\" { default = 1 }");
    place.write(":(top)x.hcl", "param \"magic\" { default = 1 }");
    place.write("both/module.hcl", "");
    place.write("both/--output=x.hcl", "param \"option\" { default = 1 }");
    let commit = place.commit("one");
    for (path, id) in [("-n.hcl", "dash"), ("*.hcl", "star"), (":(top)x.hcl", "magic"), ("both", "option")] {
        let graph = place.call(&place.source(path, &commit)).into_graph();
        let is_present = graph.map(|graph| graph.find(&format!("root/module.web/param.{id}")).is_some());
        assert!(matches!(is_present, Ok(true)), "{path}: {is_present:?}");
    }
}

/// A file that is too large is refused before it is in memory.
#[test]
fn a_file_that_is_too_large() {
    let place = Place::new();
    place.write("large.hcl", &"#\n".repeat(9 << 20));
    let commit = place.commit("one");
    let lines = messages(&place.call(&place.source("large.hcl", &commit)));
    assert!(lines.len() == 1 && lines[0].contains("has more than 16777216 bytes"), "{lines:?}");
}

/// The server accepts the connection but never responds.
#[test]
fn a_server_that_does_not_answer() {
    let place = Place::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let source = format!("git::https://{address}/modules.git//main.hcl?ref={}", "0".repeat(40));
    let git = Git::new(place.cache()).timeout(Duration::from_millis(300));
    let lines = messages(&place.call_with(git, &source));
    assert!(lines[0].contains("git took longer than 300ms"), "{lines:?}");

    // A cancelled load also stops waiting for git.
    let sources = Sources::new().with_git(Git::new(place.cache()));
    let registry = Registry::new();
    let began = Instant::now();
    let loader = Loader::new(&registry).with_sources(sources).with_deadline(Duration::from_millis(300));
    let error = loader.load(&source).into_graph().unwrap_err().to_string();
    assert!(error.contains("load-deadline"), "{error}");
    assert!(began.elapsed() < Duration::from_mins(2));
}

/// A user who can write to the cache could replace the files of a commit.
#[test]
fn a_cache_that_others_can_change() {
    let place = Place::with_web();
    std::fs::create_dir(place.cache()).unwrap();
    std::fs::set_permissions(place.cache(), PermissionsExt::from_mode(0o777)).unwrap();
    let commit = place.git(&["rev-parse", "HEAD"]);
    let lines = messages(&place.call(&place.source("web/main.hcl", &commit)));
    assert!(lines[0].contains("there is no folder to cache repositories in: "), "{lines:?}");
    let lines = messages(&place.call_with(Git::without_cache(), &place.source("web/main.hcl", &commit)));
    assert!(lines[0].contains("there is no folder to cache repositories in: none is known"), "{lines:?}");
}
