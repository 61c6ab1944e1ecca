//! A model of `update-alternatives` for tests. A group is a file in the format of `--query`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use converge_sdk::system::{Command, EntryKind, Machine, ModelSystem, Output};

use super::group::{Choice, Group};

const KEPT: &str = "/var/lib/dpkg/alternatives";

pub(super) const EDITOR: &str = "Name: editor
Link: /usr/bin/editor
Slaves:
 editor.1.gz /usr/share/man/man1/editor.1.gz
Status: auto
Best: /bin/nano
Value: /bin/nano

Alternative: /bin/ed
Priority: -100
Slaves:
 editor.1.gz /usr/share/man/man1/ed.1.gz

Alternative: /bin/nano
Priority: 40
Slaves:
";

/// Returns a host with the editors `ed` and `nano`, and `vim`, which is not an alternative.
pub(super) fn machine() -> ModelSystem {
    let model = ModelSystem::new()
        .with_file(Path::new(KEPT).join("editor"), EDITOR)
        .with_symlink("/usr/bin/editor", "/bin/nano");
    let files = ["/bin/ed", "/bin/nano", "/bin/vim", "/usr/share/man/man1/vim.1.gz"];
    files.iter().fold(model, |model, file| model.with_file(file, "")).with_program(run)
}

fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    if command.program != "update-alternatives" {
        return None;
    }
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let refused =
        |message: String| Some(Output::failure(2, format!("update-alternatives: error: {message}\n")));
    let name = if args[0] == "--install" { args[2] } else { args[1] };
    let store_path = Path::new(KEPT).join(name);
    let text = machine.file(&store_path).map(|text| String::from_utf8_lossy(text).into_owned());
    let Some(text) = text.or_else(|| (args[0] == "--install").then(String::new)) else {
        return refused(format!("no alternatives for {name}"));
    };
    let mut group = Group::parse_query(&text);
    match args.as_slice() {
        ["--query", _] => return Some(Output::success(text)),
        ["--install", link, _, path, priority, slaves @ ..] => {
            if machine.entry(path).is_none() {
                return refused(format!("alternative path {path} doesn't exist"));
            }
            group.is_auto |= group.choices.is_empty();
            group.link = Some((*link).to_owned());
            group.choices.retain(|choice| choice.path != *path);
            let mut slave_paths = BTreeMap::new();
            for slave in slaves.chunks(4) {
                group.slave_links.insert(slave[2].to_owned(), slave[1].to_owned());
                slave_paths.insert(slave[2].to_owned(), slave[3].to_owned());
            }
            let priority = priority.parse().unwrap();
            group.choices.push(Choice { path: (*path).to_owned(), priority, slaves: slave_paths });
        }
        ["--set", _, path] if group.choice(path).is_none() => {
            return refused(format!("alternative {path} for {name} not registered; not setting"));
        }
        ["--set", _, path] => (group.is_auto, group.value) = (false, Some((*path).to_owned())),
        ["--auto", _] => group.is_auto = true,
        ["--remove", _, path] => {
            group.choices.retain(|choice| choice.path != *path);
            group.is_auto |= group.value.as_deref() == Some(path);
        }
        _ => return None,
    }
    if group.is_auto {
        group.value =
            group.choices.iter().max_by_key(|choice| choice.priority).map(|choice| choice.path.clone());
    }
    let link = PathBuf::from(group.link.clone().unwrap());
    let folder = machine.entry(link.parent().unwrap()).map(|entry| entry.kind);
    if !matches!(folder, Some(EntryKind::Directory)) {
        return refused(format!("unable to make {}.dpkg-tmp: No such file or directory", link.display()));
    }
    match &group.value {
        None => {
            machine.remove(&store_path);
            machine.remove(link);
        }
        Some(value) => {
            machine.put_symlink(link, value);
            machine.put_file(store_path, print(name, &group));
        }
    }
    Some(Output::success(""))
}

fn print(name: &str, group: &Group) -> String {
    let status = if group.is_auto { "auto" } else { "manual" };
    let lines = |slaves: &BTreeMap<String, String>| -> String {
        slaves.iter().flat_map(|(name, path)| [" ", name, " ", path, "\n"]).collect()
    };
    let mut text = format!("Name: {name}\nLink: {}\nSlaves:\n", group.link.as_deref().unwrap());
    text += &lines(&group.slave_links);
    writeln!(text, "Status: {status}\nValue: {}", group.value.as_deref().unwrap()).unwrap();
    for Choice { path, priority, slaves } in &group.choices {
        write!(text, "\nAlternative: {path}\nPriority: {priority}\nSlaves:\n{}", lines(slaves)).unwrap();
    }
    text
}
