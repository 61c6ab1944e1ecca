//! Parser for the output of `update-alternatives --query` and `alternatives --display`.

use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// The path that programs use, or `None` if the tool does not report it.
    pub(super) link: Option<String>,
    /// The links of the slaves, by name; empty if the tool does not report them.
    pub(super) slave_links: BTreeMap<String, String>,
    /// Whether the alternative with the highest priority is used.
    pub(super) is_auto: bool,
    /// The path of the alternative in use.
    pub(super) value: Option<String>,
    pub(super) choices: Vec<Choice>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) path: String,
    pub(super) priority: i32,
    /// The paths of the slaves, by name.
    pub(super) slaves: BTreeMap<String, String>,
}

impl Group {
    pub(super) fn choice(&self, path: &str) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.path == path)
    }

    /// Parses blocks of `Name: value`; a line that begins with a blank belongs to the list before it.
    pub(super) fn parse_query(text: &str) -> Self {
        let mut group = Self::default();
        for line in text.lines() {
            if let Some(slave) = line.strip_prefix(' ') {
                let Some((name, path)) = slave.split_once(' ') else { continue };
                let slaves = match group.choices.last_mut() {
                    Some(choice) => &mut choice.slaves,
                    None => &mut group.slave_links,
                };
                slaves.insert(name.to_owned(), path.to_owned());
                continue;
            }
            let Some((field, value)) = line.split_once(": ") else { continue };
            match (field, group.choices.last_mut()) {
                ("Link", _) => group.link = Some(value.to_owned()),
                ("Status", _) => group.is_auto = value == "auto",
                ("Value", _) => group.value = (value != "none").then(|| value.to_owned()),
                ("Alternative", _) => {
                    group.choices.push(Choice { path: value.to_owned(), ..Choice::default() });
                }
                ("Priority", Some(choice)) => choice.priority = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        group
    }

    /// Parses sentences: `PATH - priority 10`, and ` slave NAME: PATH` or ` follower NAME: PATH` below it.
    pub(super) fn parse_display(text: &str) -> Self {
        let mut group = Self::default();
        for line in text.lines() {
            if let Some((_, status)) = line.split_once(" - status is ") {
                group.is_auto = status.trim_end_matches('.') == "auto";
            } else if let Some(value) = line.trim_start().strip_prefix("link currently points to ") {
                group.value = Some(value.to_owned());
            } else if let Some((path, priority)) = choice(line) {
                group.choices.push(Choice { path: path.to_owned(), priority, ..Choice::default() });
            } else if let Some((name, path)) = slave(line)
                && let Some(choice) = group.choices.last_mut()
                && path != "(null)"
            {
                choice.slaves.insert(name.to_owned(), path.to_owned());
            }
        }
        group
    }
}

/// Parses `PATH - [family NAME] priority 10`.
fn choice(line: &str) -> Option<(&str, i32)> {
    let (path, rest) = line.split_once(" - ").filter(|_| line.starts_with('/'))?;
    let (_, priority) = rest.rsplit_once("priority ")?;
    Some((path, priority.trim().parse().ok()?))
}

fn slave(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix(' ')?;
    line.strip_prefix("slave ").or_else(|| line.strip_prefix("follower "))?.split_once(": ")
}
