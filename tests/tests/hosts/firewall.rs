//! Tests of firewalls.
//!
//! Each host has its own network, so its rules affect nothing else.

use converge_tests::host::{Host, Kind};

const NET_ADMIN: [&str; 2] = ["--cap-add", "NET_ADMIN"];

fn ufw(id: &str, fields: &str) -> String {
    format!("firewall.ufw \"{id}\" {{\n{fields}\n}}\n")
}

#[test]
fn rules_of_ufw() {
    let Some(host) = Host::with("rules_of_ufw", Kind::Plain, &NET_ADMIN) else { return };
    host.ok("ufw allow 53 && ufw route allow in on eth0 out on eth1 && ufw allow log 99/tcp");
    let added = |rules: &str| {
        let mine = "ufw allow 53\nufw route allow in on eth0 out on eth1\nufw allow log 99/tcp\n";
        let output = host.ok("ufw show added").stdout;
        assert_eq!(
            output,
            format!("Added user rules (see 'ufw status' for running firewall):\n{mine}{rules}")
        );
    };
    let rules = [
        (
            "action = \"allow\"\nport = 22\nproto = \"tcp\"\ncomment = \"ssh it\"",
            "ufw allow 22/tcp comment 'ssh it'\n",
        ),
        (
            "action = \"limit\"\nfrom = \"10.1.2.3/8\"\nport = \"443,80\"\nproto = \"tcp\"",
            "ufw limit from 10.0.0.0/8 to any port 80,443 proto tcp\n",
        ),
        (
            "action = \"deny\"\ndirection = \"out\"\ninterface = \"eth0\"\nto = \"192.0.2.1\"\nport = 25",
            "ufw deny out on eth0 to 192.0.2.1 port 25\n",
        ),
        ("action = \"allow\"\ninterface = \"eth0\"", "ufw allow in on eth0\n"),
        ("action = \"allow\"\nport = \"1000:2000\"\nproto = \"udp\"", "ufw allow 1000:2000/udp\n"),
        ("action = \"reject\"\nfrom = \"2001:db8::1\"", "ufw reject from 2001:db8::1\n"),
        (
            "action = \"allow\"\nfrom = \"192.0.2.0/24\"\nfrom_port = 53\nto = \"198.51.100.1\"\nproto = \"udp\"",
            "ufw allow from 192.0.2.0/24 port 53 to 198.51.100.1 proto udp\n",
        ),
    ];
    for (fields, expect) in rules {
        host.story(&ufw("it", fields), &[]);
        added(expect);
        host.story(&ufw("it", &format!("{fields}\nstate = \"absent\"")), &[]);
        added("");
    }
    // Another action for the same connections replaces the first, and a comment is changed.
    host.story(&ufw("it", "action = \"allow\"\nport = 22\nproto = \"tcp\""), &[]);
    host.story(&ufw("it", "action = \"limit\"\nport = 22\nproto = \"tcp\""), &[]);
    host.story(&ufw("it", "action = \"limit\"\nport = 22\nproto = \"tcp\"\ncomment = \"a\""), &[]);
    added("ufw limit 22/tcp comment 'a'\n");
}

#[test]
fn ufw_is_turned_on_and_locks_nobody_out() {
    let Some(host) = Host::with("ufw_is_turned_on_and_locks_nobody_out", Kind::Plain, &NET_ADMIN) else {
        return;
    };
    host.ok("mkdir -p /etc/ssh && echo Port 2222 > /etc/ssh/sshd_config");
    let enable = ufw("on", "default = { incoming = \"deny\" }\nenabled = true");
    for command in ["plan", "apply"] {
        let error = host.converge(command, &enable, &[]).failure("firewall.ufw.on");
        assert!(
            error.starts_with("this would lock out connections to port 2222, where sshd listens"),
            "{error}"
        );
    }
    assert_eq!(host.ok("ufw status").stdout, "Status: inactive\n");

    // With an allow rule before it, enabling the firewall succeeds; the plan cannot know this yet.
    let ssh = ufw("ssh", "action = \"allow\"\nport = 2222\nproto = \"tcp\"");
    let after = enable.replace("enabled = true", "enabled = true\ndepends = [\"firewall.ufw.ssh\"]");
    host.story(&format!("{ssh}{after}"), &[]);
    let status = host.ok("ufw status verbose").stdout;
    assert!(status.starts_with("Status: active") && status.contains("Default: deny (incoming)"), "{status}");

    let removal = ufw("ssh", "action = \"allow\"\nport = 2222\nproto = \"tcp\"\nstate = \"absent\"");
    let error = host.converge("apply", &removal, &[]).failure("firewall.ufw.ssh");
    assert!(error.starts_with("this would lock out"), "{error}");
    host.story(&removal.replace("state", "lock_out = true\nstate"), &[]);
    host.story(&ufw("off", "enabled = false"), &[]);
    assert_eq!(host.ok("ufw status").stdout, "Status: inactive\n");

    host.ok("echo Port 22 > /etc/ssh/sshd_config");
    host.story(include_str!("../../../converge-resources/src/firewall/ufw/example.hcl"), &[]);
}

/// ufw has its own lock: both runs succeed and both rules exist.
#[test]
fn two_runs_of_ufw_at_once() {
    let Some(host) = Host::with("two_runs_of_ufw_at_once", Kind::Plain, &NET_ADMIN) else { return };
    for port in [80, 443] {
        let rule = ufw("it", &format!("action = \"allow\"\nport = {port}\nproto = \"tcp\""));
        host.put(&format!("/srv/{port}.hcl"), rule);
    }
    host.ok("converge apply --format json /srv/80.hcl & converge apply --format json /srv/443.hcl; one=$?; wait $!; exit $(($? + one))");
    let added = host.ok("ufw show added").stdout;
    assert!(added.contains("ufw allow 80/tcp\n") && added.contains("ufw allow 443/tcp\n"), "{added}");
}

fn firewalld(fields: &str) -> String {
    format!("firewall.firewalld \"it\" {{\n{fields}\n}}\n")
}

#[test]
fn zones_of_firewalld() {
    let Some(host) = Host::with("zones_of_firewalld", Kind::Systemd, &NET_ADMIN) else { return };
    let query_both = |host: &Host, query: &str| {
        let runtime_state = host.run(&format!("firewall-cmd {query}")).stdout;
        let permanent_state = host.run(&format!("firewall-cmd --permanent {query}")).stdout;
        format!("{}{}", runtime_state.trim(), permanent_state.trim())
    };
    // While firewalld is stopped, its permanent settings change.
    let port = firewalld("port = \"8000-8100/tcp\"");
    host.story(&port, &[]);
    assert_eq!(host.ok("firewall-offline-cmd --list-ports").stdout, "8000-8100/tcp\n");
    let immediate_port = port.replace("port =", "permanent = false\nport =");
    let error = host.converge("plan", &immediate_port, &[]).failure("firewall.firewalld.it");
    assert!(error.starts_with("firewalld does not run"), "{error}");

    host.ok("systemctl start firewalld");
    host.nothing_to_do(&port, &[]);
    let parts = [
        ("service = \"https\"", "--query-service=https"),
        ("port = \"53/udp\"\nzone = \"public\"", "--zone=public --query-port=53/udp"),
        ("source = \"192.0.2.0/24\"\nzone = \"trusted\"", "--zone=trusted --query-source=192.0.2.0/24"),
        ("masquerade = true", "--query-masquerade"),
        (
            "rich_rule = \"rule family=ipv4 source address=192.0.2.0/24 port port=9100 protocol=tcp accept\"",
            "--query-rich-rule='rule family=ipv4 source address=192.0.2.0/24 port port=9100 protocol=tcp accept'",
        ),
    ];
    for (fields, query) in parts {
        host.story(&firewalld(fields), &[]);
        assert_eq!(query_both(&host, query), "yesyes", "{fields}");
        host.story(&firewalld(&format!("{fields}\nstate = \"absent\"")), &[]);
        assert_eq!(query_both(&host, query), "nono", "{fields}");
    }
    host.story(&firewalld("service = \"http\"\npermanent = false"), &[]);
    assert_eq!(query_both(&host, "--query-service=http"), "yesno");
    assert_eq!(query_both(&host, "--list-services"), "dhcpv6-client http sshdhcpv6-client ssh");

    let failure =
        |fields: &str| host.converge("apply", &firewalld(fields), &[]).failure("firewall.firewalld.it");
    assert!(failure("service = \"nothere\"").contains("INVALID_SERVICE"));
    assert!(failure("port = \"1/tcp\"\nzone = \"nothere\"").contains("INVALID_ZONE"));

    host.ok("mkdir -p /etc/ssh && echo Port 22 > /etc/ssh/sshd_config");
    let ssh = "service = \"ssh\"\nstate = \"absent\"";
    assert!(failure(ssh).starts_with("this may lock out connections to port 22"));
    assert_eq!(query_both(&host, "--query-service=ssh"), "yesyes");
    host.story(&firewalld(&format!("{ssh}\nlock_out = true")), &[]);
    host.story(include_str!("../../../converge-resources/src/firewall/firewalld/example.hcl"), &[]);
}
