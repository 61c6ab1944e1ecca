//! A server in this process, started anew for each input so that results are reproducible.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::LazyLock;

use converge_server::{Running, SecretKeys, Server};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

pub(crate) type Problem = Box<dyn Error + Send + Sync>;

/// A received answer.
///
/// An endless stream is only read up to its first result.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// Runs an operation with a server that has no resources except the built-in ones.
pub(crate) fn with_server<F: Future<Output = Result<(), Problem>>>(
    work: impl FnOnce(SocketAddr, SocketAddr) -> F,
) {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| match runtime() {
        Ok(runtime) => runtime,
        Err(error) => unreachable!("no runtime: {error}"),
    });
    let result = RUNTIME.block_on(async {
        let address: SocketAddr = "127.0.0.1:0".parse()?;
        let server =
            Server::new().with_http(address).with_grpc(address).with_secrets(SecretKeys::parse(KEY)?);
        let running: Running = server.start().await?;
        let grpc = running.grpc().ok_or("there is no gRPC")?;
        work(running.http(), grpc).await?;
        running.stop().await;
        Ok::<_, Problem>(())
    });
    assert!(result.is_ok(), "{result:?}");
}

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Creates a single-threaded runtime that aborts on a panic in a task.
///
/// A real server would survive such a panic.
fn runtime() -> std::io::Result<Runtime> {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::abort();
    }));
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Sends an HTTP request on a new connection.
pub(crate) async fn ask(server: SocketAddr, request: Request<Full<Bytes>>) -> Result<Answer, Problem> {
    let stream = TokioIo::new(TcpStream::connect(server).await?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
    let connection = tokio::spawn(connection);
    let answer = read(sender.send_request(request).await?).await;
    connection.abort();
    answer
}

/// Makes a gRPC call on a new connection.
pub(crate) async fn call(server: SocketAddr, path: &str, message: Bytes) -> Result<Answer, Problem> {
    let stream = TokioIo::new(TcpStream::connect(server).await?);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await?;
    let connection = tokio::spawn(connection);
    let request = Request::post(format!("http://localhost{path}"))
        .header(CONTENT_TYPE, HeaderValue::from_static("application/grpc"))
        .header("te", "trailers")
        .body(Full::new(message))?;
    let answer = read(sender.send_request(request).await?).await;
    connection.abort();
    answer
}

async fn read(response: Response<Incoming>) -> Result<Answer, Problem> {
    let (head, mut incoming) = response.into_parts();
    let (mut headers, mut body) = (head.headers, Vec::new());
    let is_endless = headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    while !incoming.is_end_stream()
        && let Some(frame) = incoming.frame().await
    {
        match frame?.into_data() {
            Ok(data) => body.extend_from_slice(&data),
            Err(frame) => headers.extend(frame.into_trailers().unwrap_or_default()),
        }
        if is_endless || is_end_of_snapshot(&body) {
            break;
        }
    }
    Ok(Answer { status: head.status, headers, body })
}

/// Whether the last gRPC message is a `WatchEvent` whose third field is present and empty.
fn is_end_of_snapshot(body: &[u8]) -> bool {
    body.ends_with(&[0, 0, 0, 0, 2, 0x1a, 0])
}
