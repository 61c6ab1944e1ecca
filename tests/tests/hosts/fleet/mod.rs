//! Tests of a fleet: agents as systemd units, servers and etcd, which fail one after the other.

mod site;
mod unit;

use site::Site;

const HOSTS: usize = 10;
/// The time limit of hosts that become healthy, even on a busy machine.
const LONG: &str = "300s";

/// Each host counts every applied revision, so that a repeated or lost apply is noticed.
#[test]
fn ten_hosts_get_every_version_once_whatever_dies_meanwhile() {
    let Some(mut site) = Site::start("fleet", HOSTS) else { return };
    site.update_module(0, "one", "", LONG);
    site.wait_for_rollout(0).success();
    assert_eq!(site.applied(), vec![["one"]; HOSTS]);

    // A manual change on a host.
    site.hosts[3].ok("echo mine > /srv/page");
    site.wait_for_page(3, "one");

    // The host is renamed, which the agent notices without a restart.
    site.hosts[3].ok("grep -qx web-3 /srv/name && hostname renamed");
    site.hosts[3].eventually("grep -qx renamed /srv/name");

    // A revision that is healthy nowhere stops at its failure budget: one host may fail, so two have tried
    // it.
    site.update_module(1, "bad", "healthcheck.task \"up\" { check = \"exit 1\" apply = \"true\" }\n", "60s");
    let output = site.wait_for_rollout(1);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(
        output.stdout.starts_with("rollout 2 of site: failed\n2 failed where 1 may: "),
        "{}",
        output.everything()
    );
    (0..HOSTS).for_each(|number| site.wait_for_page(number, "one"));
    let applied = site.applied();
    let tried = |applied: &&Vec<String>| **applied == ["one", "bad"];
    assert_eq!(applied.iter().filter(tried).count(), 2, "{applied:?}");
    assert_eq!(applied.iter().filter(|applied| **applied == ["one"]).count(), HOSTS - 2, "{applied:?}");

    // An etcd member and the leading server are killed in the middle of a rollout.
    let leader = site.leader(&[0, 1]);
    let follower = 1 - leader;
    site.update_module(follower, "two", "", LONG);
    while !site.applied().concat().contains(&"two".to_owned()) {}
    site.etcd.kill(0);
    site.kill_server(leader);
    site.wait_for_rollout(follower).success();
    site.etcd.start_again(0);
    site.start_server(leader);
    site.until_ready(leader);

    // A host without network counts as the one that may fail. It enforces the last known revision, and gets
    // the missed one when it is back.
    site.cut_off(7);
    site.hosts[7].ok("echo mine > /srv/page");
    site.wait_for_page(7, "two");
    site.update_module(follower, "three", "", "180s");
    let output = site.wait_for_rollout(follower).success();
    assert!(output.stdout.contains("well on 9 of 10"), "{}", output.everything());
    site.hosts[7].ok("grep -qx two /srv/page");
    site.connect(7);
    site.wait_for_page(7, "three");

    // The leading server hangs, and the other one takes over. Later writes of the old leader are refused.
    let leader = site.leader(&[0, 1]);
    let follower = 1 - leader;
    site.signal_server(leader, "-STOP");
    site.update_module(follower, "four", "", LONG);
    site.wait_for_rollout(follower).success();
    let assigned = site.assigned(follower);
    site.signal_server(leader, "-CONT");
    while site.leads(leader) {}
    assert_eq!(site.leader(&[0, 1]), follower);
    assert_eq!(site.assigned(follower), assigned);

    let drop_bad = |applied: &mut Vec<String>| applied.retain(|version| version != "bad");
    let mut applied = site.applied();
    applied.iter_mut().for_each(drop_bad);
    assert_eq!(applied, vec![["one", "two", "three", "four"]; HOSTS]);
    let [complete, failed] = ["PHASE_COMPLETE", "PHASE_FAILED"];
    assert_eq!(site.rollouts(follower), [complete, failed, complete, complete, complete]);
}
