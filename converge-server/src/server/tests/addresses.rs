//! Tests of HTTP and gRPC at two addresses and at a shared one.

use std::io;
use std::sync::Arc;

use converge_client::{Authorities, Credentials};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::super::*;
use super::server;
use crate::identity;

/// A server with TLS, and the credentials of its clients.
struct Secured {
    running: Running,
    config: ClientConfig,
    token: String,
}

impl Secured {
    async fn start(server: Server) -> Self {
        let data = tempfile::tempdir().unwrap();
        let folder = identity::make(data.path(), &["localhost".to_owned()]).unwrap();
        let read = |path: std::path::PathBuf| std::fs::read(path).unwrap();
        let tls = Tls::from_pem(&read(identity::server_file(&folder))).unwrap();
        let policy = String::from_utf8(read(identity::tokens_file(&folder))).unwrap();
        let server = server.with_policy(Policy::parse(&policy).unwrap()).with_tls(tls);
        let authorities = Authorities::from_pem(&read(folder.join(identity::AUTHORITY))).unwrap();
        let config = Credentials { authorities, ..Credentials::default() }.tls_config().unwrap();
        let token = String::from_utf8(read(folder.join(identity::FIRST_TOKEN))).unwrap().trim().to_owned();
        Self { running: server.start().await.unwrap(), config, token }
    }

    /// Connects to a server under this name with one of these protocols.
    async fn connect(
        &self,
        address: SocketAddr,
        name: &'static str,
        protocols: &[&[u8]],
    ) -> io::Result<TlsStream<TcpStream>> {
        let mut config = self.config.clone();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let connector = TlsConnector::from(Arc::new(config));
        connector.connect(ServerName::try_from(name).unwrap(), TcpStream::connect(address).await?).await
    }
}

/// An HTTP/2 client.
struct Http2(http2::SendRequest<Full<Bytes>>);

impl Http2 {
    async fn over<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S) -> Self {
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Self(sender)
    }

    async fn ask(
        &mut self,
        request: hyper::http::request::Builder,
        body: Bytes,
    ) -> hyper::Response<Incoming> {
        self.0.send_request(request.body(Full::new(body)).unwrap()).await.unwrap()
    }

    /// Makes a gRPC call and returns its status if it failed.
    async fn call(&mut self, token: &str) -> Option<String> {
        // A `converge.resource.ListRequest` for partitions, with a type and an empty tenancy.
        let list = b"\x0a\x18\x0a\x07tenancy\x12\x02v1\x1a\x09Partition\x12\x00";
        let message = [&[0][..], &u32::try_from(list.len()).unwrap().to_be_bytes(), list].concat();
        let request = hyper::Request::post("https://localhost/converge.resource.ResourceService/List")
            .header("content-type", "application/grpc")
            .header("authorization", format!("Bearer {token}"));
        let answer = self.ask(request, Bytes::from(message)).await;
        assert_eq!(answer.headers()["content-type"], "application/grpc");
        answer.headers().get("grpc-status").map(|status| status.to_str().unwrap().to_owned())
    }

    /// Requests a path and returns the status and the body.
    async fn get(&mut self, path: &str, token: &str) -> (u16, String) {
        let request = hyper::Request::get(format!("https://localhost{path}"))
            .header("authorization", format!("Bearer {token}"));
        let answer = self.ask(request, Bytes::new()).await;
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }
}

/// Requests a path over HTTP/1.1.
async fn http1_get(mut stream: impl AsyncRead + AsyncWrite + Unpin, path: &str, head: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{head}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = Vec::new();
    // The end of the connection may be an error.
    let _ = stream.read_to_end(&mut reply).await;
    String::from_utf8(reply).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_doors_speak_tls() {
    let secured = Secured::start(server().with_grpc("127.0.0.1:0".parse().unwrap())).await;
    let (http, grpc) = (secured.running.http(), secured.running.grpc().unwrap());
    // The certificate is for another name.
    assert!(secured.connect(grpc, "example.org", &[b"h2"]).await.is_err());
    // The separate HTTP listener does not support HTTP/2, unlike that of gRPC.
    assert!(secured.connect(http, "localhost", &[b"h2"]).await.is_err());
    assert!(secured.connect(grpc, "localhost", &[b"http/1.1"]).await.is_err());
    let mut client = Http2::over(secured.connect(grpc, "localhost", &[b"h2"]).await.unwrap()).await;
    assert_eq!(client.call(&secured.token).await, None);
    assert_eq!(client.call("guess").await.as_deref(), Some("16"));
    drop(client);
    secured.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_doors_are_at_one_address_with_tls() {
    let secured = Secured::start(server().with_grpc_beside_http()).await;
    let (address, token) = (secured.running.http(), &*secured.token);
    assert_eq!(secured.running.grpc(), Some(address));
    // A client that supports both versions gets HTTP/2, as browsers do; calls and requests share one
    // connection.
    let stream = secured.connect(address, "localhost", &[b"http/1.1", b"h2"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let mut client = Http2::over(stream).await;
    assert_eq!(client.call(token).await, None);
    assert_eq!(client.call("guess").await.as_deref(), Some("16"));
    assert_eq!(client.get("/v1/health", "").await, (200, r#"{"status":"ok"}"#.to_owned()));
    assert_eq!(client.get("/v1/controllers", token).await.0, 200);
    assert_eq!(client.get("/v1/controllers", "guess").await.0, 401);
    // A client without ALPN speaks HTTP/1.1, as older clients do.
    for protocols in [&[b"http/1.1".as_slice()][..], &[]] {
        let connect = || secured.connect(address, "localhost", protocols);
        let bearer = format!("authorization: Bearer {token}\r\n");
        let reply = http1_get(connect().await.unwrap(), "/v1/controllers", &bearer).await;
        assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
        let unknown = http1_get(connect().await.unwrap(), "/v1/controllers", "").await;
        assert!(unknown.starts_with("HTTP/1.1 401 "), "{unknown}");
    }
    // An unknown protocol is refused.
    assert!(secured.connect(address, "localhost", &[b"spdy/1"]).await.is_err());
    let plain_reply = http1_get(TcpStream::connect(address).await.unwrap(), "/v1/health", "").await;
    assert!(plain_reply.contains("tls_required"), "{plain_reply}");
    drop(client);
    secured.running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn both_doors_are_at_one_address_without_tls() {
    let running = server().with_grpc_beside_http().start().await.unwrap();
    let address = running.http();
    let connect = || async { TcpStream::connect(address).await.unwrap() };
    let mut client = Http2::over(connect().await).await;
    assert_eq!(client.call("").await, None);
    assert_eq!(client.get("/v1/health", "").await, (200, r#"{"status":"ok"}"#.to_owned()));
    // The host of a request is checked in HTTP/2 as well.
    let elsewhere = hyper::Request::get("http://example.org/v1/controllers");
    assert_eq!(client.ask(elsewhere, Bytes::new()).await.status().as_u16(), 421);
    let reply = http1_get(connect().await, "/v1/health", "").await;
    assert!(reply.ends_with(r#"{"status":"ok"}"#), "{reply}");
    // HTTP/1.1 has no gRPC calls.
    let call = "content-type: application/grpc\r\n";
    let reply = http1_get(connect().await, "/converge.resource.ResourceService/List", call).await;
    assert!(reply.starts_with("HTTP/1.1 404 ") && reply.contains("not_found"), "{reply}");
    // A connection that begins like HTTP/2 but continues differently is refused.
    let mut neither = connect().await;
    neither.write_all(b"PRI * HTTP/2.0\r\n\r\nno\r\n\r\n").await.unwrap();
    let mut reply = Vec::new();
    let _ = neither.read_to_end(&mut reply).await;
    assert!(!reply.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&reply));
    // A silent client does not delay the shutdown.
    let mut silent = connect().await;
    silent.write_all(b"PRI").await.unwrap();
    drop(client);
    running.stop().await;
}

#[tokio::test]
async fn one_port_is_had_as_a_whole() {
    let running = server().start().await.unwrap();
    let address_in_use = running.http();
    let address = |ip: &str| SocketAddr::new(ip.parse().unwrap(), address_in_use.port());
    let error = listen_beside(address_in_use, address("127.0.0.1"), true).await.unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "cannot listen on {address_in_use} for gRPC: HTTP is spoken at {address_in_use}; give --grpc {address_in_use} to speak both there, or another port"
        )
    );
    let error = listen_beside(address_in_use, address("0.0.0.0"), true).await.unwrap_err();
    assert!(matches!(error, StartError::SharedPort { .. }), "{error}");
    running.stop().await;
}
