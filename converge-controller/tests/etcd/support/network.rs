//! Networks whose parts can be disconnected.

use super::{Member, installed, run, skip};

/// A network namespace for each member, and one that connects them and this machine.
pub(crate) struct Network {
    name: String,
    /// The first three numbers of all addresses.
    subnet: String,
    members: usize,
}

impl Network {
    /// Creates networks for members; returns `None` and reports the skip if that is impossible.
    pub(crate) fn new(members: usize) -> Option<Self> {
        if !(installed("etcd") && installed("ip")) {
            return None;
        }
        if run("id", &["-u"]).trim() != "0" {
            skip("only root can make networks");
            return None;
        }
        // The range 198.18.0.0/15 is reserved for tests.
        let number = std::process::id();
        let network = Self {
            name: format!("cvt{number}"),
            subnet: format!("198.{}.{}", 18 + number / 256 % 2, number % 256),
            members,
        };
        network.make();
        Some(network)
    }

    fn make(&self) {
        let (hub, subnet) = (self.name.as_str(), &self.subnet);
        // Firewall rules of this machine do not apply in a separate namespace.
        run("ip", &["netns", "add", hub]);
        run("ip", &["-n", hub, "link", "add", "bridge", "type", "bridge"]);
        run("ip", &["-n", hub, "link", "set", "bridge", "up"]);
        let join = |port: &str| {
            run("ip", &["-n", hub, "link", "set", port, "master", "bridge", "up"]);
        };
        run("ip", &["link", "add", hub, "type", "veth", "peer", "name", "machine", "netns", hub]);
        run("ip", &["address", "add", &format!("{subnet}.1/24"), "dev", hub]);
        run("ip", &["link", "set", hub, "up"]);
        join("machine");
        for number in 0..self.members {
            let (space, port) = (self.space(number), format!("port{number}"));
            run("ip", &["netns", "add", &space]);
            run(
                "ip",
                &[
                    "-n", hub, "link", "add", &port, "type", "veth", "peer", "name", "outside", "netns",
                    &space,
                ],
            );
            join(&port);
            run(
                "ip",
                &["-n", &space, "address", "add", &format!("{}/24", self.host(number)), "dev", "outside"],
            );
            run("ip", &["-n", &space, "link", "set", "outside", "up"]);
            run("ip", &["-n", &space, "link", "set", "lo", "up"]);
        }
    }

    fn space(&self, number: usize) -> String {
        format!("{}-{number}", self.name)
    }

    fn host(&self, number: usize) -> String {
        format!("{}.{}", self.subnet, 10 + number)
    }

    /// Returns a member in each of the networks.
    pub(crate) fn members(&self) -> Vec<Member> {
        let member = |number| {
            let mut member = Member::local(number);
            member.client = format!("http://{}:2379", self.host(number));
            member.peer = format!("http://{}:2380", self.host(number));
            member.within = ["ip", "netns", "exec", &self.space(number)].map(ToOwned::to_owned).into();
            member
        };
        (0..self.members).map(member).collect()
    }

    /// Disconnects a member from the other members, but not from this machine.
    pub(crate) fn cut_off(&self, number: usize) {
        self.route(number, "add");
    }

    pub(crate) fn join(&self, number: usize) {
        self.route(number, "delete");
    }

    fn route(&self, number: usize, action: &str) {
        for peer in (0..self.members).filter(|other| *other != number) {
            // Responses of the member are dropped as well.
            run("ip", &["-n", &self.space(number), "route", action, "blackhole", &self.host(peer)]);
        }
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let spaces = (0..self.members).map(|number| self.space(number));
        for space in spaces.chain([self.name.clone()]) {
            // A partially created namespace is removed as well.
            let _ = std::process::Command::new("ip").args(["netns", "delete", &space]).status();
        }
    }
}
