//! What is fetched over a connection that is encrypted.

use std::fs;

use converge_core::testing::server::{Server, answer};
use converge_tests::{Said, converge};

use crate::run::module;

/// A key with its certificate, which nobody else signed, and the certificate alone.
fn identity() -> (String, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    (made.signing_key.serialize_pem() + &made.cert.pem(), made.cert.pem())
}

#[test]
fn a_file_is_fetched_from_who_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let fetched = folder.path().join("fetched");
    let (identity, pem) = identity();
    let port = Server::encrypted(&identity, |_, _| answer("200 OK", &[], b"hello\n")).address().port();
    let certificate = folder.path().join("certificate.pem");
    fs::write(&certificate, pem).unwrap();
    let path = module(
        folder.path(),
        &format!(
            "file.fetch \"it\" {{\n  source = \"https://localhost:{port}/it\"\n  destination = \"{}\"\n}}\n",
            fetched.display()
        ),
    );
    let apply = |trusted: bool| -> Said {
        let mut command = converge(&["apply", "--format", "json", &path]);
        command.env("NO_PROXY", "localhost");
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        }
        command.output().unwrap().into()
    };
    let said = apply(false);
    let failure = said.failure("file.fetch.it");
    let expect = format!("cannot fetch https://localhost:{port}/it: the server cannot be trusted: ");
    assert!(failure.starts_with(&expect), "{failure}");
    assert!(!fetched.exists());

    apply(true).success();
    assert_eq!(fs::read_to_string(&fetched).unwrap(), "hello\n");
}

/// What is encrypted does not become what anybody in between can read and change.
#[test]
fn an_encrypted_source_never_becomes_a_plain_one() {
    let folder = tempfile::tempdir().unwrap();
    let plain = Server::new(|_, _| answer("200 OK", &[], b"# nothing\n"));
    let location = format!("Location: {}", plain.url("/it"));
    let (identity, pem) = identity();
    let port =
        Server::encrypted(&identity, move |_, _| answer("302 Found", &[&location], b"")).address().port();
    let certificate = folder.path().join("certificate.pem");
    fs::write(&certificate, pem).unwrap();
    let url = format!("https://localhost:{port}/it");
    let refused = format!("cannot fetch {url}: it redirects to {}, which is not encrypted", plain.url("/it"));
    let run = |target: &str| -> Said {
        let mut command = converge(&["apply", "--format", "json", target]);
        command.env("NO_PROXY", "localhost").env("SSL_CERT_FILE", &certificate).output().unwrap().into()
    };
    let destination = folder.path().display();
    for (kind, destination) in
        [("file.fetch", format!("{destination}/it")), ("unarchive", format!("{destination}"))]
    {
        let text = format!("{kind} \"it\" {{\n  source = \"{url}\"\n  destination = \"{destination}\"\n}}\n");
        let failure = run(&module(folder.path(), &text)).failure(&format!("{kind}.it"));
        assert!(failure.starts_with(&refused), "{failure}");
    }
    let said = run(&url);
    assert!(said.everything().contains(&refused), "{}", said.everything());
    assert_eq!(plain.requests().len(), 0);
}
