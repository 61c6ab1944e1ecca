//! Tests of nodes that authenticate with certificates.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::http::Uri;
use converge_client::{Authorities, ClientCertificate, Credentials};
use converge_controller::authorize::Policy;
use converge_controller::protobuf::Timestamp;
use converge_controller::service;
use converge_controller::{Generation, Id, Scope, Status, StatusKey, Tenancy, Typed};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::codegen::Service as Connecting;

use super::*;
use crate::access::{Joiner, Joining, Token};
use crate::fleet::types::{Assignment, Content, Mode, Module, Node, Revision};
use crate::identity::{self, NodeKey};
use crate::listeners::Tls;

/// A connector with a client certificate.
#[derive(Clone)]
struct Connector {
    tls: TlsConnector,
    address: std::net::SocketAddr,
}

impl Connecting<Uri> for Connector {
    type Response = TokioIo<TlsStream<TcpStream>>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let Self { tls, address } = self.clone();
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            tls.connect(ServerName::try_from("localhost").unwrap(), stream).await.map(TokioIo::new)
        })
    }
}

/// Creates an assignment for a node that has joined, through the server's own client.
async fn assigned(client: &service::Client, node: &str) -> Id {
    let name = |text: &str| text.parse().unwrap();
    let tenancy = Scope::Namespace.default_tenancy();
    let text = "task \"a\" { check = \"true\" apply = \"true\" }".to_owned();
    let data = Module {
        content: Content { text, ..Content::default() },
        mode: Mode::Report,
        nodes: format!("node={node}"),
        ..Module::default()
    };
    let module = client.write_as(Typed::named(tenancy, name(&format!("of-{node}")), data)).await.unwrap();
    let revision = client.write_as(Revision::from_module(&module).unwrap()).await.unwrap();
    let id = Id::new(
        Node::resource_type().clone(),
        Tenancy::Partition(converge_controller::Partition::default()),
        name(node),
    );
    let node = client.find_as::<Node>(&id, converge_controller::storage::Consistency::Strong).await.unwrap();
    let revision = Ref::new(revision.id().tenancy.clone(), revision.id().name.clone());
    let timestamp = Timestamp::from_second(1).unwrap();
    let assignment = Assignment::for_node(&module, &node.unwrap(), &revision, timestamp).unwrap();
    // The scheduler may have been faster.
    client.write_as(assignment).await.unwrap().id().clone()
}

fn as_json(id: &Id) -> Value {
    serde_json::to_value(id).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_reads_and_reports_what_concerns_it_alone() {
    let data = tempfile::tempdir().unwrap();
    let folder = identity::make(data.path(), &["localhost".to_owned()]).unwrap();
    let read = |path: std::path::PathBuf| std::fs::read(path).unwrap();
    let authority = read(identity::authority_file(&folder));
    let tls = Tls::from_pem_with_nodes(&read(identity::server_file(&folder)), &authority).unwrap();
    let policy = String::from_utf8(read(identity::tokens_file(&folder))).unwrap();
    let local_address = "127.0.0.1:0".parse().unwrap();
    let joining = Joining::new(identity::authority_key_file(&folder));
    let server = Server::new().with_http(local_address).with_grpc(local_address).with_tls(tls);
    let server = server.with_policy(Policy::parse(&policy).unwrap()).with_joining(joining.clone());
    let running = server.start().await.unwrap();
    let server_client = running.client();
    let key = NodeKey::new().unwrap();
    let mut certificates = Vec::new();
    for node in ["web-1", "web-1-db"] {
        let token = Token {
            sha256: "0".repeat(64),
            expires: Some(Timestamp::MAX),
            join: Some(crate::access::Join::default()),
            ..Token::default()
        };
        let token = Typed::named(Tenancy::Cluster, node.parse().unwrap(), token);
        let token = server_client.write_as(token).await.unwrap();
        let labels = [("node".to_owned(), node.to_owned())].into();
        let joiner = Joiner { node: node.parse().unwrap(), labels, key: key.public().parse().unwrap() };
        certificates.push(joining.join(server_client, token, &joiner).await.unwrap().certificate);
    }
    let [mine, other] = [assigned(server_client, "web-1").await, assigned(server_client, "web-1-db").await];

    let certificate = ClientCertificate::from_pem(&certificates[0], &key.to_pem()).unwrap();
    let authorities = Authorities::from_pem(&authority).unwrap();
    let credentials = Credentials { certificate: Some(certificate), authorities, ..Credentials::default() };
    let mut config = credentials.tls_config().unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let connector = Connector { tls: TlsConnector::from(Arc::new(config)), address: running.grpc().unwrap() };
    let channel = Endpoint::from_static("http://localhost").connect_with_connector(connector).await.unwrap();
    // An agent sends several requests at once after joining, and any of them may arrive first.
    let requests = (0..8).map(|_| reflect(&channel, "v1", vec![Question::ListServices(String::new())]));
    futures_util::future::join_all(requests).await;
    let types =
        ["converge.converge.v1.Node", "converge.converge.v1.Assignment", "converge.converge.v1.Revision"];
    let client = Client::learn(channel, &types).await;

    let listed = json!({ "type": as_json(&mine)["type"], "tenancy": { "partition": "*", "namespace": "*" } });
    let reply = client.ask("List", listed.clone()).await.unwrap();
    let names: Vec<_> =
        reply["resources"].as_array().unwrap().iter().map(|resource| &resource["id"]["name"]).collect();
    assert_eq!(names, [mine.name.as_str()]);
    let mut watch = client.watch(client.request("WatchList", listed)).await.unwrap();
    let first = shown(&watch.message().await.unwrap().unwrap());
    assert_eq!(first["upsert"]["resource"]["id"]["name"], mine.name.as_str());
    let second = shown(&watch.message().await.unwrap().unwrap());
    assert!(second["end_of_snapshot"].is_object(), "{second}");

    let status = async |id: &Id, key: &str| {
        let generation = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse::<Generation>().unwrap();
        let key: StatusKey = key.parse().unwrap();
        let status = serde_json::to_value(Status::new(generation, [])).unwrap();
        client.ask("WriteStatus", json!({ "id": as_json(id), "key": key, "status": status })).await
    };
    let revision = async |id: &Id| {
        let assignment =
            server_client.find_as::<Assignment>(id, converge_controller::storage::Consistency::Strong).await;
        assignment.unwrap().unwrap().revision.as_ref().unwrap().id()
    };
    for id in [&mine, &revision(&mine).await] {
        client.ask("Read", json!({ "id": as_json(id) })).await.unwrap();
    }
    status(&mine, "agent").await.unwrap();
    let denied = |answer| refused(answer, Code::PermissionDenied, "may not");
    denied(status(&mine, "scheduler").await);
    denied(status(&other, "agent").await);
    denied(client.ask("Delete", json!({ "id": as_json(&mine) })).await);
    for id in [&other, &revision(&other).await] {
        denied(client.ask("Read", json!({ "id": as_json(id) })).await);
        denied(client.ask("Delete", json!({ "id": as_json(id) })).await);
        let write = json!({ "resource": { "id": as_json(id) } });
        assert!(client.ask("Write", write.clone()).await.is_err());
        assert!(client.ask("MutateAndValidate", write).await.is_err());
        let query = json!({ "type": as_json(id)["type"], "tenancy": { "partition": "*", "namespace": "*" },
            "name_prefix": "of-web-1-db" });
        match client.ask("List", query).await {
            Ok(reply) => assert_eq!(reply["resources"].as_array().map_or(0, Vec::len), 0, "{reply}"),
            refusal => denied(refusal),
        }
    }
    running.stop().await;
}
