//! Tests of sources and hashes.

use converge_sdk::value::REDACTED;
use converge_sdk::value::Value;

use super::hash::{Expected, HashType};
use super::source::{Location, Source};
use crate::text::Text;

fn source(reference: &str, secret: bool) -> String {
    match Source::new(Text::new(reference, secret)) {
        Ok(source) => match source.location() {
            Location::Url(url) => format!("url {url}"),
            Location::File(path) => format!("file {}", path.display()),
        },
        Err(error) => error,
    }
}

#[test]
fn sources() {
    let check = |written: &str, expect: &str| assert_eq!(source(written, false), expect, "{written}");
    check("/srv/a b", "file /srv/a b");
    check("a.tar.gz", "file a.tar.gz");
    check("file:///srv/a%20b", "file /srv/a b");
    check("FILE://localhost/srv/a", "file /srv/a");
    check("https://Example.com/a b", "url https://example.com/a%20b");
    check("odd dir/a://b", "file odd dir/a://b");
    check("file://host/a", "file://host/a names a file of another machine: write file:/// and a path");
    check(
        "file:///a%zz",
        "in file:///a%zz a `%` is not followed by two hexadecimal digits: write %25 for it",
    );
    check(
        "file:///a%00",
        "in file:///a%00 a `%` is not followed by two hexadecimal digits: write %25 for it",
    );
    check(
        "ftp://h/a",
        "ftp://h/a cannot be fetched, as there are no `ftp` sources: use http://, https://, file:// or a path",
    );
    check("http:///a", "http:///a is not a URL that can be fetched: it names no host");
    check("https://me:hunter2@h/a", "it holds a user name or a password: write them in `auth`");
    for secret in
        ["http://hunter2%/a", "hunter2://h", "file://hunter2/a", "file:///hunter2%", "https://hunter2:x@h"]
    {
        let output = source(secret, true);
        assert!(!output.contains("hunter2"), "{output}");
    }
    let output = format!("{:?}", Source::new(Text::new("https://h/hunter2", true)));
    assert!(output.contains(REDACTED) && !output.contains("hunter2"), "{output}");
}

#[test]
fn hashes() {
    let check = |hash_type: HashType, expect: &str| {
        let mut hasher = hash_type.hasher();
        hasher.update(b"ab");
        hasher.update(b"c");
        let actual = hasher.finish();
        assert_eq!(actual.to_string(), expect);
        let upper = format!(" {} ", expect.to_uppercase());
        let expected = Expected::new(Some(hash_type), Some(&upper)).unwrap().unwrap();
        assert_eq!(expected.check("it", &actual), Ok(()));
        let wrong_hash = hash_type.hasher().finish();
        assert_eq!(
            expected.check("it", &wrong_hash).unwrap_err(),
            format!("it has the {hash_type} {wrong_hash}, and {expect} is expected")
        );
        assert_eq!(Value::from(hash_type.to_string()).to_string(), format!("\"{hash_type}\""));
    };
    check(HashType::Md5, "900150983cd24fb0d6963f7d28e17f72");
    check(HashType::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    check(HashType::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(
        HashType::Sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    );
    assert_eq!(Expected::new(None, None), Ok(None));
    for invalid in ["", "12", "zz0150983cd24fb0d6963f7d28e17f72"] {
        let error = Expected::new(Some(HashType::Md5), Some(invalid)).unwrap_err().to_string();
        assert_eq!(error, format!("{invalid:?} is not a hash of type md5, which has 32 hexadecimal digits"));
    }
}
