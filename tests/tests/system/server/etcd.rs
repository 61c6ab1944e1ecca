//! Several servers over one etcd, with real members.

use std::time::Duration;

use converge_tests::etcd::Cluster;

use super::Server;
use super::rollout::{Place, pages};

#[test]
fn rollouts_go_on_when_a_member_and_the_servers_die_one_after_the_other() {
    let Some(mut cluster) = Cluster::start("server::etcd") else { return };
    let store = cluster.store();
    let mut place = Place::with(|_| vec![vec!["--store".to_owned(), store.clone()]; 2]);
    place.says("first", "");
    place.ended().success();
    assert_eq!(place.pages(), pages("first"));

    // One of the two servers does the work of the scheduler. Each is killed in turn, so that one of them is.
    place.says("second", "");
    cluster.kill(0);
    place.kill_server(0);
    place.ended().success();
    assert_eq!(place.pages(), pages("second"));
    place.start_server_again(0);
    cluster.start_again(0);
    place.says("third", "");
    place.kill_server(1);
    place.ended().success();
    assert_eq!(place.pages(), pages("third"));

    let rollouts: Vec<_> =
        (1..=3).rev().map(|number| (number.to_string(), "PHASE_COMPLETE".to_owned())).collect();
    assert_eq!(place.history(), rollouts);
}

#[test]
fn a_server_is_ready_when_most_members_answer() {
    let Some(cluster) = Cluster::start("server::etcd") else { return };
    let server = Server::start(&["--store", &cluster.store()]);
    let until = |status: u16| {
        loop {
            let (found, said) = server.get("/v1/ready");
            if found == status {
                return said;
            }
            // Neither is the other in between: it answers in words of its own, and in time.
            assert!([200, 503].contains(&found), "{found}: {said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until(200);
    // They are there, take what is sent to them, and say nothing.
    let stopped = [0, 1];
    for number in stopped {
        cluster.signal(number, "-STOP");
    }
    let said = until(503);
    assert!(said.contains("\"status\":\"not ready\""), "{said}");
    assert_eq!(server.get("/v1/health").0, 200);
    for number in stopped {
        cluster.signal(number, "-CONT");
    }
    until(200);
}
