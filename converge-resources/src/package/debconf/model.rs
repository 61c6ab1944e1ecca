//! A model of debconf for tests: `debconf-set-selections` and its files.
//!
//! `/model/debconf-lock` holds the number of attempts for which another program uses debconf.

use converge_sdk::system::{Command, Machine, ModelSystem, Output};

const ANSWERS: &str = "/var/cache/debconf/config.dat";

pub(super) fn machine() -> ModelSystem {
    ModelSystem::new()
        .with_file(
            ANSWERS,
            "Name: postfix/mailname\nTemplate: postfix/mailname\nValue: old.example.org\nOwners: postfix\n\n",
        )
        .with_file("/var/cache/debconf/passwords.dat", "")
        .with_mode("/var/cache/debconf/passwords.dat", 0o600)
        .with_program(answer)
}

fn answer(command: &Command, machine: &mut Machine) -> Option<Output> {
    if command.program != "debconf-set-selections" {
        return None;
    }
    let locked = machine
        .file("/model/debconf-lock")
        .and_then(|left| std::str::from_utf8(left).ok()?.parse::<u32>().ok());
    if let Some(left @ 1..) = locked {
        machine.put_file("/model/debconf-lock", (left - 1).to_string());
        let message = format!(
            "debconf: DbDriver \"config\": {ANSWERS} is locked by another process: Resource temporarily unavailable\n"
        );
        return Some(Output::failure(1, message));
    }
    let line = String::from_utf8_lossy(&command.stdin).into_owned();
    let mut words = line.trim_end_matches('\n').splitn(4, ' ');
    let [owner, question, kind, value] = std::array::from_fn(|_| words.next().unwrap_or_default().to_owned());
    if owner == "refused" {
        return Some(Output::failure(1, format!("error: cannot take: {line}")));
    }
    let path = if kind == "password" { "/var/cache/debconf/passwords.dat" } else { ANSWERS };
    let text = String::from_utf8_lossy(machine.file(path).unwrap_or_default()).into_owned();
    let begin = format!("Name: {question}\n");
    let mut records: Vec<&str> = text.split_terminator("\n\n").collect();
    let was_seen = records.iter().any(|record| record.starts_with(&begin) && record.contains("Flags: seen"));
    records.retain(|record| !record.starts_with(&begin));
    let flags = if was_seen || !command.args.contains(&"--unseen".to_owned()) { "Flags: seen\n" } else { "" };
    let record = format!("{begin}Template: {question}\nValue: {value}\nOwners: {owner}\n{flags}");
    records.push(record.trim_end_matches('\n'));
    machine.put_file(path, records.iter().flat_map(|record| [*record, "\n\n"]).collect::<String>());
    Some(Output::success(""))
}
