//! Requests of an operator, which the client does not support, over the JSON gateway of etcd.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use super::Cluster;

impl Cluster {
    /// Sends a request to a member, which must accept it.
    #[track_caller]
    pub(crate) fn operate(&self, number: usize, path: &str, body: &Value) -> Value {
        let client = self.address(number);
        let address = client.strip_prefix("http://").expect("an address without TLS");
        let body = body.to_string();
        let mut connection = TcpStream::connect(address).expect("it listens");
        write!(
            connection,
            "POST {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
        assert!(head.contains(" 200 "), "{path}: {answer}");
        serde_json::from_str(body).expect("JSON")
    }

    /// Compacts the history before a revision.
    pub(crate) fn compact(&self, revision: &str) {
        let body = serde_json::json!({ "revision": revision, "physical": true });
        self.operate(0, "/v3/kv/compaction", &body);
    }

    /// Returns the leader, if the asked member knows it.
    pub(crate) fn leader(&self, number: usize) -> Option<usize> {
        let status = self.operate(number, "/v3/maintenance/status", &serde_json::json!({}));
        let leader = status["leader"].as_str()?.to_owned();
        let list =
            self.operate(number, "/v3/cluster/member/list", &serde_json::json!({ "linearizable": false }));
        let members = list["members"].as_array()?;
        let name = members.iter().find(|member| member["ID"] == leader.as_str())?["name"].as_str()?;
        self.members().iter().position(|member| member.name == name)
    }
}
