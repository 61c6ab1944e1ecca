//! Tests of the server as the shipped systemd unit.

use std::fs;

use converge_tests::host::{Host, Kind};
use converge_tests::{programs, root};

/// The shell environment of a client.
///
/// The files are copies, because those of the server belong to its user.
const ASKING: &str = "export CONVERGE_SERVER=https://localhost:8500 CONVERGE_CA=/etc/converge/ca.pem \
                      CONVERGE_TOKEN_FILE=/root/admin.token;";

/// The command that prints the main process id.
const PROCESS: &str = "systemctl show --property MainPID --value converge-server";

#[test]
fn the_unit_of_the_server_serves_with_an_identity_and_without_rights() {
    let program = programs().join("converge-server");
    let mount = format!("type=bind,readonly,source={},target=/usr/bin/converge-server", program.display());
    let Some(host) = Host::with("server-unit", Kind::Systemd, &["--mount", &mount]) else { return };
    let ask = |command: &str| host.ok(&format!("{ASKING} {command}")).stdout;
    // The journal receives messages with a delay.
    let until_log_says = |text: &str| {
        host.eventually(&format!("journalctl --unit converge-server --output cat | grep -F '{text}'"));
    };
    let unit = fs::read(root().join("packaging/systemd/converge-server.service")).unwrap();
    host.put("/etc/systemd/system/converge-server.service", unit);
    host.ok("systemctl daemon-reload");

    // Without an identity and tokens, the server logs what is missing.
    assert_ne!(host.run("systemctl start converge-server").code, Some(0));
    host.ok("systemctl stop converge-server; systemctl reset-failed converge-server || true");
    until_log_says("converge server init");

    let identity = "/var/lib/converge-server/identity";
    host.ok("converge server init --data /var/lib/converge-server --host server.example.org");
    host.ok(&format!("mkdir -p /etc/converge && cp {identity}/ca.pem /etc/converge/ca.pem"));
    host.ok(&format!("install --mode 600 {identity}/admin.token /root/admin.token"));
    // The unit counts as started once the server answers.
    host.ok("systemctl start converge-server");
    ask("converge resource list namespace");
    let status = host.ok("systemctl show --property StatusText --value converge-server").stdout;
    assert!(status.contains("answers at https://127.0.0.1:8500"), "{status}");
    let rights = host.ok(&format!("grep -E '^(Uid|CapEff|NoNewPrivs)' /proc/$({PROCESS})/status")).stdout;
    assert!(!rights.contains("Uid:\t0") && rights.contains("CapEff:\t0000000000000000"), "{rights}");
    ask("printf 'hunter2-hunter2' | converge secret set db");
    let namespace = r#"{"id": {"type": {"group": "tenancy", "group_version": "v1", "kind": "Namespace"}, "name": "web"}}"#;
    host.put("/root/web.json", namespace);
    ask("converge resource apply -f /root/web.json");

    // Root renews the certificate, which the server's user can read.
    host.ok("converge server renew --data /var/lib/converge-server --host server.example.org");
    host.ok("systemctl reload converge-server");
    ask("converge resource list namespace");
    until_log_says("the certificate was read again");

    // After a kill the server is restarted with its data.
    let killed = host.ok(PROCESS).stdout;
    host.ok(&format!("kill -9 {}", killed.trim()));
    host.eventually(&format!("{ASKING} converge resource read namespace web"));
    assert_ne!(host.ok(PROCESS).stdout, killed);

    // Other addresses, which other machines can reach.
    let options = "OPTIONS=--data /var/lib/converge-server --http 0.0.0.0:8600 --grpc 0.0.0.0:8602\n";
    host.put("/etc/converge/server.env", options);
    host.ok("systemctl restart converge-server");
    ask("CONVERGE_SERVER=https://localhost:8600 converge resource read namespace web");
    host.ok("systemctl stop converge-server");
    let ended = "systemctl show --property Result --property ExecMainStatus converge-server";
    assert_eq!(host.ok(ended).stdout, "Result=success\nExecMainStatus=0\n");
}
