//! Tests of the client with servers that are broken, slow or not to be trusted.

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket};
use tokio_rustls::TlsAcceptor;

use crate::client::Limits;
use crate::{Authorities, Client, ClientError, Credentials, Event, ServerUrl, Token, Watch};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

fn token() -> Credentials {
    Credentials { token: Some(Token::new("secret")), ..Credentials::default() }
}

fn client(urls: &str) -> Client {
    Client::new(ServerUrl::parse_list(urls).unwrap(), &Credentials::default()).unwrap()
}

/// Starts a server that writes the same bytes to each connection, and then closes it.
async fn server(reply: impl Into<Vec<u8>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let reply = reply.into();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            read_head(&mut stream).await;
            // The client may close the connection first.
            let _ = stream.write_all(&reply).await;
        }
    });
    url
}

/// Starts a server that takes each request and never answers.
async fn silent_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut streams = Vec::new();
        loop {
            streams.push(listener.accept().await.unwrap());
        }
    });
    url
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// Returns a URL at which nothing listens, and the socket that reserves the port.
fn away() -> (String, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    (format!("http://{}", socket.local_addr().unwrap()), socket)
}

#[test]
fn urls_of_servers() {
    let check = |url: &str, expect: Option<&str>| {
        let actual = url.parse::<ServerUrl>().ok();
        assert_eq!(actual.as_ref().map(ServerUrl::as_str), expect, "{url}");
    };
    check("http://127.0.0.1:8500", Some("http://127.0.0.1:8500"));
    check("http://[::1]:8500/", Some("http://[::1]:8500"));
    check("https://127.0.0.1:8500", Some("https://127.0.0.1:8500"));
    check("http://host", Some("http://host"));
    for wrong in [
        "",
        "127.0.0.1:8500",
        "ftp://127.0.0.1:8500",
        "http://",
        "http:///",
        "http://host/path",
        "http://host//",
        "http://host?query",
        "http://host/?query",
        "http://host#fragment",
        "http://host/#",
        "http://user@host",
        "http://user:password@127.0.0.1:8500",
        "http://127.0.0.1:8500@example.org",
        "http://host/a:1",
        "http://a b:1",
        "https://a b:1",
        "http://host:port",
        "http://host:65536",
        "http://::1:8500",
        "http://host\\@other",
    ] {
        check(wrong, None);
    }
    let list = |urls: &str| {
        let servers = ServerUrl::parse_list(urls).map_err(|error| error.to_string())?;
        Ok(servers.iter().map(ServerUrl::to_string).collect::<Vec<_>>())
    };
    let both = vec!["http://127.0.0.1:1".to_owned(), "http://127.0.0.1:2".to_owned()];
    assert_eq!(list("http://127.0.0.1:1/,http://127.0.0.1:2"), Ok(both));
    let advice = "write it like http://127.0.0.1:8500 or https://HOST:8500";
    assert_eq!(list("http://a:1,x"), Err(format!("x is not the URL of a server: {advice}")));
    assert_eq!(list("http://a:1,"), Err(format!(" is not the URL of a server: {advice}")));
    assert!(matches!(Client::new([], &Credentials::default()), Err(ClientError::Url { .. })));
}

#[test]
fn addresses_have_the_default_port() {
    let check = |url: &str, expect: &str| {
        assert_eq!(url.parse::<ServerUrl>().unwrap().address(), expect, "{url}");
    };
    check("http://host", "host:80");
    check("https://host", "host:443");
    check("https://host:443", "host:443");
    check("https://[::1]", "[::1]:443");
    check("http://[::1]:8500", "[::1]:8500");
    check("http://host:8500", "host:8500");
}

#[test]
fn a_token_is_sent_in_plain_text_to_this_machine_alone() {
    let check = |urls: &str, expect: bool| {
        let client = Client::new(ServerUrl::parse_list(urls).unwrap(), &token());
        let is_plain = matches!(client, Err(ClientError::Plain { .. }));
        assert_eq!((client.is_ok(), is_plain), (expect, !expect), "{urls}");
        // Without a token, nothing secret is sent.
        self::client(urls);
    };
    check("http://127.0.0.1:8500", true);
    check("http://127.8.8.8", true);
    check("http://[::1]:8500", true);
    check("http://localhost", true);
    check("http://LOCALHOST:8500", true);
    check("https://10.0.0.1:8500", true);
    check("http://10.0.0.1:8500", false);
    check("http://0.0.0.0:8500", false);
    check("http://127.1:8500", false);
    check("http://[::ffff:10.0.0.1]:8500", false);
    check("http://localhost.example.org", false);
    check("http://127.0.0.1.example.org", false);
    // One server of several is enough to lose the token.
    check("http://127.0.0.1:1,https://10.0.0.1:1,http://10.0.0.1:1", false);
}

#[test]
fn debug_output_hides_secrets() {
    let client = Client::new(ServerUrl::parse_list("http://127.0.0.1:1").unwrap(), &token()).unwrap();
    let output = format!("{:?} {client:?}", token());
    assert!(!output.contains("secret"), "{output}");
}

#[test]
fn texts_without_an_authority() {
    let problem = |text: &str| Authorities::from_pem(text.as_bytes()).unwrap_err();
    assert_eq!(problem(""), "there is no certificate in it");
    assert!(problem("-----BEGIN CERTIFICATE-----\n-").starts_with("it is not a certificate (PEM): "));
}

#[tokio::test]
async fn a_token_that_no_header_may_have_is_refused() {
    let credentials = Credentials { token: Some(Token::new("a\r\nb: c")), ..Credentials::default() };
    let client = Client::new(ServerUrl::parse_list("http://127.0.0.1:1").unwrap(), &credentials);
    assert!(matches!(client, Err(ClientError::Request(_))), "{client:?}");
}

#[tokio::test]
async fn requests_have_the_token_and_the_body() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let request = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let head = read_head(&mut stream).await;
        let mut body = [0; 7];
        stream.read_exact(&mut body).await.unwrap();
        stream.write_all(OK.as_bytes()).await.unwrap();
        head + std::str::from_utf8(&body).unwrap()
    });
    let client = Client::new(ServerUrl::parse_list(&url).unwrap(), &token()).unwrap();
    let answer = client.find(Method::PUT, "/v1?a=b", Some(&json!({ "a": 1 }))).await.unwrap();
    assert_eq!(answer, Some(json!({})));
    let request = request.await.unwrap();
    assert!(request.starts_with("PUT /v1?a=b HTTP/1.1\r\n"), "{request}");
    assert!(request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    for header in ["authorization: Bearer secret", "content-type: application/json", "user-agent: converge/"]
    {
        assert!(request.contains(header), "no {header:?} in {request}");
    }
}

#[tokio::test]
async fn answers_that_are_of_no_use() {
    async fn check(reply: &str, expect: &str, is_away: bool) {
        let error = client(&server(reply).await).find(Method::GET, "/", None).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expect), "no {expect:?} in {text:?}");
        assert_eq!(error.is_away(), is_away, "{error:?}");
        let watch = client(&server(reply).await).watch("/").await;
        if !reply.starts_with("HTTP/1.1 200") {
            let text = watch.unwrap_err().to_string();
            assert!(text.contains(expect), "no {expect:?} in {text:?}");
        }
    }
    let strange = "is not a converge server: ";
    check("SSH-2.0-OpenSSH\r\n", strange, true).await;
    check("<html>", strange, true).await;
    check("", "no server answers at http://127.0.0.1:", true).await;
    check("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}", "no server answers at", true).await;
    check("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>", strange, false).await;
    // The target of a redirect must not get the token, so redirects are not followed.
    let redirect = "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    check(redirect, "it answers 302 Found", false).await;
    check("HTTP/1.1 500 Oh\r\ncontent-length: 3\r\n\r\nno!", "it answers 500", false).await;
    check("HTTP/1.1 502 Oh\r\ncontent-length: 3\r\n\r\nno!", "it answers 502", true).await;
    let refused = |status: &str| {
        let body = json!({ "error": { "code": "c", "message": "not now", "problems": [] } }).to_string();
        format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    };
    check(&refused("403"), "refuses: not now", false).await;
    check(&refused("503"), "refuses: not now", true).await;

    let missing = client(&server(refused("404")).await);
    assert_eq!(missing.find(Method::GET, "/", None).await.unwrap(), None);
    assert!(matches!(missing.text("/").await, Err(ClientError::Refused(refusal)) if refusal.code == "c"));
    let empty = client(&server("HTTP/1.1 204 No Content\r\n\r\n").await);
    assert_eq!(empty.find(Method::DELETE, "/", None).await.unwrap(), None);
}

#[tokio::test]
async fn answers_and_events_without_end_are_given_up() {
    const PIECES: usize = 65;
    let piece = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let reply = EVENTS.to_owned() + &piece.repeat(PIECES);
    let client = client(&server(reply).await);
    let error = client.find(Method::GET, "/", None).await.unwrap_err().to_string();
    assert!(error.ends_with("it answers with more than 67108864 bytes"), "{error}");
    let error = client.watch("/").await.unwrap().next().await.unwrap_err().to_string();
    assert!(error.ends_with("it sends an event of more than 67108864 bytes"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let limits =
        Limits { answer: Duration::from_millis(50), silence: Duration::from_millis(50), ..Limits::default() };
    let silent = client(&silent_server().await).with_limits(limits);
    let answer = silent.find(Method::GET, "/", None).await;
    assert!(matches!(answer, Err(ClientError::Late { .. })), "{answer:?}");
    let watch = silent.watch("/").await;
    assert!(matches!(watch, Err(ClientError::Late { .. })), "{watch:?}");

    // A server that begins an answer or an event, and does not go on.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut streams = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(format!("{EVENTS}5\r\ndata:\r\n").as_bytes()).await.unwrap();
            streams.push(stream);
        }
    });
    let stopping = client(&url).with_limits(limits);
    let answer = stopping.find(Method::GET, "/", None).await;
    assert!(matches!(answer, Err(ClientError::Late { .. })), "{answer:?}");
    let event = stopping.watch("/").await.unwrap().next().await;
    assert!(matches!(event, Err(ClientError::Silent { .. })), "{event:?}");
}

#[tokio::test]
async fn watches_end_with_an_error() {
    async fn watch(events: &str, end: &str) -> Watch {
        let reply = format!("{EVENTS}{:x}\r\n{events}\r\n{end}", events.len());
        client(&server(reply).await).watch("/").await.unwrap()
    }
    let first = "event: upsert\ndata: {}\n\n";
    let broken = format!("{first}event: upsert\ndata: {{\"a\"");
    // The server ends the stream, closes the connection between events, and in the middle of one.
    for (events, end) in
        [(first, "0\r\n\r\n"), (first, ""), (&broken, "0\r\n\r\n"), (&broken, ""), (first, "ff\r\n")]
    {
        let mut watch = watch(events, end).await;
        let event = watch.next().await.unwrap();
        assert_eq!(event, Event { name: "upsert".to_owned(), data: json!({}) });
        let error = watch.next().await.unwrap_err();
        assert!(matches!(error, ClientError::Ended), "{events:?} {end:?}: {error:?}");
        assert!(error.is_transient());
    }
    let refusal = json!({ "error": { "code": "aborted", "message": "enough" } });
    let error = watch(&format!("event: error\ndata: {refusal}\n\n"), "").await.next().await.unwrap_err();
    assert!(error.is_transient() && error.to_string().ends_with("refuses: enough"), "{error:?}");
    let error = watch("data: <html>\n\n", "").await.next().await.unwrap_err();
    assert!(matches!(error, ClientError::Strange { .. }), "{error:?}");
}

#[tokio::test]
async fn the_next_server_is_asked_when_one_is_away() {
    let (first, _reserved) = away();
    let second = server(OK).await;
    let unavailable = server("HTTP/1.1 503 x\r\ncontent-length: 0\r\n\r\n").await;
    let not_http = server("SSH-2.0-OpenSSH\r\n").await;
    for away in [&first, &unavailable, &not_http] {
        // A read is repeated at the next server.
        let reader = client(&format!("{away},{second}"));
        assert_eq!(reader.find(Method::GET, "/", None).await.unwrap(), Some(json!({})));
        assert!(client(&format!("{away},{second}")).watch("/").await.is_ok());
        // A write is not, as it may have had an effect; the next request goes to the next server.
        let writer = client(&format!("{away},{second}"));
        let error = writer.find(Method::PUT, "/", None).await.unwrap_err();
        assert!(error.is_away(), "{error:?}");
        for _ in 0..2 {
            assert_eq!(writer.clone().find(Method::PUT, "/", None).await.unwrap(), Some(json!({})));
        }
    }
    let error = client(&format!("{first},{first}")).text("/").await.unwrap_err();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn certificates_are_verified() {
    let issuer = || {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    };
    let (trusted, other) = (issuer(), issuer());
    let authorities = Authorities::from_pem(trusted.pem().as_bytes()).unwrap();
    let credentials = Credentials { authorities, ..Credentials::default() };
    let check = async |issuer: &CertifiedIssuer<'_, KeyPair>, name: &str, expect: bool| {
        let url = tls_server(issuer, name).await;
        let client = Client::new(ServerUrl::parse_list(&url).unwrap(), &credentials).unwrap();
        let answer = client.find(Method::GET, "/", None).await;
        match answer {
            Ok(answer) => assert!(expect && answer == Some(json!({})), "{name}"),
            Err(error) => {
                assert!(!expect && matches!(error, ClientError::Untrusted { .. }), "{name}: {error:?}");
                assert!(error.hint().contains("--ca") && error.is_away(), "{error:?}");
            }
        }
    };
    check(&trusted, "127.0.0.1", true).await;
    check(&trusted, "example.org", false).await;
    check(&other, "127.0.0.1", false).await;
    // A server that is not trusted is passed over, and gets no token.
    let urls = [tls_server(&other, "127.0.0.1").await, tls_server(&trusted, "127.0.0.1").await].join(",");
    let credentials = Credentials { token: Some(Token::new("secret")), ..credentials.clone() };
    let client = Client::new(ServerUrl::parse_list(&urls).unwrap(), &credentials).unwrap();
    assert_eq!(client.find(Method::GET, "/", None).await.unwrap(), Some(json!({})));
}

/// Starts a server with a certificate for a name, signed by an authority.
async fn tls_server(issuer: &CertifiedIssuer<'_, KeyPair>, name: &str) -> String {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, issuer).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that does not trust the certificate closes the connection.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            read_head(&mut stream).await;
            stream.write_all(OK.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    url
}
