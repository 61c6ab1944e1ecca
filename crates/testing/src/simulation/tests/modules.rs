//! Generated modules that mix everything that affects order.

use std::fmt::Write as _;

use crate::chance::Chance;

/// Returns the text of the module of a seed.
pub(super) fn of_seed(seed: u64) -> String {
    let mut building = Building {
        chance: Chance::new(seed),
        text: String::new(),
        known: Vec::new(),
        notes: Vec::new(),
        number: 0,
    };
    for _ in 0..building.chance.below(14) {
        if building.chance.once_in(6) {
            building.switch();
        } else {
            building.resource("", true);
        }
    }
    building.text
}

struct Building {
    chance: Chance,
    text: String,
    /// The nodes that others may wait for.
    known: Vec<String>,
    notes: Vec<(String, String)>,
    number: usize,
}

impl Building {
    /// Returns a name that does not follow the order of the edges.
    fn name(&mut self) -> String {
        self.number += 1;
        format!("n{:02}", self.number * 37 % 97)
    }

    fn line(&mut self, indent: &str, line: &str) {
        let _ = writeln!(self.text, "{indent}{line}");
    }

    /// Adds a resource; resources in a case are not dependencies of others.
    fn resource(&mut self, indent: &str, is_known: bool) {
        let (name, number) = (self.name(), self.number);
        let inner = format!("{indent}  ");
        let kind = ["note", "note", "entry", "pack", "daemon", "daemon"][self.chance.below(6)];
        self.line(indent, &format!("{kind} \"{name}\" {{"));
        // The instances are determined by the text of a note.
        let found_in = if kind != "daemon" && self.chance.once_in(4) {
            self.chance.pick(&self.notes).cloned()
        } else {
            None
        };
        if let Some((note, _)) = &found_in {
            self.line(&inner, &format!("for_each = split(\" of \", {note}.text)"));
        }
        match kind {
            "note" if found_in.is_some() => self.line(
                &inner,
                &format!("path = format(\"/srv/{name}-%s\", each.key)\n{inner}text = \"text of {name}\""),
            ),
            "entry" if found_in.is_some() => {
                self.line(&inner, &format!("line = format(\"{name}-%s\", each.key)"));
            }
            "pack" if found_in.is_some() => {
                self.line(&inner, &format!("name = format(\"{name}-%s\", each.key)"));
            }
            "note" => self.line(&inner, &format!("path = \"/srv/{name}\"\n{inner}text = \"text of {name}\"")),
            "entry" => self.line(&inner, &format!("line = \"{name}\"")),
            "pack" => self.line(&inner, &format!("name = \"{name}\"")),
            _ => self.daemon(&inner, number),
        }
        self.meta(&inner);
        self.line(indent, "}\n");
        if is_known {
            self.known.push(format!("{kind}.{name}"));
            if kind == "note" && found_in.is_none() {
                self.notes.push((format!("note.{name}"), format!("/srv/{name}")));
            }
        }
    }

    /// Adds a running or newly started daemon, which must be refreshed when the files that it reads change.
    fn daemon(&mut self, inner: &str, number: usize) {
        let name = if self.chance.once_in(3) { format!("new{number}") } else { format!("old{number}") };
        let count = self.chance.below(3);
        let reads: Vec<(String, String)> =
            (0..count).filter_map(|_| self.chance.pick(&self.notes).cloned()).collect();
        let paths: Vec<String> = reads.iter().map(|(_, path)| format!("{path:?}")).collect();
        let ids: Vec<String> = reads.iter().map(|(id, _)| format!("{id:?}")).collect();
        self.line(inner, &format!("name = \"{name}\"\n{inner}reads = [{}]", paths.join(", ")));
        if !ids.is_empty() {
            self.line(inner, &format!("on_change_of = [{}]", ids.join(", ")));
        }
    }

    fn meta(&mut self, inner: &str) {
        let count = self.chance.below(3);
        let mut dependencies: Vec<String> =
            (0..count).filter_map(|_| self.chance.pick(&self.known).cloned()).collect();
        dependencies.sort();
        dependencies.dedup();
        if !dependencies.is_empty() {
            self.line(inner, &format!("depends = {dependencies:?}"));
        }
        if self.chance.once_in(3) {
            let group = self.chance.below(2);
            self.line(inner, &format!("group = \"g{group}\""));
        }
        if self.chance.once_in(3) {
            self.line(inner, "timeout = \"90s\"");
        }
        if self.chance.once_in(3) {
            let attempts = 2 + self.chance.below(2);
            self.line(inner, &format!("retry {{ attempts = {attempts} delay = \"1s\" }}"));
        }
        if self.chance.once_in(8) {
            let condition = self.chance.once_in(2);
            self.line(inner, &format!("when = {condition}"));
        }
    }

    fn switch(&mut self) {
        let name = self.name();
        self.line("", &format!("switch \"{name}\" {{"));
        for case in 0..=self.chance.below(2) {
            let condition = self.chance.once_in(2);
            self.line("  ", &format!("case \"{condition}\" \"c{case}\" {{"));
            for _ in 0..=self.chance.below(2) {
                self.resource("    ", false);
            }
            self.line("  ", "}");
        }
        self.line("  ", "default {");
        self.resource("    ", false);
        self.line("  ", "}\n}\n");
        self.known.push(format!("switch.{name}"));
    }
}
