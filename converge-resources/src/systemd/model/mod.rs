//! systemd on the model host: D-Bus over the socket of the system bus, and the programs of systemd.
//!
//! Its state is part of the host, so that a crash treats it like other state. The scenarios of
//! `tests/tests/hosts/systemd_model.rs` verify that the real systemd answers like this.

mod bus;
mod message;
mod units;

use converge_sdk::system::{Address, Command, Machine, ModelSystem, Output};

use units::{Job, Property};

const BUS: &str = "/run/dbus/system_bus_socket";

/// Returns a host that systemd runs, without any units.
pub(super) fn booted() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/etc/systemd/system")
        .with_dir("/run/systemd/system")
        .with_dir("/tmp")
        .with_file("/usr/bin/systemctl", "")
        .with_file("/usr/bin/systemd-analyze", "")
        .with_program(systemctl)
        .with_speaker(Address::Unix(BUS.into()), || Box::new(bus::Bus::default()))
}

/// A service that runs until it is stopped.
const APP: &str =
    "[Service]\nExecStart=/usr/sbin/app\nExecReload=/bin/true\n[Install]\nWantedBy=multi-user.target\n";

/// The directory of unit files from packages.
const PACKAGES: &str = "/usr/lib/systemd/system";

/// The units of [`packaged`], and one that does not exist.
pub(super) const UNITS: [&str; 9] = [
    "app.service",
    "edited.service",
    "slow.service",
    "plain.service",
    "web.socket",
    "once.service",
    "broken.service",
    "never.service",
    "ghost.service",
];

/// Returns a host with units as packages install them, none of which runs.
pub(super) fn packaged() -> ModelSystem {
    let put_unit =
        |machine: &mut Machine, unit: &str, text: &str| machine.put_file(format!("{PACKAGES}/{unit}"), text);
    booted().with(|machine| {
        put_unit(machine, "app.service", APP);
        put_unit(machine, "edited.service", APP);
        // This unit takes a while to start and to stop.
        let slow = "ExecStartPre=/bin/sleep 5\nExecStop=/bin/sleep 9\nExecReload=";
        put_unit(machine, "slow.service", &APP.replace("ExecReload=", slow));
        put_unit(machine, "plain.service", "[Service]\nExecStart=/bin/sleep infinity\n");
        put_unit(machine, "web.socket", "[Socket]\nListenStream=80\n[Install]\nWantedBy=sockets.target\n");
        put_unit(
            machine,
            "once.service",
            "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n",
        );
        put_unit(machine, "broken.service", &APP.replace("/usr/sbin/app", "/bin/false"));
        put_unit(
            machine,
            "never.service",
            &APP.replace("[Service]", "[Service]\nType=notify\nTimeoutStartSec=20"),
        );
    })
}

/// Returns a host on which the units run and are enabled.
pub(super) fn in_use() -> ModelSystem {
    packaged().with(|machine| {
        for unit in
            ["app.service", "edited.service", "slow.service", "plain.service", "web.socket", "once.service"]
        {
            systemctl_action(machine, "start", unit);
            systemctl_action(machine, "enable", unit);
        }
    })
}

/// Returns a host on which two units have failed.
pub(super) fn failing() -> ModelSystem {
    packaged().with(|machine| {
        for unit in ["broken.service", "never.service"] {
            systemctl_action(machine, "start", unit);
        }
    })
}

/// Returns a host with a failed unit whose file has been repaired since.
pub(super) fn mended() -> ModelSystem {
    packaged().with(|machine| {
        let file = format!("{PACKAGES}/edited.service");
        machine.put_file(&file, APP.replace("/usr/sbin/app", "/bin/false"));
        systemctl_action(machine, "start", "edited.service");
        machine.put_file(&file, APP);
    })
}

/// Returns a host with masked units: while running, while stopped, and until the next boot.
pub(super) fn masked() -> ModelSystem {
    in_use().with(|machine| {
        systemctl_action(machine, "mask", "app.service");
        systemctl_action(machine, "stop", "slow.service");
        systemctl_action(machine, "mask", "slow.service");
        machine.put_symlink("/run/systemd/system/plain.service", "/dev/null");
        systemctl_action(machine, "mask", "ghost.service");
        systemctl_action(machine, "daemon-reload", "");
    })
}

/// Returns a host on which the file of a running unit has changed.
pub(super) fn changed() -> ModelSystem {
    let text = APP.replace("/usr/sbin/app", "/usr/sbin/other");
    in_use().with_file(format!("{PACKAGES}/edited.service"), text)
}

/// Returns a host on which a running unit has got its first drop-in.
pub(super) fn extended() -> ModelSystem {
    in_use().with_file("/etc/systemd/system/edited.service.d/more.conf", "[Service]\nNice=5\n")
}

/// Returns a host with an unfinished start of a unit, which is enabled until the next boot only.
pub(super) fn busy() -> ModelSystem {
    packaged().with(|machine| {
        let result = units::begin(machine, "slow.service", Job::Start);
        assert!(result.is_ok_and(|result| !result.takes.is_zero()), "it takes its time");
        let link = "/run/systemd/system/multi-user.target.wants/app.service";
        machine.put_symlink(link, format!("{PACKAGES}/app.service"));
    })
}

/// Applies `systemctl VERB UNIT` to the units of a host.
///
/// # Panics
///
/// Panics if systemd refuses the operation.
pub(super) fn systemctl_action(machine: &mut Machine, verb: &str, unit: &str) {
    let result = run(machine, verb, unit);
    assert!(result.is_ok(), "{result:?}");
}

fn run(machine: &mut Machine, verb: &str, unit: &str) -> Result<(), units::Refused> {
    let mut job = |job| {
        let start = units::begin(machine, unit, job)?;
        units::finish(machine, &start);
        Ok(())
    };
    match verb {
        "start" => job(Job::Start),
        "stop" => job(Job::Stop),
        "enable" => units::enable(machine, unit),
        "reenable" => units::reenable(machine, unit),
        "disable" => {
            units::disable(machine, unit, false);
            Ok(())
        }
        "mask" => units::mask(machine, unit),
        _ => {
            units::reload_files(machine);
            Ok(())
        }
    }
}

/// Runs a model of `systemctl`, as `systemd.unit.file` uses it.
fn systemctl(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let result = match (command.program.as_str(), args.as_slice()) {
        ("systemctl", ["show", options @ .., unit]) => {
            let text = show(machine, unit, options);
            return Some(Output::success(text));
        }
        ("systemctl", ["is-enabled", unit]) => {
            let state = units::file_state(machine, unit);
            let is_on = matches!(state.as_deref(), Ok("enabled" | "enabled-runtime" | "static" | "alias"));
            let text = state.unwrap_or_else(|_| "not-found".to_owned());
            let output = if is_on { Output::success("") } else { Output::failure(1, "") };
            return Some(Output { stdout: format!("{text}\n").into_bytes(), ..output });
        }
        ("systemctl", ["daemon-reload"]) => run(machine, "daemon-reload", ""),
        ("systemctl", [verb @ ("reenable" | "disable"), unit]) => run(machine, verb, unit),
        _ => return None,
    };
    Some(match result {
        Ok(()) => Output::success(""),
        Err(refused) => Output::failure(1, refused.says),
    })
}

/// Returns the output of `systemctl show` for the properties in `--property=`.
fn show(machine: &Machine, unit: &str, options: &[&str]) -> String {
    let names: Vec<&str> = options
        .iter()
        .filter_map(|arg| arg.strip_prefix("--property="))
        .flat_map(|names| names.split(','))
        .collect();
    let properties =
        units::unit_properties(machine, unit).into_iter().chain(units::own_properties(machine, unit));
    let lines = properties.filter(|(name, _)| names.contains(name)).map(|(name, property)| {
        let value = match property {
            Property::Text(text) => text,
            Property::Flag(flag) => if flag { "yes" } else { "no" }.to_owned(),
            Property::Number(number) => number.to_string(),
            Property::Texts(texts) => texts.join(" "),
            Property::Error(name, says) => format!("{name} {says}"),
        };
        format!("{name}={value}\n")
    });
    lines.collect()
}
