//! Tests of the gRPC listener with a client that only has its address.

mod access;
mod any;
mod client;
mod counts;
mod definitions;
mod nodes;
mod proto;
mod secrets;

use converge_controller::registry::TypeRegistry;
use converge_controller::{Ref, StoredResource};
use serde_json::{Value, json};
use tonic::Code;
use tonic::transport::Endpoint;

use super::reflection::{Descriptors, Extension, Extensions, Found, Question, Service, Services};
use crate::server::{Running, Server};
use client::{Client, connect, reflect, refused, shown};

/// A musician.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {
    #[stored(tag = 1)]
    genre: String,
    #[stored(tag = 2)]
    label: Option<Ref<Artist>>,
}

async fn start() -> (Running, Client) {
    let local_address = "127.0.0.1:0".parse().unwrap();
    let server = Server::new().with_http(local_address).with_grpc(local_address);
    let running = server.with_types(TypeRegistry::register::<Artist>).start().await.unwrap();
    let types = ["converge.demo.v2.Artist", "converge.tenancy.v1.Namespace"];
    let client = Client::learn(connect(&running).await, &types).await;
    (running, client)
}

fn artist_type() -> Value {
    json!({ "group": "demo", "group_version": "v2", "kind": "Artist" })
}

fn id(name: &str) -> Value {
    json!({ "type": artist_type(), "tenancy": { "partition": "default", "namespace": "default" }, "name": name })
}

fn artist(name: &str, genre: &str) -> Value {
    json!({ "id": id(name), "data": { "@type": "type.googleapis.com/converge.demo.v2.Artist", "genre": genre } })
}

fn names(symbols: &[&str], question: fn(String) -> Question) -> Vec<Question> {
    symbols.iter().map(|symbol| question((*symbol).to_owned())).collect()
}

#[tokio::test]
async fn what_there_is_is_told_by_both_versions_of_reflection() {
    let (running, client) = start().await;
    for version in ["v1", "v1alpha"] {
        let ask = |questions| reflect(&client.channel, version, questions);
        let services = vec![Service { name: "converge.resource.ResourceService".to_owned() }];
        let services = Found::Services(Services { services });
        assert_eq!(ask(vec![Question::ListServices(String::new())]).await, std::slice::from_ref(&services));

        let symbols = [
            "converge.demo.v2.Artist",
            "converge.demo.v2.Artist.genre",
            "converge.resource.ConditionState",
            "converge.resource.ResourceService.Read",
            "converge.tenancy.v1.Namespace",
            "converge.resource.spec",
            "google.protobuf.Any",
        ];
        for (symbol, answer) in symbols.iter().zip(ask(names(&symbols, Question::FileContainingSymbol)).await)
        {
            assert!(
                matches!(&answer, Found::Files(Descriptors { files }) if files.len() == 1),
                "{symbol}: {answer:?}"
            );
        }
        let options = "google.protobuf.MessageOptions".to_owned();
        let answers = ask(vec![Question::AllExtensionNumbersOfType(options.clone())]).await;
        let [Found::Extensions(Extensions { numbers, .. })] = &*answers else { panic!("{answers:?}") };
        let extension = Extension { containing_type: options, number: numbers[0] };
        let answers = ask(vec![Question::FileContainingExtension(extension)]).await;
        assert!(matches!(&*answers, [Found::Files(_)]), "{answers:?}");

        // An unknown symbol does not end the stream.
        let unknown = Extension { containing_type: "nothing".to_owned(), number: -1 };
        let unknown = vec![
            Question::FileContainingSymbol("nothing".to_owned()),
            Question::FileByFilename("nothing".to_owned()),
            Question::AllExtensionNumbersOfType("nothing".to_owned()),
            Question::FileContainingExtension(unknown),
            Question::ListServices(String::new()),
        ];
        let answers = ask(unknown).await;
        let (last, errors) = answers.split_last().unwrap();
        assert_eq!((last, errors.len()), (&services, 4));
        for error in errors {
            assert!(
                matches!(error, Found::Error(nothing) if nothing.message.contains("nothing")),
                "{error:?}"
            );
        }
    }
    running.stop().await;
}

#[tokio::test]
async fn resources_are_written_read_listed_and_deleted() {
    let (running, client) = start().await;
    let ask = async |name, json| client.ask(name, json).await.unwrap();
    let stored_resource =
        ask("Write", json!({ "resource": artist("korn", "metal") })).await["resource"].clone();
    assert_eq!(
        stored_resource["data"],
        json!({ "@type": "type.googleapis.com/converge.demo.v2.Artist", "genre": "metal" })
    );
    let mut read = client.request("Read", json!({ "id": id("korn") }));
    read.metadata_mut().insert("x-converge-consistency-mode", "consistent".parse().unwrap());
    assert_eq!(client.call("Read", read).await.unwrap(), json!({ "resource": stored_resource }));

    // A dry run returns the resource but does not store it.
    let mut child = artist("tool", "rock");
    child["owner"] = stored_resource["id"].clone();
    let planned = ask("MutateAndValidate", json!({ "resource": child })).await;
    assert_eq!(planned["resource"]["data"]["genre"], "rock");
    let missing = client.ask("Read", json!({ "id": id("tool") })).await;
    refused(missing, Code::NotFound, "there is no resource demo.v2.Artist/default/default/tool");
    let child = ask("Write", json!({ "resource": child })).await["resource"].clone();
    let owned = ask("ListByOwner", json!({ "owner": stored_resource["id"] })).await;
    assert_eq!(owned, json!({ "resources": [child] }));

    let anybody = json!({ "partition": "*", "namespace": "*" });
    let list = json!({ "type": artist_type(), "tenancy": anybody, "name_prefix": "ko" });
    assert_eq!(ask("List", list).await, json!({ "resources": [stored_resource] }));
    // A namespace alone is in the partition of the caller.
    let list =
        json!({ "type": artist_type(), "tenancy": { "namespace": "default" }, "selector": "team=web" });
    assert_eq!(ask("List", list).await, json!({}));

    let condition = json!({ "type": "heard", "state": "CONDITION_STATE_TRUE" });
    let status = json!({ "observed_generation": stored_resource["generation"], "conditions": [condition] });
    let update = json!({ "id": stored_resource["id"], "key": "listeners", "status": status });
    let reported = ask("WriteStatus", update).await["resource"].clone();
    assert_eq!(reported["status"]["listeners"]["conditions"], json!([condition]));
    assert_eq!(reported["generation"], stored_resource["generation"]);

    // A second delete finds nothing, which is no error.
    assert_eq!(ask("Delete", json!({ "id": id("korn") })).await, json!({}));
    assert_eq!(ask("Delete", json!({ "id": id("korn") })).await, json!({}));
    running.stop().await;
}

#[tokio::test]
async fn refusals_have_the_codes_and_the_words_of_the_service() {
    let (running, client) = start().await;
    let reply = client.ask("Write", json!({ "resource": artist("korn", "metal") })).await.unwrap();
    let stored_resource = &reply["resource"];
    let check = async |name, json, code, message| refused(client.ask(name, json).await, code, message);
    check("Read", json!({}), Code::InvalidArgument, "id is missing").await;
    check("Read", json!({ "id": id("Korn") }), Code::InvalidArgument, "is not a name").await;
    let mut painter = artist("x", "y");
    painter["id"]["type"]["kind"] = json!("Painter");
    let unknown = "resource type demo.v2.Painter not registered";
    check("Write", json!({ "resource": painter }), Code::InvalidArgument, unknown).await;
    let mut tool = artist("x", "y");
    tool["data"] = json!({ "@type": "type.googleapis.com/converge.tenancy.v1.Namespace" });
    check("Write", json!({ "resource": tool }), Code::InvalidArgument, "converge.tenancy.v1.Namespace").await;
    check("List", json!({ "type": artist_type() }), Code::InvalidArgument, "needs a tenancy").await;
    let selector = json!({ "type": artist_type(), "tenancy": {}, "selector": "team of web" });
    check("List", selector, Code::InvalidArgument, "team of web").await;
    let mut stale = stored_resource.clone();
    stale["version"] = json!("999999");
    check("Write", json!({ "resource": stale }), Code::Aborted, "was changed by somebody else").await;
    let mut wrong_uid = stored_resource.clone();
    wrong_uid["id"]["uid"] = json!("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    wrong_uid.as_object_mut().unwrap().remove("version");
    check("Write", json!({ "resource": wrong_uid }), Code::FailedPrecondition, "korn").await;
    let partition = json!({ "type": { "group": "tenancy", "group_version": "v1", "kind": "Partition" }, "name": "default" });
    check("Delete", json!({ "id": partition }), Code::FailedPrecondition, "cannot be deleted").await;
    // The message is not longer than clients accept.
    check("Read", json!({ "id": id(&"K".repeat(100_000)) }), Code::InvalidArgument, "..").await;

    let mut call = client.request("Read", json!({ "id": id("korn") }));
    call.metadata_mut().insert("x-converge-consistency-mode", "sometimes".parse().unwrap());
    refused(client.call("Read", call).await, Code::InvalidArgument, "must be consistent or default");
    let mut call = client.request("Read", json!({ "id": id("korn") }));
    call.metadata_mut().insert("grpc-encoding", "gzip".parse().unwrap());
    refused(client.call("Read", call).await, Code::Unimplemented, "compressed messages are not read");
    refused(client.send("Steal", Vec::new()).await, Code::Unimplemented, "ResourceService/Steal");
    running.stop().await;
}

#[tokio::test]
async fn what_changes_is_told_until_the_server_stops() {
    let (running, client) = start().await;
    client.ask("Write", json!({ "resource": artist("korn", "metal") })).await.unwrap();
    let mut watch =
        client.watch(client.request("WatchList", json!({ "type": artist_type() }))).await.unwrap();
    let mut next_event = async || watch.message().await.map(|event| shown(&event.unwrap()));
    assert_eq!(next_event().await.unwrap()["upsert"]["resource"]["data"]["genre"], "metal");
    assert_eq!(next_event().await.unwrap(), json!({ "end_of_snapshot": {} }));
    client.ask("Write", json!({ "resource": artist("korn", "pop") })).await.unwrap();
    assert_eq!(next_event().await.unwrap()["upsert"]["resource"]["data"]["genre"], "pop");
    client.ask("Delete", json!({ "id": id("korn") })).await.unwrap();
    assert_eq!(next_event().await.unwrap()["delete"]["resource"]["data"]["genre"], "pop");
    let stopping = tokio::spawn(running.stop());
    refused(next_event().await, Code::Unavailable, "the server is about to stop");
    stopping.await.unwrap();
}

#[tokio::test]
async fn what_is_too_large_too_late_or_elsewhere_is_refused() {
    let (running, client) = start().await;
    let large = artist("korn", &"x".repeat(3 * 1024 * 1024));
    let large = client.ask("Write", json!({ "resource": large })).await;
    refused(large, Code::ResourceExhausted, "a request has at most 2097152 bytes");

    let timed = |time: &str| {
        let mut call = client.request("WatchList", json!({ "type": artist_type() }));
        call.metadata_mut().insert("grpc-timeout", time.parse().unwrap());
        call
    };
    refused(client.watch(timed("soon")).await, Code::InvalidArgument, "is not a time");
    // The stream opens, and then its deadline passes.
    let mut watch = client.watch(timed("3S")).await.unwrap();
    let last = loop {
        match watch.message().await {
            Ok(event) => assert!(event.is_some(), "it ends without a word"),
            Err(status) => break Err::<(), _>(status),
        }
    };
    refused(last, Code::DeadlineExceeded, "the request took longer than 3 s");

    let address = format!("http://{}", running.grpc().unwrap());
    let elsewhere = Endpoint::from_shared(address).unwrap().origin("http://example.org".parse().unwrap());
    let elsewhere = Client { channel: elsewhere.connect().await.unwrap(), pool: client.pool.clone() };
    let misdirected = elsewhere.ask("Read", json!({ "id": id("korn") })).await;
    refused(misdirected, Code::FailedPrecondition, "example.org is not this machine");
    running.stop().await;
}
