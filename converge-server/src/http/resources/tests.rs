use std::io::{BufRead as _, BufReader};

use converge_controller::registry::TypeRegistry;
use converge_controller::validation::Invalid;
use converge_controller::{Ref, StoredResource, Typed};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use ureq::Agent;

use crate::server::{Running, Server};

/// A musician.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Artist::check)]
struct Artist {
    #[stored(tag = 1)]
    genre: String,
    #[stored(tag = 2)]
    albums_sold: u64,
    #[stored(tag = 3)]
    label: Option<Ref<Artist>>,
}

impl Artist {
    fn check(artist: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        invalid.field("genre").require(artist.genre != "noise", "is not music");
        invalid.finish()
    }
}

/// A running server and a client.
#[derive(Clone)]
struct Asking {
    url: String,
    agent: Agent,
}

async fn start() -> (Running, Asking) {
    let server = Server::new().with_http("127.0.0.1:0".parse().unwrap());
    let running = server.with_types(TypeRegistry::register::<Artist>).start().await.unwrap();
    let agent = Agent::config_builder().http_status_as_error(false).build().into();
    let asking = Asking { url: format!("http://{}/v1/resources", running.http()), agent };
    (running, asking)
}

impl Asking {
    fn get(&self, path: &str) -> (u16, Value) {
        answer(self.agent.get(format!("{}/{path}", self.url)).call())
    }

    fn put(&self, path: &str, body: &Value) -> (u16, Value) {
        let request = self.agent.put(format!("{}/{path}", self.url)).content_type("application/json");
        answer(request.send(body.to_string()))
    }

    fn delete(&self, path: &str) -> (u16, Value) {
        answer(self.agent.delete(format!("{}/{path}", self.url)).call())
    }

    /// Sends a body as text, which may be invalid JSON.
    fn put_text(&self, path: &str, body: &str) -> (u16, Value) {
        let request = self.agent.put(format!("{}/{path}", self.url)).content_type("application/json");
        answer(request.send(body))
    }

    #[track_caller]
    fn refused(reply: (u16, Value), status: u16, code: &str, message: &str) {
        let (actual, body) = reply;
        assert_eq!((actual, &body["error"]["code"]), (status, &json!(code)), "{body}");
        let actual_message = body["error"]["message"].as_str().unwrap();
        assert!(actual_message.contains(message), "no {message:?} in {actual_message:?}");
    }
}

fn answer(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> (u16, Value) {
    let answer = answer.unwrap();
    let status = answer.status().as_u16();
    let text = answer.into_body().read_to_string().unwrap();
    (status, if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() })
}

/// Runs blocking requests on a thread that does not stall the server.
async fn asking(ask: impl FnOnce(&Asking) + Send + 'static) {
    let (running, asking) = start().await;
    spawn_blocking(move || ask(&asking)).await.unwrap();
    running.stop().await;
}

const KORN: &str = "demo/v2/artist/korn";

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_is_written_read_and_deleted() {
    asking(|asking| {
        let label = json!({ "type": { "group": "demo", "group_version": "v2", "kind": "Artist" },
            "tenancy": { "partition": "default", "namespace": "default" }, "name": "epic" });
        let data = json!({ "genre": "metal", "albums_sold": "18446744073709551615", "label": label });
        let draft = json!({ "metadata": { "team": "web" }, "data": data });
        let (status, stored_artist) = asking.put(KORN, &draft);
        assert_eq!((status, &stored_artist["data"]), (200, &data), "{stored_artist}");
        assert_eq!(stored_artist["id"]["tenancy"], json!({ "partition": "default", "namespace": "default" }));
        assert_eq!(stored_artist["metadata"], json!({ "team": "web" }));
        assert_eq!(
            asking.get("demo/v2/Artist/korn?consistent=true&namespace=default"),
            (200, stored_artist.clone())
        );

        // The JSON of a read can be written back with changes, but only once.
        let mut changed = stored_artist.clone();
        changed["data"]["genre"] = json!("pop");
        let (status, second) = asking.put(KORN, &changed);
        assert_eq!((status, &second["data"]["genre"]), (200, &json!("pop")));
        Asking::refused(asking.put(KORN, &changed), 409, "aborted", "was changed by somebody else");
        let version = stored_artist["version"].as_str().unwrap();
        Asking::refused(
            asking.delete(&format!("{KORN}?version={version}")),
            409,
            "aborted",
            "CAS operation failed",
        );

        assert_eq!(asking.delete(KORN), (204, Value::Null));
        assert_eq!(asking.delete(KORN), (204, Value::Null));
        Asking::refused(
            asking.get(KORN),
            404,
            "not_found",
            "there is no resource demo.v2.Artist/default/default/korn",
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_told() {
    asking(|asking| {
        let data = |data: Value| asking.put(KORN, &json!({ "data": data }));
        let refuse = |found, message| Asking::refused(found, 400, "invalid_argument", message);
        refuse(data(json!({ "genre": "noise" })), "genre is not music");
        refuse(data(json!({ "gender": "metal" })), "unrecognized field name 'gender'");
        refuse(data(json!({ "genre": 7 })), "demo.v2.Artist");
        refuse(data(json!([])), "data have to be an object");
        refuse(data(json!({ "@type": "type.googleapis.com/other" })), "must be type.googleapis.com/converge.demo.v2.Artist");
        refuse(asking.put(KORN, &json!({ "date": {} })), "unknown field `date`");
        refuse(asking.put("demo/v2/artist/Korn", &json!({})), "\"Korn\" is not a name");
        refuse(asking.put("demo/v2/painter/korn", &json!({})), "resource type demo.v2.painter not registered");
        refuse(asking.get("demo/v2/artist/korn?wildcard=1"), "unknown field `wildcard`");
        refuse(asking.get("demo/v2/artist/korn?namespace=*"), "cannot be \"*\" here");
        refuse(asking.get("demo/v2/artist?selector=team%20of%20web"), "team of web");
        refuse(asking.put("demo/v2/artist/korn?namespace=nowhere", &json!({})), "namespace \"nowhere\" does not exist");
        let other_artist = json!({ "id": { "type": { "group": "demo", "group_version": "v2", "kind": "Artist" }, "tenancy": {}, "name": "tool" } });
        refuse(asking.put(KORN, &other_artist), "the body names demo.v2.Artist/tool");
        Asking::refused(asking.delete("tenancy/v1/partition/default"), 412, "failed_precondition", "cannot be deleted");
        let text = asking.agent.put(format!("{}/{KORN}", asking.url)).send("{}");
        Asking::refused(answer(text), 415, "unsupported_media_type", "application/json");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_is_written_under_its_key() {
    asking(|asking| {
        let (_, stored_artist) = asking.put(KORN, &json!({}));
        let conditions = json!([{ "type": "heard", "state": "true" }]);
        let status = json!({ "observed_generation": stored_artist["generation"], "conditions": conditions });
        let path = format!("{KORN}/status/listeners");
        Asking::refused(asking.put(&path, &status), 400, "invalid_argument", "uid");
        let uid = stored_artist["id"]["uid"].as_str().unwrap();
        let (code, with_status) = asking.put(&format!("{path}?uid={uid}"), &status);
        assert_eq!(
            (code, &with_status["status"]["listeners"]["conditions"]),
            (200, &conditions),
            "{with_status}"
        );
        assert_eq!(with_status["generation"], stored_artist["generation"]);
        // The status of a read may be sent back unchanged.
        assert_eq!(asking.put(KORN, &with_status).0, 200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_is_what_was_asked_for() {
    asking(|asking| {
        for (name, team) in [("korn", "web"), ("kolsch", "db"), ("tool", "web")] {
            asking.put(&format!("demo/v2/artist/{name}"), &json!({ "metadata": { "team": team } }));
        }
        let names = |query: &str| {
            let (status, list) = asking.get(&format!("demo/v2/artist{query}"));
            assert_eq!(status, 200, "{list}");
            let resources = list["resources"].as_array().unwrap().clone();
            resources
                .iter()
                .map(|resource| resource["id"]["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(""), ["kolsch", "korn", "tool"]);
        assert_eq!(names("?name_prefix=ko&consistent=true"), ["kolsch", "korn"]);
        assert_eq!(names("?selector=team%3Dweb&partition=*&namespace=*"), ["korn", "tool"]);
        assert_eq!(names("?namespace=elsewhere"), [""; 0]);
        Asking::refused(asking.put("demo/v2/artist", &json!({})), 405, "method_not_allowed", "PUT");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_is_told_until_the_server_stops() {
    let (running, asking) = start().await;
    let watching = asking.clone();
    let events = spawn_blocking(move || {
        asking.put(KORN, &json!({ "data": { "genre": "metal" } }));
        let body = watching
            .agent
            .get(format!("{}/demo/v2/artist?watch=true", watching.url))
            .call()
            .unwrap()
            .into_body();
        let mut lines = BufReader::new(body.into_reader()).lines().map(Result::unwrap);
        let mut next = move || {
            let event = lines.find_map(|line| line.strip_prefix("event: ").map(str::to_owned))?;
            let data = lines.next().unwrap();
            let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
            Some((event, data))
        };
        let genre =
            |told: Option<(String, Value)>| told.map(|(event, data)| (event, data["data"]["genre"].clone()));
        assert_eq!(genre(next()), Some(("upsert".to_owned(), json!("metal"))));
        assert_eq!(next(), Some(("end_of_snapshot".to_owned(), json!({}))));
        asking.put(KORN, &json!({ "data": { "genre": "pop" } }));
        assert_eq!(genre(next()), Some(("upsert".to_owned(), json!("pop"))));
        asking.delete(KORN);
        assert_eq!(genre(next()), Some(("delete".to_owned(), json!("pop"))));
        next
    });
    let end = spawn_blocking(events.await.unwrap());
    running.stop().await;
    assert_eq!(end.await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mistake_has_its_place_in_the_body() {
    asking(|asking| {
        let problems = |body: Value| {
            let (status, answer) = asking.put(KORN, &body);
            assert_eq!(status, 400, "{answer}");
            answer["error"]["problems"].clone()
        };
        let path = |body: Value| problems(body)[0]["path"].clone();
        let noise = problems(json!({ "data": { "genre": "noise" } }));
        assert_eq!(noise, json!([{ "path": ["data", "genre"], "message": "genre is not music" }]));
        assert_eq!(path(json!({ "data": { "label": { "name": 7 } } })), json!(["data", "label", "name"]));
        assert_eq!(path(json!({ "metadata": { "team": 7 } })), json!(["metadata", "team"]));
        let owner = json!({ "type": { "group": "demo", "group_version": "v2", "kind": "Artist" }, "tenancy": {}, "name": "tool" });
        assert_eq!(path(json!({ "owner": owner })), json!(["owner"]));
        let (_, answer) = asking.put("demo/v2/artist/Korn", &json!({}));
        assert_eq!(answer["error"]["problems"], Value::Null);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_twice_is_refused_with_its_place() {
    asking(|asking| {
        for (body, path, message) in [
            (
                r#"{ "data": { "genre": "metal", "genre": "pop" } }"#,
                json!(["data", "genre"]),
                "data.genre: this key is written twice at line 1",
            ),
            (
                r#"{ "metadata": { "team": "web", "team": "db" } }"#,
                json!(["metadata", "team"]),
                "metadata.team: this key is written twice at line 1",
            ),
            (
                r#"{ "data": { "albums_sold": 1, "albumsSold": 2 } }"#,
                json!(["data", "albumsSold"]),
                "this is `albums_sold` in another spelling: write one of them",
            ),
        ] {
            let (status, answer) = asking.put_text(KORN, body);
            let error = &answer["error"];
            assert_eq!((status, &error["problems"][0]["path"]), (400, &path), "{answer}");
            assert!(error["message"].as_str().unwrap().contains(message), "{answer}");
        }
        assert_eq!(asking.get(KORN).0, 404);
        // The error for invalid JSON is that of the parser.
        let (status, answer) = asking.put_text(KORN, r#"{ "data": { "genre": "metal" "#);
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("EOF"), "{answer}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_checks_everything_and_writes_nothing() {
    asking(|asking| {
        let dry = format!("{KORN}?dry_run=true");
        let (status, planned) = asking.put(&dry, &json!({ "data": { "genre": "metal" } }));
        assert_eq!((status, &planned["data"]["genre"]), (200, &json!("metal")), "{planned}");
        assert_eq!(planned["id"]["tenancy"]["namespace"], "default");
        assert_eq!(asking.get(KORN).0, 404);
        Asking::refused(
            asking.put(&dry, &json!({ "data": { "genre": "noise" } })),
            400,
            "invalid_argument",
            "not music",
        );
        // A delete has no dry run, so the request is refused and deletes nothing.
        asking.put(KORN, &json!({}));
        Asking::refused(asking.delete(&dry), 400, "invalid_argument", "dry_run is for the PUT");
        assert_eq!(asking.get(KORN).0, 200);
    })
    .await;
}
