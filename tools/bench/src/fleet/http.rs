//! A minimal HTTP client: one request per connection, in the same form as agents send them.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::error::BenchError;

/// A client of one server.
#[derive(Clone, Debug)]
pub(super) struct Http(Arc<str>);

/// A stream of changed resources.
#[derive(Debug)]
pub(super) struct Watch(BufReader<TcpStream>);

impl Http {
    pub(super) fn new(address: String) -> Self {
        Self(address.into())
    }

    pub(super) async fn get(&self, path: &str) -> Result<Value, BenchError> {
        self.ask("GET", path, "").await
    }

    pub(super) async fn put(&self, path: &str, json: &Value) -> Result<Value, BenchError> {
        self.ask("PUT", path, &json.to_string()).await
    }

    pub(super) async fn watch(&self, path: &str) -> Result<Watch, BenchError> {
        let mark = if path.contains('?') { '&' } else { '?' };
        let stream = self.send("GET", &format!("{path}{mark}watch=true"), "").await?;
        Ok(Watch(BufReader::new(stream)))
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> Result<Value, BenchError> {
        let mut stream = self.send(method, path, body).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.map_err(BenchError::store)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        if !head.starts_with("HTTP/1.0 200") {
            return Err(BenchError::store(format!("{method} {path}: {answer}")));
        }
        serde_json::from_str(body).map_err(BenchError::store)
    }

    /// Sends a request in HTTP 1.0, where the answer is not chunked and ends with its connection.
    async fn send(&self, method: &str, path: &str, body: &str) -> Result<TcpStream, BenchError> {
        let mut stream = TcpStream::connect(&*self.0).await.map_err(BenchError::store)?;
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            self.0
        );
        stream.write_all(request.as_bytes()).await.map_err(BenchError::store)?;
        Ok(stream)
    }
}

impl Watch {
    /// Returns the next resource and skips messages about the watch itself.
    pub(super) async fn next(&mut self) -> Result<Value, BenchError> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).await.map_err(BenchError::store)? == 0 {
                return Err(BenchError::store("the watch has ended"));
            }
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(data).map_err(BenchError::store)?;
            if event["id"].is_object() {
                return Ok(event);
            }
        }
    }
}
