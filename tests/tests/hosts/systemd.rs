//! Tests of `systemd.unit.state` on hosts with systemd.

use converge_tests::Said;
use converge_tests::host::Host;

/// A service that logs its starts, reloads and signals, and can be enabled.
const APP: &str = r#"[Unit]
Description=An app

[Service]
Type=notify
NotifyAccess=all
ExecStart=/bin/sh -c 'echo start >> /tmp/log; trap "echo hup >> /tmp/log" HUP; systemd-notify --ready; while :; do sleep 0.1; done'
ExecReload=/bin/sh -c 'echo reload >> /tmp/log'
KillMode=control-group
TimeoutStopSec=2

[Install]
WantedBy=multi-user.target
"#;

/// The path of the unit, from which it can be masked.
const APP_FILE: &str = "/usr/local/lib/systemd/system/app.service";

/// Returns a module with one unit and these fields.
fn unit(fields: &str) -> String {
    format!("systemd.unit.state \"it\" {{\n{fields}\n}}\n")
}

/// Returns the error of the failed unit.
#[track_caller]
fn failure(output: &Said) -> String {
    assert_eq!(output.code, Some(1), "{}", output.everything());
    let report = output.report("systemd.unit.state.it");
    report["failure"]["message"].as_str().unwrap_or_default().to_owned()
}

/// Asserts that a text contains these parts in order.
#[track_caller]
fn contains_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for phrase in parts {
        let Some(position) = rest.find(phrase) else { panic!("{phrase:?} is not in {rest:?} of:\n{text}") };
        rest = &rest[position + phrase.len()..];
    }
}

#[track_caller]
fn app_host(test: &str) -> Option<Host> {
    let host = Host::systemd(test)?;
    host.put(APP_FILE, APP);
    Some(host)
}

fn difference(name: &str, before: &str, after: &str) -> (String, String, String) {
    (name.to_owned(), before.to_owned(), after.to_owned())
}

#[test]
fn a_unit_is_started_enabled_looked_up_and_stopped() {
    let Some(host) = app_host("a_unit_is_started_enabled_looked_up_and_stopped") else { return };
    let module = r#"
systemd.unit.state "it" {
  unit    = "app"
  state   = "running"
  enabled = true
}

file.content "seen" {
  destination = "/tmp/seen"
  content     = "{{lookup `systemd.unit.state.it.unit`}} {{lookup `systemd.unit.state.it.type`}} {{lookup `systemd.unit.state.it.activestate`}} {{lookup `systemd.unit.state.it.status`}} {{lookup `systemd.unit.state.it.loadstate`}} {{lookup `systemd.unit.state.it.path`}} {{lookup `systemd.unit.state.it.description`}} {{lookup `systemd.unit.state.it.global_properties.SubState`}} {{lookup `systemd.unit.state.it.service_properties.MainPID`}}\n"
}
"#;
    let story = host.story(module, &[]);
    let expect =
        [difference("enabled", "disabled", "enabled"), difference("state", "inactive (dead)", "running")];
    assert_eq!(story.plan.differences("systemd.unit.state.it"), expect);
    assert_eq!(story.apply.differences("systemd.unit.state.it"), expect);
    assert_eq!(story.plan.report("file.content.seen")["outcome"], "may-change");
    let app = host.unit("app.service");
    assert!(app.is_active() && app.is_enabled());
    let pid = app.property("MainPID");
    let expect_line = format!("app.service service active active loaded {APP_FILE} An app running {pid}\n");
    host.file("/tmp/seen").is(&expect_line);

    let story = host.story(&unit("unit = \"app.service\"\nstate = \"stopped\"\nenabled = false"), &[]);
    let expect =
        [difference("enabled", "enabled", "disabled"), difference("state", "active (running)", "stopped")];
    assert_eq!(story.plan.differences("systemd.unit.state.it"), expect);
    assert!(!app.is_active() && !app.is_enabled());
    host.file("/tmp/log").is("start\n");
}

/// Without `on_change_of`, each apply restarts, reloads or signals.
#[test]
fn each_apply_restarts_reloads_and_signals() {
    let Some(host) = app_host("each_apply_restarts_reloads_and_signals") else { return };
    host.ok("systemctl start app && rm /tmp/log");
    let cases = [
        ("state = \"restarted\"", difference("state", "active (running)", "restarted"), "start\n"),
        ("reload = true", difference("state", "active (running)", "reloaded"), "reload\n"),
        ("signal_name = \"hup\"", difference("signal", "(none)", "SIGHUP"), "hup\n"),
        ("signal_number = 1", difference("signal", "(none)", "SIGHUP"), "hup\n"),
    ];
    for (fields, expect, log) in cases {
        let module = unit(&format!("unit = \"app\"\n{fields}"));
        for time in 1..=2 {
            host.ok("rm -f /tmp/log");
            for command in ["plan", "apply"] {
                let output = host.converge(command, &module, &[]).success();
                assert_eq!(
                    output.differences("systemd.unit.state.it"),
                    std::slice::from_ref(&expect),
                    "{fields} {time}"
                );
                contains_in_order(&output.everything(), &["by each apply"]);
            }
            host.eventually(&format!("[ \"$(cat /tmp/log)\" = {} ]", log.trim()));
        }
    }
}

/// A unit with `on_change_of` is only refreshed by a change.
#[test]
fn a_change_of_configuration_is_noticed_once() {
    let Some(host) = app_host("a_change_of_configuration_is_noticed_once") else { return };
    host.ok("systemctl start app");
    let cases = [
        ("state = \"running\"", "start\n"),
        ("state = \"restarted\"", "start\n"),
        ("state = \"running\"\nreload = true", "reload\n"),
        ("signal_name = \"HUP\"", "hup\n"),
        ("", "start\n"),
        // Other changes of the unit do not cancel the pending notification.
        ("enabled = true", "start\n"),
    ];
    for (number, (fields, log)) in cases.into_iter().enumerate() {
        host.ok("rm -f /tmp/log");
        let module = unit(&format!("unit = \"app\"\n{fields}\non_change_of = [\"file.content.conf\"]"))
            + &format!(
                "file.content \"conf\" {{\n  destination = \"/tmp/conf\"\n  content = \"{number}\"\n}}\n"
            );
        let story = host.story(&module, &[]);
        let last = story.plan.differences("systemd.unit.state.it").pop();
        assert_eq!(
            last,
            Some(difference("refresh", "", "because file.content.conf will change")),
            "{fields}"
        );
        host.eventually(&format!("[ \"$(cat /tmp/log)\" = {} ]", log.trim()));
    }
    assert!(host.unit("app").is_enabled());

    // A stopped unit is not notified.
    host.ok("systemctl stop app; rm -f /tmp/log");
    let module = unit("unit = \"app\"\nstate = \"stopped\"\non_change_of = [\"file.content.conf\"]")
        + "file.content \"conf\" {\n  destination = \"/tmp/conf\"\n  content = \"still\"\n}\n";
    host.story(&module, &[]);
    host.file("/tmp/log").is_absent();
}

#[test]
fn a_unit_is_masked_and_unmasked() {
    let Some(host) = app_host("a_unit_is_masked_and_unmasked") else { return };
    host.ok("systemctl start app");
    let story = host.story(&unit("unit = \"app\"\nstate = \"stopped\"\nmasked = true"), &[]);
    let expect =
        [difference("masked", "not masked", "masked"), difference("state", "active (running)", "stopped")];
    assert_eq!(story.plan.differences("systemd.unit.state.it"), expect);
    assert_eq!(host.run("systemctl start app").code, Some(1));

    let running = unit("unit = \"app\"\nstate = \"running\"");
    let refused = failure(&host.converge("plan", &running, &[]));
    assert_eq!(refused, "app.service is masked, so it cannot be started: write `masked = false`");

    host.story(&unit("unit = \"app\"\nstate = \"running\"\nenabled = true\nmasked = false"), &[]);
    assert!(host.unit("app").is_active() && host.unit("app").is_enabled());

    host.put("/etc/systemd/system/local.service", "[Service]\nExecStart=/bin/sleep infinity\n");
    let refused = failure(&host.converge("apply", &unit("unit = \"local\"\nmasked = true"), &[]));
    contains_in_order(
        &refused,
        &["local.service cannot be masked", "move it to /usr/local/lib/systemd/system"],
    );
}

/// systemd reloads changed unit files and drop-ins.
#[test]
fn unit_files_that_changed_are_read_again() {
    let Some(host) = app_host("unit_files_that_changed_are_read_again") else { return };
    host.ok("systemctl start app");
    let running = unit("unit = \"app\"\nstate = \"running\"");
    let without_reload = unit("unit = \"app\"\nstate = \"running\"\ndaemon_reload = false");
    let expect = [difference("daemon_reload", "unit file changed on disk", "read again")];
    let pid = host.unit("app").property("MainPID");
    host.nothing_to_do(&running, &[]);

    host.put(APP_FILE, APP.replace("An app", "Another app"));
    host.nothing_to_do(&without_reload, &[]);
    assert_eq!(host.story(&running, &[]).plan.differences("systemd.unit.state.it"), expect);
    assert_eq!(host.unit("app").property("Description"), "Another app");

    host.put("/etc/systemd/system/app.service.d/env.conf", "[Service]\nEnvironment=A=1\n");
    assert_eq!(host.story(&running, &[]).plan.differences("systemd.unit.state.it"), expect);
    assert_eq!(host.unit("app").property("Environment"), "A=1");
    // The process keeps running; only a refresh restarts it.
    assert_eq!(host.unit("app").property("MainPID"), pid);

    let module = r#"
file.content "env" {
  destination = "/etc/systemd/system/app.service.d/env.conf"
  content     = "[Service]\nEnvironment=A=2\n"
}

systemd.unit.state "it" {
  unit         = "app"
  state        = "running"
  on_change_of = ["file.content.env"]
}
"#;
    host.story(module, &[]);
    let pid = host.unit("app").property("MainPID");
    let env = host.ok(&format!("tr '\\0' '\\n' < /proc/{pid}/environ"));
    contains_in_order(&env.stdout, &["A=2\n"]);
}

/// The plan allows that an earlier resource brings the unit; then all its changes happen at once.
#[test]
fn the_example_and_other_kinds_of_units() {
    let Some(host) = Host::systemd("the_example_and_other_kinds_of_units") else { return };
    let example = include_str!("../../../converge-resources/src/systemd/unit/example.hcl");
    let story = host.story(example, &[]);
    let planned = story.plan.report("systemd.unit.state.example");
    contains_in_order(&planned.to_string(), &["unit \\\"converge-example.service\\\" does not exist yet"]);
    let pid = host.unit("converge-example").property("MainPID");
    host.story(example, &["-p", "command=/bin/sleep 1000000"]);
    assert_ne!(host.unit("converge-example").property("MainPID"), pid);

    host.put("/etc/systemd/system/echo@.service", "[Service]\nExecStart=/bin/sleep infinity\n");
    host.put(
        "/etc/systemd/system/echo.socket",
        "[Socket]\nListenStream=/run/echo\nAccept=yes\n[Install]\nWantedBy=sockets.target\n",
    );
    host.put(
        "/etc/systemd/system/once.service",
        "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo once >> /tmp/once'\n",
    );
    host.put(
        "/etc/systemd/system/once.timer",
        "[Timer]\nOnCalendar=yearly\n[Install]\nWantedBy=timers.target\n",
    );
    let module = r#"
systemd.unit.state "instance" {
  unit  = "echo@7"
  state = "running"
}

systemd.unit.state "socket" {
  unit    = "echo.socket"
  state   = "running"
  enabled = true
}

systemd.unit.state "timer" {
  unit    = "once.timer"
  state   = "running"
  enabled = true
}

file.content "listen" {
  destination = "/tmp/listen"
  content     = "{{lookup `systemd.unit.state.socket.socket_properties.Listen`}} {{lookup `systemd.unit.state.timer.timer_properties.Unit`}}"
}
"#;
    host.story(module, &[]);
    for name in ["echo@7.service", "echo.socket", "once.timer"] {
        assert!(host.unit(name).is_active(), "{name}");
    }
    host.file("/tmp/listen").is("[[Stream /run/echo]] once.service");
    host.file("/tmp/once").is_absent();

    // A oneshot unit is never running, but can be started.
    let output = host.converge("plan", &unit("unit = \"once\"\nstate = \"running\""), &[]);
    contains_in_order(&failure(&output), &["once.service is of Type=oneshot", "RemainAfterExit=yes"]);
    host.converge("apply", &unit("unit = \"once\"\nstate = \"restarted\""), &[]).success();
    host.file("/tmp/once").is("once\n");
}

#[test]
fn what_does_not_start_says_why() {
    let Some(host) = Host::systemd("what_does_not_start_says_why") else { return };
    let check = |name: &str, service: &str, fields: &str, expect: &[&str]| {
        host.put(&format!("/etc/systemd/system/{name}.service"), service);
        let module = unit(&format!("unit = \"{name}\"\nstate = \"running\"\n{fields}"));
        contains_in_order(&failure(&host.converge("apply", &module, &[])), expect);
    };
    check(
        "noprogram",
        "[Service]\nExecStart=/no/program --fast\n",
        "",
        &[
            "noprogram.service was started, and did not keep running: it is failed",
            "(exit-code: `ExecStart=/no/program --fast` ended with status 203/EXEC)",
            "its journal:",
            // On a busy machine, the journal loses messages of the process that replaces the program.
            "Main process exited, code=exited, status=203/EXEC",
        ],
    );
    check(
        "dies",
        "[Service]\nExecStart=/bin/sh -c 'echo about to die; exit 3'\n",
        "",
        &["dies.service was started, and did not keep running", "ended with status 3)", "about to die"],
    );
    check(
        "again",
        "[Service]\nExecStart=/bin/false\nRestart=always\nRestartSec=100\n",
        "",
        &["again.service was started, and did not keep running: it is activating (auto-restart)", "status 1"],
    );
    check(
        "before",
        "[Service]\nType=exec\nExecStartPre=/bin/sh -c 'echo no port; exit 9'\nExecStart=/bin/sleep infinity\n",
        "",
        &[
            "could not start before.service: it failed",
            "`ExecStartPre=/bin/sh -c echo no port; exit 9`",
            "status 9",
            "no port",
        ],
    );
    check(
        "unready",
        "[Service]\nType=notify\nTimeoutStartSec=1\nExecStart=/bin/sleep infinity\n",
        "",
        &["could not start unready.service: it failed (timeout", "start operation timed out"],
    );
    check(
        "patient",
        "[Service]\nType=notify\nExecStart=/bin/sleep infinity\n",
        // A fifth of the timeout is reserved for the error message, which is enough on a busy machine too.
        "timeout = \"20s\"",
        &[
            "patient.service did not start within 1",
            "it is still activating (start)",
            "Starting patient.service",
        ],
    );
    check(
        "needy",
        "[Unit]\nRequires=dies2.service\nAfter=dies2.service\n[Service]\nExecStart=/bin/sleep infinity\n",
        "",
        &["dies2.service"],
    );
    check(
        "conditional",
        "[Unit]\nConditionPathExists=!/etc\n[Service]\nExecStart=/bin/sleep infinity\n",
        "",
        &["a condition in its file does not hold: ConditionPathExists=!/etc"],
    );
    check(
        "wrong",
        "[Service]\nType=simple\n",
        "",
        &[
            "wrong.service cannot be started, as its file is wrong",
            "its journal:",
            "Service has no ExecStart=",
        ],
    );
    let output = host.converge("plan", &unit("unit = \"nothing\"\nstate = \"running\""), &[]);
    contains_in_order(&failure(&output), &["unit \"nothing.service\" does not exist"]);

    // After the unit is fixed, the apply succeeds.
    host.put("/etc/systemd/system/noprogram.service", "[Service]\nExecStart=/bin/sleep infinity\n");
    host.put("/etc/systemd/system/wrong.service", "[Service]\nExecStart=/bin/sleep infinity\n");
    for name in ["noprogram", "wrong"] {
        host.story(&unit(&format!("unit = \"{name}\"\nstate = \"running\"")), &[]);
        assert!(host.unit(name).is_active());
    }

    // A second failing unit that the first one requires by name.
    host.put("/etc/systemd/system/dies2.service", "[Service]\nType=oneshot\nExecStart=/bin/false\n");
    let output = host.converge("apply", &unit("unit = \"needy\"\nstate = \"running\""), &[]);
    contains_in_order(
        &failure(&output),
        &["could not start needy.service: it needs dies2.service, which is failed"],
    );

    // A user who may read the state may not change it.
    host.ok("useradd joe");
    host.put("/tmp/joe.hcl", unit("unit = \"wrong\"\nstate = \"stopped\""));
    let output = host.run("cd /tmp && su joe -s /bin/sh -c 'HOME=/tmp converge apply /tmp/joe.hcl'");
    assert_eq!(output.code, Some(1), "{}", output.everything());
    contains_in_order(&output.stdout, &["this user may not stop wrong.service: run converge as root"]);
}

#[test]
fn a_bus_that_is_away_is_an_error_and_a_later_apply_completes() {
    let Some(host) = app_host("a_bus_that_is_away_is_an_error") else { return };
    let running = unit("unit = \"app\"\nstate = \"running\"\ntimeout = \"20s\"");
    host.ok("systemctl stop dbus.socket dbus.service");
    for command in ["plan", "apply"] {
        let output = failure(&host.converge(command, &running, &[]));
        contains_in_order(
            &output,
            &[
                "the system bus cannot be reached at /run/dbus/system_bus_socket",
                "systemctl start dbus.socket",
            ],
        );
    }
    host.ok("systemctl start dbus.socket");
    host.story(&running, &[]);

    // The bus exists but does not answer.
    host.ok("pkill -STOP -x dbus-daemon");
    let hangs = unit("unit = \"app\"\nstate = \"stopped\"\ntimeout = \"3s\"");
    let output = failure(&host.converge("apply", &hangs, &[]));
    contains_in_order(&output, &["the system bus at /run/dbus/system_bus_socket did not answer within"]);
    host.ok("pkill -CONT -x dbus-daemon");
    host.story(&unit("unit = \"app\"\nstate = \"stopped\""), &[]);
}

/// A service with its timer, a refused file that is never placed, and a drop-in for another unit.
#[test]
fn files_of_units() {
    let Some(host) = Host::systemd("files_of_units") else { return };
    let timer = r#"
systemd.unit.file "service" {
  unit     = "nightly"
  sections = { Service = { Type = "oneshot", ExecStart = "/bin/true" } }
}
systemd.unit.file "timer" {
  unit    = "nightly.timer"
  enabled = true
  depends = ["systemd.unit.file.service"]
  content = "[Timer]\nOnCalendar=daily\n[Install]\nWantedBy=timers.target\n"
}
systemd.unit.file "drop_in" {
  unit     = "dbus"
  drop_in  = "nice"
  sections = { Service = { Nice = "5" } }
}
"#;
    let story = host.story(timer, &[]);
    assert_eq!(story.apply.report("systemd.unit.file.timer")["outcome"], "changed");
    assert_eq!(host.ok("systemctl is-enabled nightly.timer").stdout.trim(), "enabled");
    assert_eq!(host.ok("systemctl show --value --property=Nice dbus").stdout.trim(), "5");

    let bad = r#"
systemd.unit.file "it" {
  unit    = "nightly"
  content = "[Service]\nType=oneshot\nExecStart=/no/such/program\n"
}
"#;
    let output = host.converge("apply", bad, &[]);
    let report = output.report("systemd.unit.file.it");
    let message = report["failure"]["message"].as_str().unwrap_or_default();
    contains_in_order(message, &["`systemd-analyze verify` refuses it: nightly.service", "/no/such/program"]);
    assert!(host.ok("cat /etc/systemd/system/nightly.service").stdout.contains("/bin/true"));

    let removal = "systemd.unit.file \"it\" {\n  unit  = \"nightly.timer\"\n  state = \"absent\"\n}\n";
    host.story(removal, &[]);
    assert_eq!(host.ok("systemctl list-unit-files --no-legend nightly.timer | wc -l").stdout.trim(), "0");
}

/// Two resources of one unit, one to restart and one to reload it, act one after the other.
#[test]
fn a_restart_and_a_reload_of_one_unit_take_turns() {
    let Some(host) = app_host("a_restart_and_a_reload_of_one_unit_take_turns") else { return };
    host.put(APP_FILE, APP.replace("echo reload", "echo begin >> /tmp/log; sleep 0.5; echo reload"));
    let file = |name: &str| {
        format!("file.content \"{name}\" {{\n  destination = \"/tmp/{name}\"\n  content = \"1\"\n}}\n")
    };
    let state = |name: &str, fields: &str, on_change_of: &str| {
        format!(
            "systemd.unit.state \"{name}\" {{\n  unit = \"app\"\n  state = \"running\"\n  {fields}\n  \
             on_change_of = [\"file.content.{on_change_of}\"]\n}}\n"
        )
    };
    let restart_first = [
        state("restart", "", "program"),
        state("reload", "reload = true", "conf"),
        file("program"),
        file("conf"),
    ];
    let reload_first =
        [&restart_first[1], &restart_first[0], &restart_first[2], &restart_first[3]].map(String::as_str);
    // A start counts as the reload; a reload is not interrupted.
    for (module, log) in
        [(restart_first.concat(), "start\n"), (reload_first.concat(), "begin\nreload\nstart\n")]
    {
        host.ok(
            "rm -f /tmp/program /tmp/conf; systemctl daemon-reload; systemctl restart app; rm -f /tmp/log",
        );
        host.story(&module, &[]);
        host.file("/tmp/log").is(log);
        // A unit that has failed is started once.
        host.ok("rm -f /tmp/program /tmp/conf; systemctl kill -s KILL app; sleep 0.5; rm -f /tmp/log");
        host.converge("apply", &module, &[]).success();
        host.converge("plan", &module, &[]).success().has_nothing_to_do();
        host.file("/tmp/log").is("start\n");
        assert!(host.unit("app").is_active());
    }
}
