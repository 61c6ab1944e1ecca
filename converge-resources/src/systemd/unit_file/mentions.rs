//! The users, groups, paths and units that the text of a unit file names.

use std::borrow::Cow;

use converge_sdk::footprint::kind;

use super::name::FOLDER;

/// The folders of programs that no package brings, in which systemd looks for a program without a path.
const OWN_PROGRAMS: [&str; 2] = ["/usr/local/sbin", "/usr/local/bin"];

/// Calls `add` with the kind and name of each thing that the unit needs when it starts.
///
/// Names with specifiers such as `%i` are left out, because only systemd knows their values.
pub(super) fn for_each(text: &str, mut add: impl FnMut(&'static str, &str)) {
    let text = text.replace("\\\n", " ");
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        let Some((setting, value)) = line.split_once('=') else { continue };
        let words = value.split_whitespace();
        match setting.trim_end() {
            "User" | "SocketUser" => words.for_each(|name| add_name(kind::USER, name, &mut add)),
            "Group" | "SupplementaryGroups" | "SocketGroup" => {
                words.for_each(|name| add_name(kind::GROUP, name, &mut add));
            }
            "EnvironmentFile" | "WorkingDirectory" | "RootDirectory" => {
                let path = value.trim();
                add_path(path.strip_prefix('-').unwrap_or(path), &mut add);
            }
            "Unit" | "Service" => {
                words.for_each(|unit| add_path(&format!("{FOLDER}/{unit}"), &mut add));
            }
            "ExecCondition" | "ExecStartPre" | "ExecStart" | "ExecStartPost" | "ExecReload" | "ExecStop"
            | "ExecStopPost" => add_command(value.trim(), &mut add),
            _ => {}
        }
    }
}

fn add_name(kind: &'static str, name: &str, add: &mut impl FnMut(&'static str, &str)) {
    if !name.contains('%') && !name.bytes().all(|byte| byte.is_ascii_digit()) {
        add(kind, name);
    }
}

/// Adds an absolute path without specifiers and patterns.
fn add_path(path: &str, add: &mut impl FnMut(&'static str, &str)) {
    let path = if path.contains("%%") { Cow::Owned(path.replace("%%", "\0")) } else { Cow::Borrowed(path) };
    if path.starts_with('/') && !path.contains(['%', '*', '?', '[', '$']) {
        add(kind::PATH, &path.replace('\0', "%"));
    }
}

/// Adds the program of a command, and the paths among its arguments.
///
/// These are words such as `/etc/a.conf` and `--config=/etc/a.conf`.
fn add_command(command: &str, add: &mut impl FnMut(&'static str, &str)) {
    // The letters before the program change how systemd runs it.
    let command = command.trim_start_matches(['@', '-', ':', '+', '!', '|']);
    let program = command.split_whitespace().next().unwrap_or_default();
    if !program.contains('/') && !program.is_empty() {
        for folder in OWN_PROGRAMS {
            add_path(&format!("{folder}/{program}"), add);
        }
    }
    for word in command.split_whitespace() {
        let word = word.trim_matches(['"', '\'', ';']);
        let path = match word.split_once('=') {
            Some((option, path)) if option.starts_with('-') => path,
            _ => word,
        };
        add_path(path, add);
    }
}

#[cfg(test)]
mod tests {
    use super::for_each;

    #[test]
    fn what_a_unit_names() {
        let check = |text: &str, expect: &str| {
            let mut found = Vec::new();
            for_each(text, |kind, name| found.push(format!("{kind} {name}")));
            assert_eq!(found.join(", "), expect, "{text}");
        };
        check(
            "[Service]\nUser=ada\nGroup = www\nSupplementaryGroups=a b",
            "user ada, group www, group a, group b",
        );
        check("User=1000\nGroup=%i\nUser=", "");
        check("ExecStart=-/usr/local/bin/app --port 80", "path /usr/local/bin/app");
        check(
            "ExecStart=@/bin/app app -c /etc/app.conf --key=/etc/k --x=1",
            "path /bin/app, path /etc/app.conf, path /etc/k",
        );
        check("ExecStart=\"/opt/a/b\" \\\n  '/etc/%%x' /run/%i $HOME/x", "path /opt/a/b, path /etc/%x");
        check("ExecStart=-app 1", "path /usr/local/sbin/app, path /usr/local/bin/app");
        check("#ExecStart=/bin/a\n;User=x", "");
        check("EnvironmentFile=-/etc/default/app\nEnvironmentFile=/etc/d/*.conf", "path /etc/default/app");
        check("WorkingDirectory=~\nWorkingDirectory=-/srv/app", "path /srv/app");
        check("[Timer]\nUnit=backup.service", "path /etc/systemd/system/backup.service");
    }
}
