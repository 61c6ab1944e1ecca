//! Tests of written sources and the URLs they resolve to.

use proptest::prelude::*;

use super::super::super::{Source, Sources};
use super::{http, told};

fn resolve(base: Option<&str>, reference: &str) -> Result<Source, String> {
    let sources = Sources::new().with_http(http());
    let base = base.map(|base| sources.resolve(None, base).unwrap());
    sources.resolve(base.as_ref(), reference).map_err(|error| told(&error))
}

#[track_caller]
fn check(base: Option<&str>, reference: &str, expect: &str) {
    let actual = resolve(base, reference).map_or_else(|error| error, |source| source.to_string());
    assert_eq!(actual, expect, "{reference} in {base:?}");
}

#[test]
fn urls_have_one_spelling() {
    check(None, "https://example.com/site.hcl", "https://example.com/site.hcl");
    check(None, "HTTPS://Example.COM:443/a/./b/../c.hcl", "https://example.com/a/c.hcl");
    check(None, "http://example.com:8080?x=1", "http://example.com:8080/?x=1");
    check(None, "http://[::1]:80/../../x", "http://[::1]/x");
    check(None, "http://h/a b/é.hcl?q=ü", "http://h/a%20b/%C3%A9.hcl?q=%C3%BC");
    check(Some("site/main.hcl"), "https://h/x.hcl", "https://h/x.hcl");
}

#[test]
fn a_module_that_was_fetched_names_others_relative_to_its_url() {
    let url = "https://h:444/a/b/main.hcl?v=1";
    let base = Some(url);
    check(base, "web.hcl", "https://h:444/a/b/web.hcl");
    check(base, "../web.hcl?v=2", "https://h:444/a/web.hcl?v=2");
    check(base, "/etc/passwd", "https://h:444/etc/passwd");
    check(base, "//other/x.hcl", "https://other/x.hcl");
    check(base, "http://other/x.hcl", "http://other/x.hcl");
    check(Some("https://h"), "x.hcl", "https://h/x.hcl");
    check(
        base,
        "file:///etc/passwd",
        "file-of-url: `file:///etc/passwd` is a file of this machine, which https://h:444/a/b/main.hcl?v=1 may not load | put the module next to this one, and write its path relative to this one",
    );
    assert_eq!(resolve(None, url).unwrap().directory(), None);
}

#[test]
fn what_is_no_url() {
    let url = "write it like https://example.com/site.hcl";
    check(None, "https:///x", &format!("bad-url: `https:///x` cannot be fetched: it names no host | {url}"));
    for host in ["a b", "é", "h:port", "h:99999", "[::g]", ":80", "a]b"] {
        let invalid_url = format!("http://{host}/x");
        check(
            None,
            &invalid_url,
            &format!("bad-url: `{invalid_url}` cannot be fetched: `{host}` is not a host | {url}"),
        );
    }
    check(
        None,
        "https://me:secret@h/x",
        "bad-url: `https://me:(sensitive)@h/x` cannot be fetched: it holds a user name or a password | remove the user name and the password: a URL is shown in messages and kept in the cache",
    );
    check(
        None,
        "https://h/x#main",
        "bad-url: `https://h/x#main` cannot be fetched: `#main` is not a pin | a pin is #sha256= and 64 hexadecimal digits",
    );
    check(
        None,
        "ftp://h/x",
        "unknown-scheme: `ftp://h/x` cannot be loaded: there are no `ftp` sources | a source is a path, file://, http:// or https://",
    );
}

#[test]
fn equal_places() {
    let is_same = |a: &str, b: &str| resolve(None, a).unwrap() == resolve(None, b).unwrap();
    let pin = format!("#sha256={}", "ab".repeat(32));
    assert!(is_same("http://H/a/../x", "http://h:80/x"));
    assert!(!is_same("http://h/x", "https://h/x"));
    assert!(!is_same("http://h/x", &format!("http://h/x{pin}")));
    assert!(is_same(
        &format!("http://h/x{}", pin.to_uppercase().replace("SHA", "sha")),
        &format!("http://h/x{pin}")
    ));
}

proptest! {
    #[test]
    fn any_text_is_a_url_or_an_error(written in "(https?://)?[/:.@%?#a-zé\\[\\] 0-9\\\\]{0,14}") {
        let base = Some("https://h/a/b");
        if let Ok(source) = resolve(base, &written) {
            // A resolved URL resolves to itself.
            let second = resolve(None, source.name()).map_err(TestCaseError::fail)?;
            prop_assert_eq!(source.to_string(), second.to_string());
            prop_assert!(source.directory().is_none());
        }
    }
}
