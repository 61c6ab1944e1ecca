//! Tests that the model of systemd behaves like systemd.
//!
//! The tests of `systemd.unit.state`, `.file` and `systemd.query` use the model.

#[path = "../../../converge-resources/src/systemd/model/units/mod.rs"]
mod units;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use converge_core::system::{Machine, ModelSystem};
use converge_tests::host::Host;

use units::{FOLDERS, Job, Property, Refused};

/// The maximum time for systemd to reach the state of the model.
const PATIENCE: Duration = Duration::from_secs(30);

const UNIT: &str = "app.service";

const RUNS: &str = "[Service]\nExecStart=/bin/sleep infinity\n";
const INSTALLED: &str = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n";
const ENDS: &str = "[Service]\nExecStart=/bin/true\n";
const FAILS: &str = "[Service]\nExecStart=/bin/false\n";
const RELOADS: &str = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/true\n";
const RELOADS_BADLY: &str = "[Service]\nExecStart=/bin/sleep infinity\nExecReload=/bin/false\n";
const ONCE: &str = "[Service]\nType=oneshot\nExecStart=/bin/true\n";
const STAYS: &str = "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n";
const ONCE_FAILS: &str = "[Service]\nType=oneshot\nExecStart=/bin/false\n";
const SLOW: &str =
    "[Service]\nExecStartPre=/bin/sleep 1\nExecStart=/bin/sleep infinity\nExecStop=/bin/sleep 1\n";
const SLOW_FAILS: &str = "[Service]\nExecStartPre=/bin/false\nExecStart=/bin/sleep infinity\n";
const NEVER_READY: &str = "[Service]\nType=notify\nTimeoutStartSec=1\nExecStart=/bin/sleep infinity\n";
const REFUSES: &str = "[Unit]\nRefuseManualStart=yes\n[Service]\nExecStart=/bin/sleep infinity\n";
const WRONG: &str = "[Service]\nType=simple\n";

/// A step of a scenario.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Writes the unit file.
    Write(&'static str),
    /// Writes a drop-in with this name.
    Extend(&'static str),
    /// Removes the unit file.
    Remove,
    /// Runs a `systemctl` command on the unit.
    Do(&'static str),
    Signal(i32),
}

use Step::{Do, Extend, Remove, Signal, Write};

/// The scenarios, each of which starts without the unit.
const STORIES: &[&[Step]] = &[
    &[Do("start"), Do("stop"), Do("enable"), Do("reset-failed")],
    &[Write(RUNS), Do("start"), Do("start"), Do("restart"), Do("stop"), Do("stop"), Do("enable")],
    &[
        Write(INSTALLED),
        Do("enable"),
        Do("start"),
        Do("enable"),
        Do("reenable"),
        Do("disable"),
        Do("disable"),
        Do("stop"),
    ],
    &[Write(ENDS), Do("start"), Do("try-restart")],
    &[Write(FAILS), Do("start"), Do("stop"), Write(RUNS), Do("daemon-reload"), Do("start")],
    &[Write(FAILS), Do("start"), Do("reset-failed"), Do("reset-failed")],
    &[Write(RELOADS), Do("reload"), Do("start"), Do("reload")],
    &[Write(RELOADS_BADLY), Do("start"), Do("reload")],
    &[Write(RUNS), Do("start"), Do("reload"), Do("try-restart")],
    &[Write(ONCE), Do("start"), Do("restart")],
    &[Write(STAYS), Do("start"), Do("stop")],
    &[Write(ONCE_FAILS), Do("start")],
    &[Write(SLOW), Do("start"), Do("restart"), Do("stop")],
    &[Write(SLOW_FAILS), Do("start")],
    &[Write(NEVER_READY), Do("start")],
    &[Write(REFUSES), Do("start")],
    &[Write(WRONG), Do("start")],
    &[Write(INSTALLED), Do("mask"), Do("start"), Do("enable"), Do("mask"), Do("unmask"), Do("start")],
    // The unit is masked while it runs, which systemd notices after a reload.
    &[
        Write(RUNS),
        Do("start"),
        Do("mask"),
        Do("restart"),
        Do("daemon-reload"),
        Do("restart"),
        Do("unmask"),
        Do("start"),
        Do("daemon-reload"),
        Do("start"),
    ],
    &[Do("mask"), Do("start"), Do("unmask")],
    // A file and a first drop-in are written while the unit runs, which systemd does not notice.
    &[Write(RUNS), Do("start"), Write(RELOADS), Do("reload"), Do("daemon-reload"), Do("reload")],
    &[Write(RUNS), Do("start"), Extend("first"), Do("daemon-reload"), Extend("second"), Do("daemon-reload")],
    &[Write(RUNS), Do("start"), Remove, Do("daemon-reload"), Do("stop")],
    &[Write(RUNS), Do("start"), Signal(15), Do("start"), Signal(9)],
];

/// The compared properties.
const LOOKED_AT: [&str; 10] = [
    "ActiveState",
    "CanReload",
    "CanStart",
    "CanStop",
    "DropInPaths",
    "FragmentPath",
    "LoadState",
    "NeedDaemonReload",
    "Result",
    "SubState",
];

#[test]
fn the_model_does_what_systemd_does() {
    let Some(host) = Host::systemd("the_model_does_what_systemd_does") else { return };
    let file = format!("{}/{UNIT}", FOLDERS[2]);
    let folder = format!("{file}.d");
    host.ok(&format!("mkdir -p {}", FOLDERS[2]));
    let query = format!(
        "systemctl show --property={} {UNIT}; systemctl is-enabled {UNIT} 2> /dev/null; true",
        LOOKED_AT.join(",")
    );
    for story in STORIES {
        let mut machine = ModelSystem::new().with_dir(FOLDERS[0]).machine();
        for (number, step) in story.iter().enumerate() {
            let host_result = match step {
                Write(text) => write(&host, &file, text),
                Extend(name) => {
                    host.ok(&format!("mkdir -p {folder}"));
                    write(&host, &format!("{folder}/{name}.conf"), "[Service]\nNice=5\n")
                }
                Remove => host.ok(&format!("rm {file}")).code == Some(0),
                Signal(signal) => {
                    host.run(&format!("systemctl kill --signal={signal} {UNIT}")).code == Some(0)
                }
                Do(verb @ ("enable" | "disable" | "reenable" | "mask" | "unmask")) => {
                    host.run(&format!("systemctl --no-reload {verb} {UNIT}")).code == Some(0)
                }
                Do("daemon-reload") => host.ok("systemctl daemon-reload").code == Some(0),
                Do(verb) => host.run(&format!("systemctl {verb} {UNIT}")).code == Some(0),
            };
            let modelled = on_the_model(&mut machine, *step);
            let place = format!("step {number}, {step:?}, of {story:#?}");
            assert_eq!(host_result, modelled.is_ok(), "{modelled:?} {place}");
            let expect = seen(&machine);
            let began = Instant::now();
            loop {
                let actual: BTreeSet<String> = host.ok(&query).stdout.lines().map(str::to_owned).collect();
                if actual == expect {
                    break;
                }
                assert!(
                    began.elapsed() < PATIENCE,
                    "systemd says {actual:#?}, the model {expect:#?}: {place}"
                );
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        host.run(&format!(
            "systemctl disable {UNIT}; systemctl stop {UNIT}; systemctl unmask {UNIT}; rm -rf {file} {folder}"
        ));
        host.ok(&format!("systemctl daemon-reload; systemctl reset-failed {UNIT}; true"));
    }
}

fn write(host: &Host, path: &str, text: &str) -> bool {
    host.put(path, text);
    true
}

fn on_the_model(machine: &mut Machine, step: Step) -> Result<(), Refused> {
    let file = format!("{}/{UNIT}", FOLDERS[2]);
    let mut job = |job| {
        let job_in_progress = units::begin(machine, UNIT, job)?;
        let result = units::finish(machine, &job_in_progress);
        if result == "done" {
            return Ok(());
        }
        Err(Refused { name: "job", says: format!("{result} after {:?}", job_in_progress.takes) })
    };
    match step {
        Write(text) => machine.put_file(file, text),
        Extend(name) => machine.put_file(format!("{file}.d/{name}.conf"), "[Service]\nNice=5\n"),
        Remove => machine.remove(file),
        Signal(signal) => units::kill(machine, UNIT, signal),
        Do("start") => return job(Job::Start),
        Do("stop") => return job(Job::Stop),
        Do("restart") => return job(Job::Restart),
        Do("try-restart") => return job(Job::TryRestart),
        Do("reload") => return job(Job::Reload),
        Do("reset-failed") => return units::reset_failed(machine, UNIT),
        Do("enable") => return units::enable(machine, UNIT),
        Do("reenable") => return units::reenable(machine, UNIT),
        Do("disable") => units::disable(machine, UNIT, false),
        Do("mask") => return units::mask(machine, UNIT),
        Do("unmask") => units::unmask(machine, UNIT, false),
        Do("daemon-reload") => units::reload_files(machine),
        Do(verb) => panic!("the model does not {verb}"),
    }
    Ok(())
}

/// Returns the properties of the model in the format of `systemctl`.
fn seen(machine: &Machine) -> BTreeSet<String> {
    let properties =
        units::unit_properties(machine, UNIT).into_iter().chain(units::own_properties(machine, UNIT));
    let looked_at = properties.filter(|(name, _)| LOOKED_AT.contains(name));
    let lines = looked_at.map(|(name, property)| {
        let value = match property {
            Property::Text(text) => text,
            Property::Flag(flag) => if flag { "yes" } else { "no" }.to_owned(),
            Property::Number(number) => number.to_string(),
            Property::Texts(texts) => texts.join(" "),
            Property::Error(name, says) => format!("{name} {says}"),
        };
        format!("{name}={value}")
    });
    let state = units::file_state(machine, UNIT);
    lines.chain(state.ok()).collect()
}
