//! Tests of TLS authentication of servers and clients.

use crate::testing::server::{Server, answer};
use crate::types::value::Secret;
use crate::{HttpError, HttpRequest, Identity, LocalSystem, System, Tls};

/// A key and its self-signed certificate for `localhost`.
struct SelfSigned {
    key: String,
    certificate: String,
}

impl SelfSigned {
    fn new() -> Self {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        Self { key: signed.signing_key.serialize_pem(), certificate: signed.cert.pem() }
    }

    /// Returns certificate and key for a server.
    fn both(&self) -> String {
        format!("{}{}", self.key, self.certificate)
    }

    fn identity(&self) -> Identity {
        Identity { certificate: self.certificate.clone(), key: Secret::new(self.key.clone()) }
    }
}

fn url(server: &Server) -> String {
    format!("https://localhost:{}/", server.address().port())
}

/// Makes a request.
///
/// Returns its result and the number of requests that the server received.
async fn send_request(server: &Server, tls: Tls) -> (Result<u16, HttpError>, usize) {
    let mut request = HttpRequest::new(url(server).parse().expect("a URL"));
    request.tls = tls;
    let system = LocalSystem::builder().clear_env().build().expect("a system");
    let answered = system.network().request(request).await.map(|response| response.status);
    (answered, server.requests().len())
}

fn trusting(authorities: &[&SelfSigned]) -> Tls {
    let authorities = authorities.iter().map(|identity| identity.certificate.as_str()).collect();
    Tls { authorities: Some(authorities), ..Tls::default() }
}

fn is_untrusted((answered, requests): (Result<u16, HttpError>, usize)) -> bool {
    matches!(answered, Err(HttpError::Untrusted(_))) && requests == 0
}

#[tokio::test]
async fn who_the_server_is() {
    let (server_identity, other_identity) = (SelfSigned::new(), SelfSigned::new());
    let server = Server::encrypted(&server_identity.both(), |_, _| answer("200 OK", &[], b""));
    assert!(is_untrusted(send_request(&server, Tls::default()).await));
    assert!(is_untrusted(send_request(&server, trusting(&[&other_identity])).await));
    assert_eq!(send_request(&server, trusting(&[&server_identity])).await, (Ok(200), 1));
    assert_eq!(send_request(&server, trusting(&[&other_identity, &server_identity])).await, (Ok(200), 1));
    assert_eq!(send_request(&server, Tls { insecure: true, ..Tls::default() }).await, (Ok(200), 1));
    // The host name differs from the name in the certificate.
    let mut request =
        HttpRequest::new(url(&server).replace("localhost", "127.0.0.1").parse().expect("a URL"));
    request.tls = trusting(&[&server_identity]);
    let answered =
        LocalSystem::builder().clear_env().build().expect("a system").network().request(request).await;
    assert!(matches!(answered, Err(HttpError::Untrusted(_))), "{answered:?}");
}

#[tokio::test]
async fn who_asks() {
    let (server_identity, client, stranger) = (SelfSigned::new(), SelfSigned::new(), SelfSigned::new());
    let server = Server::for_certified(&server_identity.both(), &client.certificate, |_, _| {
        answer("200 OK", &[], b"")
    });
    let tls_with = |identity: Option<Identity>| Tls { identity, ..trusting(&[&server_identity]) };
    let rejected = |alert: &str| (Err(HttpError::Rejected(alert.to_owned())), 0);
    assert_eq!(send_request(&server, tls_with(None)).await, rejected("CertificateRequired"));
    assert_eq!(send_request(&server, tls_with(Some(client.identity()))).await, (Ok(200), 1));
    let (answered, requests) = send_request(&server, tls_with(Some(stranger.identity()))).await;
    assert!(matches!(answered, Err(HttpError::Rejected(_))) && requests == 0, "{answered:?}");
}

#[tokio::test]
async fn what_cannot_be_used() {
    let (server_identity, other_identity) = (SelfSigned::new(), SelfSigned::new());
    let server = Server::encrypted(&server_identity.both(), |_, _| answer("200 OK", &[], b""));
    let check = async |authorities: &str, certificate: &str, key: &str, expect: &str| {
        let identity = Identity { certificate: certificate.to_owned(), key: Secret::new(key.to_owned()) };
        let tls =
            Tls { authorities: Some(authorities.to_owned()), identity: Some(identity), insecure: false };
        let (answered, requests) = send_request(&server, tls).await;
        let Err(error @ HttpError::BadTls(_)) = answered else { panic!("{answered:?}") };
        let message = error.to_string();
        assert!(message.starts_with(expect), "{message}");
        assert!(!error.is_transient() && requests == 0 && !message.contains("PRIVATE"), "{message}");
    };
    let SelfSigned { key, certificate } = &server_identity;
    let broken = "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n";
    let no_certificate = "the authority cannot be used: there is no certificate in it";
    for invalid in ["", "hello", key] {
        check(invalid, certificate, key, no_certificate).await;
    }
    check(broken, certificate, key, "the authority cannot be used: invalid peer certificate").await;
    check(&certificate.replace("-----END", "-----"), certificate, key, "the authority cannot be used: ")
        .await;
    check(certificate, "", key, "the client certificate cannot be used: there is no certificate").await;
    check(certificate, broken, key, "the client certificate cannot be used: ").await;
    check(certificate, certificate, &other_identity.key, "the client certificate cannot be used: ").await;
    check(certificate, certificate, certificate, "the key of the client certificate cannot be used: ").await;
}

/// Another server after a redirect may be untrusted.
///
/// That server must authenticate itself, and does not see the client certificate.
#[tokio::test]
async fn another_server_is_another_matter() {
    let (server_identity, other_identity, client) = (SelfSigned::new(), SelfSigned::new(), SelfSigned::new());
    let elsewhere =
        Server::for_certified(&other_identity.both(), &client.certificate, |_, _| answer("200 OK", &[], b""));
    let location = format!("Location: {}", url(&elsewhere));
    let server =
        Server::encrypted(&server_identity.both(), move |_, _| answer("302 Found", &[&location], b""));
    let insecure = Tls { insecure: true, identity: Some(client.identity()), ..Tls::default() };
    let (answered, requests) = send_request(&server, insecure).await;
    assert!(matches!(answered, Err(HttpError::Untrusted(_))) && requests == 1, "{answered:?}");
    let trusts = Tls { identity: Some(client.identity()), ..trusting(&[&server_identity, &other_identity]) };
    let refused = Err(HttpError::Rejected("CertificateRequired".to_owned()));
    assert_eq!(send_request(&server, trusts.clone()).await, (refused, 1));
    assert_eq!(elsewhere.requests().len(), 0);
    assert_eq!(send_request(&elsewhere, trusts).await, (Ok(200), 1));
}
