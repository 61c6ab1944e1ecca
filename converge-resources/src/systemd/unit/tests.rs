use std::path::PathBuf;

use converge_sdk::prelude::*;
use converge_sdk::system::{Address, ModelSystem, Platform, System};
use insta::assert_snapshot;

use super::UnitPreparer;
use super::decide::{Decision, DesiredUnit, Trigger, UnitState};
use super::error::Refusal;
use super::signal::Signal;
use super::snapshot::{Active, Facts, FileState, Load};
use crate::systemd::manager::{FileChange, JobKind, Persistence};
use crate::testing::{Written, plan, plan_pending};

/// A declaration without any fields.
const ANY: DesiredUnit = DesiredUnit {
    state: None,
    reload: false,
    signal: None,
    enabled: None,
    masked: None,
    daemon_reload: true,
};
const RUNNING: DesiredUnit = DesiredUnit { state: Some(UnitState::Running), ..ANY };
const STOPPED: DesiredUnit = DesiredUnit { state: Some(UnitState::Stopped), ..ANY };
const RESTARTED: DesiredUnit = DesiredUnit { state: Some(UnitState::Restarted), ..ANY };

/// Returns the facts of a running service.
fn up() -> Facts {
    Facts {
        id: "app.service".to_owned(),
        load: Load::Loaded,
        active: Active::Active,
        sub: "running".to_owned(),
        file: FileState::Disabled,
        stale: false,
        can_start: true,
        can_stop: true,
        can_reload: true,
        ends_by_itself: false,
    }
}

/// Returns the facts of the same service while it is stopped.
fn down() -> Facts {
    Facts { active: Active::Inactive, sub: "dead".to_owned(), ..up() }
}

fn signal() -> Option<Signal> {
    "HUP".parse().ok()
}

/// Formats the operations of a decision, in order.
fn words(decided: &Result<Decision, Refusal>) -> String {
    let decision = match decided {
        Ok(decision) => decision,
        Err(refusal) => return refusal.to_string(),
    };
    let mut words: Vec<String> = Vec::new();
    words.extend(decision.unmask.map(|persistence| format!("unmask {persistence:?}")));
    words.extend(decision.daemon_reload.then(|| "daemon-reload".to_owned()));
    words.extend(decision.boot.iter().map(|change| format!("{change:?}")));
    words.extend(decision.job.map(|job| format!("{job:?}")));
    words.extend(decision.signal.map(|signal| signal.to_string()));
    words.extend(decision.mask.then(|| "mask".to_owned()));
    words.extend(decision.warnings.iter().map(|warning| format!("warning: {warning}")));
    assert_eq!(decision.is_nothing(), words.len() == decision.warnings.len(), "{decision:?}");
    words.join(", ")
}

#[track_caller]
fn check(target: DesiredUnit, facts: &Facts, trigger: Trigger, expect: &str) {
    assert_eq!(words(&target.decide(facts, trigger)), expect, "{target:?} {trigger:?} {facts:?}");
}

#[test]
fn states() {
    let check = |wanted, active, sub: &str, expect| {
        check(wanted, &Facts { active, sub: sub.to_owned(), ..up() }, Trigger::None, expect);
    };
    check(ANY, Active::Active, "running", "");
    check(ANY, Active::Inactive, "dead", "");
    check(ANY, Active::Failed, "failed", "");
    check(RUNNING, Active::Active, "running", "");
    check(RUNNING, Active::Active, "exited", "");
    check(RUNNING, Active::Reloading, "reload", "");
    check(RUNNING, Active::Inactive, "dead", "Start");
    check(RUNNING, Active::Failed, "failed", "Start");
    check(RUNNING, Active::Activating, "start", "Start");
    check(RUNNING, Active::Activating, "auto-restart", "Start");
    check(RUNNING, Active::Deactivating, "stop-sigterm", "Start");
    check(STOPPED, Active::Active, "running", "Stop");
    check(STOPPED, Active::Reloading, "reload", "Stop");
    check(STOPPED, Active::Activating, "auto-restart", "Stop");
    check(STOPPED, Active::Deactivating, "stop-sigterm", "Stop");
    check(STOPPED, Active::Inactive, "dead", "");
    check(STOPPED, Active::Failed, "failed", "");
    check(RESTARTED, Active::Inactive, "dead", "Start");
    check(RESTARTED, Active::Active, "running", "");
}

#[test]
fn what_takes_notice() {
    let check = |wanted, facts: &Facts, each: &str, change: &str| {
        super::tests::check(wanted, facts, Trigger::EachApply, each);
        super::tests::check(wanted, facts, Trigger::Change, change);
    };
    let no_reload = Facts { can_reload: false, ..up() };
    check(RUNNING, &up(), "", "Restart");
    check(RUNNING, &down(), "Start", "Start");
    check(STOPPED, &down(), "", "");
    check(STOPPED, &up(), "Stop", "Stop");
    check(ANY, &up(), "", "TryRestart");
    check(ANY, &down(), "", "");
    check(RESTARTED, &up(), "Restart", "Restart");
    check(RESTARTED, &down(), "Start", "Start");

    let reload = |target| DesiredUnit { reload: true, ..target };
    check(reload(RUNNING), &up(), "Reload", "Reload");
    check(reload(RUNNING), &no_reload, "Restart", "Restart");
    check(reload(RUNNING), &down(), "Start", "Start");
    check(reload(RESTARTED), &up(), "Reload", "Reload");
    check(reload(ANY), &up(), "Reload", "Reload");
    check(reload(ANY), &no_reload, "TryRestart", "TryRestart");
    check(reload(STOPPED), &up(), "Stop", "Stop");

    let signal = |target| DesiredUnit { signal: signal(), ..target };
    check(signal(RUNNING), &up(), "SIGHUP", "SIGHUP");
    check(signal(RUNNING), &down(), "Start", "Start");
    check(signal(ANY), &up(), "SIGHUP", "SIGHUP");
    check(signal(ANY), &down(), "", "");
    check(signal(RESTARTED), &up(), "Restart", "Restart");
    check(signal(reload(RUNNING)), &up(), "Reload, SIGHUP", "Reload, SIGHUP");
    check(signal(STOPPED), &up(), "Stop", "Stop");
}

#[test]
fn at_boot() {
    let check = |enabled, file, expect: &str| {
        let target = DesiredUnit { enabled: Some(enabled), ..ANY };
        check(target, &Facts { file, ..up() }, Trigger::None, expect);
    };
    let (always, until_boot) = (Persistence::Permanent, Persistence::Runtime);
    check(true, FileState::Disabled, "Enable");
    check(true, FileState::Linked, "Enable");
    check(true, FileState::Enabled(until_boot), "Enable");
    check(true, FileState::Enabled(always), "");
    check(
        true,
        FileState::Alias,
        "warning: app.service is another name of a unit, so `enabled = true` changes nothing: write the unit's own name",
    );
    check(
        true,
        FileState::Indirect,
        "app.service cannot be enabled itself, as its [Install] section names only other units (`Also=`): write `enabled` \
         for those units",
    );
    check(false, FileState::Indirect, "");
    check(
        true,
        FileState::Static,
        "warning: app.service has no [Install] section, so it cannot be enabled: it is only started by others",
    );
    check(
        true,
        FileState::Generated,
        "warning: app.service cannot be enabled, as its file is generated: it is started at boot only when others ask for it",
    );
    check(
        true,
        FileState::Masked(always),
        "app.service is masked, so it cannot be enabled: write `masked = false`",
    );
    check(false, FileState::Enabled(always), "Disable(Permanent)");
    check(false, FileState::Enabled(until_boot), "Disable(Runtime)");
    check(false, FileState::Disabled, "");
    check(false, FileState::Static, "");
    check(false, FileState::Masked(always), "");
    check(false, FileState::Linked, "");
}

#[test]
fn masks() {
    let (always, until_boot) =
        (FileState::Masked(Persistence::Permanent), FileState::Masked(Persistence::Runtime));
    let mask = |wanted, masked| DesiredUnit { masked: Some(masked), ..wanted };
    let with_file = |facts, file| Facts { file, ..facts };
    let masked = Facts { load: Load::Masked, can_start: false, ..with_file(down(), always) };
    check(mask(ANY, true), &up(), Trigger::None, "mask");
    check(mask(STOPPED, true), &up(), Trigger::None, "Stop, mask");
    check(mask(ANY, true), &with_file(up(), until_boot), Trigger::None, "mask");
    check(mask(ANY, true), &masked, Trigger::None, "");
    // The links are as declared, but systemd has not been told.
    check(mask(ANY, true), &with_file(up(), always), Trigger::None, "daemon-reload");
    let unmasked = with_file(masked.clone(), FileState::Disabled);
    check(mask(ANY, false), &unmasked, Trigger::None, "daemon-reload");
    check(mask(RUNNING, false), &unmasked, Trigger::None, "daemon-reload, Start");
    check(mask(ANY, false), &up(), Trigger::None, "");
    check(mask(ANY, false), &masked, Trigger::None, "unmask Permanent");
    check(mask(RUNNING, false), &masked, Trigger::None, "unmask Permanent, Start");
    check(
        mask(RUNNING, false),
        &with_file(masked.clone(), until_boot),
        Trigger::None,
        "unmask Runtime, Start",
    );
    let target = DesiredUnit { enabled: Some(true), ..mask(RUNNING, false) };
    check(target, &masked, Trigger::None, "unmask Permanent, Enable, Start");
    let refused = "app.service is masked, so it cannot be started: write `masked = false`";
    check(RUNNING, &masked, Trigger::None, refused);
    check(RUNNING, &with_file(up(), always), Trigger::None, "");
    check(RUNNING, &with_file(up(), always), Trigger::Change, refused);
    check(STOPPED, &masked, Trigger::None, "");
    // A name can be masked before a unit with it exists.
    let missing = Facts { load: Load::NotFound, ..with_file(down(), FileState::Missing) };
    check(mask(STOPPED, true), &missing, Trigger::None, "mask");
}

#[test]
fn unit_files() {
    let stale = |facts| Facts { stale: true, ..facts };
    let bad = || Facts { load: Load::Bad { reason: "no ExecStart".to_owned() }, can_start: false, ..down() };
    let without_reload = DesiredUnit { daemon_reload: false, ..RUNNING };
    check(ANY, &stale(up()), Trigger::None, "daemon-reload");
    check(RUNNING, &stale(up()), Trigger::Change, "daemon-reload, Restart");
    check(without_reload, &stale(up()), Trigger::None, "");
    check(
        RUNNING,
        &bad(),
        Trigger::None,
        "app.service cannot be started, as its file is wrong: no ExecStart",
    );
    // The error may have been fixed since systemd read the file.
    check(RUNNING, &stale(bad()), Trigger::None, "daemon-reload, Start");
    check(STOPPED, &bad(), Trigger::None, "");
    check(ANY, &bad(), Trigger::None, "");
    let missing = Facts { load: Load::NotFound, file: FileState::Missing, ..down() };
    let nothing = "unit \"app.service\" does not exist: install its package, or write its file first and depend on that";
    for target in [ANY, RUNNING, STOPPED, RESTARTED] {
        check(target, &missing, Trigger::None, nothing);
    }
}

#[test]
fn what_systemd_does_not_do_by_hand() {
    let message_for = |verb: &str| {
        format!(
            "app.service cannot be {verb} by itself: systemd only does that when another unit asks for it"
        )
    };
    check(RUNNING, &Facts { can_start: false, ..down() }, Trigger::None, &message_for("started"));
    check(RUNNING, &Facts { can_start: false, ..up() }, Trigger::None, "");
    check(STOPPED, &Facts { can_stop: false, ..up() }, Trigger::None, &message_for("stopped"));
}

#[test]
fn what_ends_by_itself() {
    let passing = |facts| Facts { ends_by_itself: true, ..facts };
    let message = "app.service is of Type=oneshot and ends when its work is done, so it is never running: write \
                 RemainAfterExit=yes in its file, or `state = \"restarted\"` to run it";
    check(RUNNING, &passing(down()), Trigger::None, message);
    check(RESTARTED, &passing(down()), Trigger::None, "");
    check(RESTARTED, &passing(down()), Trigger::EachApply, "Restart");
    check(RESTARTED, &passing(down()), Trigger::Change, "Restart");
    check(STOPPED, &passing(down()), Trigger::Change, "");
}

#[test]
fn differences() {
    let render = |wanted: DesiredUnit, facts: &Facts| {
        let decision = wanted.decide(facts, Trigger::EachApply).unwrap();
        let line = |(name, before, after): (&str, String, String)| format!("{name}: {before} => {after}");
        decision.differences(facts).into_iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let masked = FileState::Masked(Persistence::Permanent);
    let target = DesiredUnit { enabled: Some(true), masked: Some(false), ..RUNNING };
    assert_snapshot!(render(target, &Facts { stale: true, file: masked, ..down() }), @"
    daemon_reload: unit file changed on disk => read again
    masked: masked => not masked
    enabled: masked => enabled
    state: inactive (dead) => running
    ");
    let target = DesiredUnit { enabled: Some(false), masked: Some(true), ..STOPPED };
    assert_snapshot!(render(target, &Facts { file: FileState::Enabled(Persistence::Permanent), ..up() }), @"
    masked: not masked => masked
    enabled: enabled => disabled
    state: active (running) => stopped
    ");
    let target = DesiredUnit { reload: true, signal: signal(), ..RUNNING };
    assert_snapshot!(render(target, &up()), @"
    state: active (running) => reloaded
    signal:  => SIGHUP
    ");
    assert_snapshot!(render(RUNNING, &Facts { active: Active::Failed, sub: "failed".to_owned(), ..up() }), @"state: failed => running");
}

#[test]
fn a_change_of_files_is_for_good() {
    let enabled = Facts { file: FileState::Enabled(Persistence::Runtime), ..up() };
    let target = DesiredUnit { enabled: Some(false), ..ANY };
    let decision = target.decide(&enabled, Trigger::None).unwrap();
    assert_eq!(decision.boot, [FileChange::Disable(Persistence::Runtime)]);
    assert_eq!(decision.job, None::<JobKind>);
}

/// Returns the fields of a module for a running unit.
fn running() -> Vec<(&'static str, Value)> {
    vec![("unit", "nginx".into()), ("state", "running".into())]
}

fn bus() -> Address {
    Address::Unix(PathBuf::from("/run/dbus/system_bus_socket"))
}

fn platform(os: &str) -> Platform {
    let mut platform = Platform::default();
    os.clone_into(&mut platform.os);
    platform
}

/// Returns a host that systemd runs.
fn booted() -> ModelSystem {
    ModelSystem::new().with_platform(platform("linux")).with_dir("/run/systemd/system")
}

async fn said(machine: ModelSystem, fields: Written<'_>) -> String {
    let system: std::sync::Arc<dyn System> = std::sync::Arc::new(machine);
    plan::<UnitPreparer>(&system, fields).await
}

#[tokio::test]
async fn machines_without_systemd() {
    let without_systemd = ModelSystem::new().with_platform(platform("linux"));
    assert_snapshot!(said(without_systemd, &running()).await, @"error: systemd.unit.state is not supported on linux: systemd does not run this machine: there is no /run/systemd/system");
    let mac = ModelSystem::new().with_platform(platform("macos"));
    assert_snapshot!(said(mac, &running()).await, @"error: systemd.unit.state is not supported on macos: systemd exists only on Linux");
}

#[tokio::test]
async fn a_bus_that_is_away() {
    assert_snapshot!(said(booted(), &running()).await, @"error: the system bus cannot be reached at /run/dbus/system_bus_socket: it does not exist; start it with `systemctl start dbus.socket`, or install the package `dbus`");
    let elsewhere = booted().with_env("DBUS_SYSTEM_BUS_ADDRESS", "tcp:host=bus,port=1");
    assert_snapshot!(said(elsewhere, &running()).await, @"error: the system bus cannot be reached at bus:1: connection refused; start it with `systemctl start dbus.socket`, or install the package `dbus`");
    let invalid = booted().with_env("DBUS_SYSTEM_BUS_ADDRESS", "somewhere");
    assert_snapshot!(said(invalid, &running()).await, @r#"error: DBUS_SYSTEM_BUS_ADDRESS is "somewhere": an address is written like `unix:path=/run/dbus/system_bus_socket`"#);
    // The listener in the model sends nothing.
    let mute = booted().with_listener(bus());
    assert_snapshot!(said(mute, &running()).await, @"error: the system bus at /run/dbus/system_bus_socket did not accept the connection: D-Bus handshake failed: Unexpected EOF during handshake");
}

#[tokio::test]
async fn what_comes_first_may_bring_the_bus() {
    let system: std::sync::Arc<dyn System> = std::sync::Arc::new(booted());
    assert_snapshot!(plan_pending::<UnitPreparer>(&system, &running()).await, @"
    may change
    # the system bus at /run/dbus/system_bus_socket is not there yet
    ");
}

#[tokio::test]
async fn what_cannot_be_declared() {
    let check = async |written: &[(&'static str, Value)], expect: &str| {
        let fields: Vec<_> = [("unit", Value::from("nginx"))].iter().chain(written).cloned().collect();
        assert_eq!(said(booted(), &fields).await, format!("error: {expect}"));
    };
    let text = |text: &str| Value::from(text);
    check(
        &[("masked", true.into()), ("state", text("running"))],
        "masked: a masked unit cannot be started: `masked` and `state` contradict each other",
    )
    .await;
    check(
        &[("masked", true.into()), ("enabled", true.into())],
        "masked: a masked unit is never started at boot: `masked` and `enabled` contradict each other",
    )
    .await;
    check(
        &[("signal_name", text("hup")), ("signal_number", 1.into())],
        "signal_number: `signal_name` and `signal_number` are mutually exclusive",
    )
    .await;
    check(&[("signal_number", 32.into())], "signal_number: 32 is out of range: at least 1 and at most 31")
        .await;
    check(
        &[("signal_name", text("sighop"))],
        "signal_name: \"sighop\" is not a signal: write a name like \"HUP\" or \"SIGUSR1\"; see signal(7)",
    )
    .await;
    check(&[("state", text("started"))], "state: \"started\" is not one of running, stopped, restarted")
        .await;
    let unit = "unit: \"a b\" is not the name of a unit: ` ` is not allowed in the name of a unit: escape it with `systemd-escape`";
    assert_eq!(said(booted(), &[("unit", text("a b"))]).await, format!("error: {unit}"));
}
