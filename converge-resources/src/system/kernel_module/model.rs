//! Kernel modules on the model host: `modprobe`, `modinfo`, `/proc/modules` and `/sys/module`.
//!
//! | fact | value |
//! | --- | --- |
//! | `module NAME` | the line of `modprobe --show-depends` and, behind `|`, the names of its parameters |

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

pub(super) const LOADED: &str = "/proc/modules";

/// Returns a host with the modules `dummy`, `br_netfilter` and `pcspkr`, of which the last is loaded.
///
/// There is also a loaded module that another one uses, and a built-in module.
pub(super) fn model() -> ModelSystem {
    let modules = [
        ("dummy", "insmod /lib/modules/6.1/kernel/net/dummy.ko.xz |numdummies"),
        ("br_netfilter", "insmod /lib/modules/6.1/kernel/net/br-netfilter.ko |"),
        ("pcspkr", "insmod /lib/modules/6.1/kernel/pcspkr.ko |"),
        ("bridge", "insmod /lib/modules/6.1/kernel/bridge.ko |"),
        ("loop", "builtin loop|"),
        ("net_pf_10", "insmod /lib/modules/6.1/kernel/ipv6.ko |"),
    ];
    let model = ModelSystem::new()
        .with_file(LOADED, "pcspkr 16384 0 - Live 0x0\nbridge 300000 1 other, Live 0x0\n")
        .with_file("/sys/module/pcspkr/initstate", "live\n")
        .with_file("/sys/module/bridge/initstate", "live\n")
        .with_dir("/sys/module/loop/parameters")
        .with_dir("/etc/modules-load.d")
        .with_dir("/etc/modprobe.d");
    let with_module = |model: ModelSystem, (name, value): (&str, &str)| {
        model.with(|machine| machine.put_fact(format!("module {name}"), value))
    };
    modules.into_iter().fold(model, with_module).with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let module_of = |machine: &Machine, name: &str| {
        let (description, parameters) = machine.fact(&format!("module {name}"))?.split_once('|')?;
        Some((description.to_owned(), parameters.to_owned()))
    };
    let list = String::from_utf8(machine.file(LOADED).unwrap_or_default().to_vec()).unwrap();
    Some(match (command.program.as_str(), args.as_slice()) {
        ("modprobe", ["--show-depends", name]) => match module_of(machine, name) {
            Some((shown, _)) => {
                Output::success(format!("insmod /lib/modules/6.1/kernel/first.ko \n{shown}\n"))
            }
            None => not_found(name),
        },
        ("modinfo", ["--parameters", name]) => {
            let (_, parameters) = module_of(machine, name)?;
            let names = parameters.split(' ').filter(|name| !name.is_empty());
            Output::success(names.fold(String::new(), |text, name| text + name + ":Number of them (int)\n"))
        }
        ("modprobe", ["--remove", name]) => {
            let remaining = list.split_inclusive('\n').filter(|line| line.split(' ').next() != Some(name));
            machine.put_file(LOADED, remaining.collect::<String>());
            machine.remove(format!("/sys/module/{name}"));
            Output::success("")
        }
        ("modprobe", [_, ..]) if machine.fact("modprobe").is_some() => {
            Output::failure(1, "modprobe: ERROR: could not insert\n")
        }
        ("modprobe", [name, parameters @ ..]) if module_of(machine, name).is_some() => {
            machine.put_file(LOADED, format!("{list}{name} 16384 0 - Live 0x0\n"));
            machine.put_file(format!("/sys/module/{name}/initstate"), "live\n");
            for parameter in parameters {
                let (parameter, value) = parameter.split_once('=').unwrap();
                machine.put_file(format!("/sys/module/{name}/parameters/{parameter}"), format!("{value}\n"));
            }
            Output::success("")
        }
        ("modprobe", [name, ..]) => not_found(name),
        _ => return None,
    })
}

fn not_found(name: &str) -> Output {
    Output::failure(1, format!("modprobe: FATAL: Module {name} not found in directory /lib/modules/6.1\n"))
}
