//! Tests of several servers over one etcd cluster with real members.

use std::time::Duration;

use converge_tests::etcd::Cluster;
use serde_json::{Value, json};

use super::rollout::{Place, pages};
use super::{Server, agent};

#[test]
fn rollouts_go_on_when_a_member_and_the_servers_die_one_after_the_other() {
    let Some(mut cluster) = Cluster::start("server::etcd") else { return };
    let store = cluster.store();
    let mut place = Place::with(|_| vec![vec!["--store".to_owned(), store.clone()]; 2]);
    place.write_module("first", "");
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("first"));

    // One of the two servers leads. Both are killed in turn, so that the leader is among them.
    place.write_module("second", "");
    cluster.kill(0);
    place.kill_server(0);
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("second"));
    place.start_server_again(0);
    cluster.start_again(0);
    place.write_module("third", "");
    place.kill_server(1);
    place.wait_for_rollout().success();
    assert_eq!(place.pages(), pages("third"));

    let rollouts: Vec<_> =
        (1..=3).rev().map(|number| (number.to_string(), "PHASE_COMPLETE".to_owned())).collect();
    assert_eq!(place.history(), rollouts);
}

#[test]
fn a_server_is_ready_when_most_members_answer() {
    let Some(cluster) = Cluster::start("server::etcd") else { return };
    let server = Server::start(&["--store", &cluster.store()]);
    let wait_until = |status: u16| {
        loop {
            let (actual_status, body) = server.get("/v1/ready");
            if actual_status == status {
                return body;
            }
            // Meanwhile the server answers in time with one of these two statuses.
            assert!([200, 503].contains(&actual_status), "{actual_status}: {body}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    wait_until(200);
    // The members accept connections and never answer.
    let stopped = [0, 1];
    for number in stopped {
        cluster.signal(number, "-STOP");
    }
    let body = wait_until(503);
    assert!(body.contains("\"status\":\"not ready\""), "{body}");
    assert_eq!(server.get("/v1/health").0, 200);
    for number in stopped {
        cluster.signal(number, "-CONT");
    }
    wait_until(200);
}

/// Sends a request of etcd's own API to the first member, as JSON.
fn operate(store: &str, path: &str, body: &Value) -> Value {
    let (member, _) = store.trim_start_matches("etcd://").split_once(',').unwrap();
    let answer = agent().post(format!("http://{member}{path}")).send(body.to_string()).unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    serde_json::from_str(&answer.into_body().read_to_string().unwrap()).unwrap()
}

/// Returns the number of a server's running and of its waiting controllers.
fn phases(server: &Server) -> [usize; 2] {
    let status = server.json("/v1/controllers");
    let controllers = status["controllers"].as_array().unwrap();
    ["running", "waiting"]
        .map(|phase| controllers.iter().filter(|controller| controller["phase"] == phase).count())
}

#[test]
fn a_server_that_waits_is_ready_while_another_one_leads() {
    let Some(cluster) = Cluster::start("server::etcd") else { return };
    let store = cluster.store();
    let wait_until = |server: &Server, status: u16, expect: &str| {
        loop {
            let (actual_status, body) = server.get("/v1/ready");
            if actual_status == status && body.contains(expect) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    let first = Server::start(&["--store", &store]);
    while phases(&first)[1] > 0 {}
    let second = Server::start(&["--store", &store]);
    while phases(&second)[1] == 0 {}
    assert_eq!(first.get("/v1/ready").0, 200);

    // The first server does not release its leases. The second is ready all the time, before and after it
    // leads.
    drop(first);
    while phases(&second)[1] > 0 {
        let (status, body) = second.get("/v1/ready");
        assert_eq!(status, 200, "{body}");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(second.get("/v1/ready").0, 200);

    let third = Server::start(&["--store", &store]);
    while phases(&third)[1] == 0 {}
    // An etcd without space answers, but accepts no new leases. The existing ones are deleted.
    let members = operate(&store, "/v3/cluster/member/list", &json!({}));
    let mut alarm =
        json!({"memberID": members["members"][0]["ID"], "alarm": "NOSPACE", "action": "ACTIVATE"});
    operate(&store, "/v3/maintenance/alarm", &alarm);
    // The range from `/site/l/` to `/site/l0`.
    operate(&store, "/v3/kv/deleterange", &json!({"key": "L3NpdGUvbC8=", "range_end": "L3NpdGUvbDA="}));
    for server in [&second, &third] {
        wait_until(server, 503, "the controller scheduler runs on no server: nobody has held its lease for ");
    }
    alarm["action"] = json!("DEACTIVATE");
    operate(&store, "/v3/maintenance/alarm", &alarm);
    wait_until(&second, 200, "ready");
    wait_until(&third, 200, "ready");
}
