//! What is fetched over a connection that is encrypted.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;

use converge_tests::{Said, converge};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::module;

/// Of a server on this machine, which signed it itself.
const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../converge-core/src/http/certificate.pem");
const KEY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../converge-core/src/http/key.pem");

/// Serves one text, and gives the port. The thread ends with the process.
fn serve() -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![CertificateDer::from_pem_file(CERTIFICATE).unwrap()],
            PrivateKeyDer::from_pem_file(KEY).unwrap(),
        );
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // Who does not like the certificate hangs up.
            if stream.read(&mut [0; 4096]).is_ok() {
                let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nhello\n";
                let _ = stream.write_all(answer.as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    port
}

#[test]
fn a_file_is_fetched_from_who_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let fetched = folder.path().join("fetched");
    let port = serve();
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
            command.env("SSL_CERT_FILE", CERTIFICATE);
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
