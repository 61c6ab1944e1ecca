//! A test case of a law: the values of a resource and the machine that it is applied to.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use crate::system::Machine;
use crate::types::value::Value;

pub(super) type Values = Vec<(&'static str, Value)>;

/// A test case: the values of a resource and the machine that it is applied to.
///
/// `laws!` prints a failing case as a test that the author can keep.
#[derive(Clone, Debug)]
pub struct Case {
    pub(super) start: usize,
    pub(super) values: Values,
    pub(super) earlier: Option<Values>,
    pub(super) changes: Vec<Change>,
}

impl Case {
    /// Creates a case with these values, on the machine of the first [`start`](super::Laws::start).
    pub fn new(values: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        Self { start: 0, values: values.into_iter().collect(), earlier: None, changes: Vec::new() }
    }

    /// Uses the machine of another `start`, counted from 0.
    pub fn from_start(mut self, start: usize) -> Self {
        self.start = start;
        self
    }

    /// Applies the same resource with other values first.
    pub fn earlier(mut self, values: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        self.earlier = Some(values.into_iter().collect());
        self
    }

    /// Changes the machine before the resource is applied.
    pub fn on(mut self, change: impl Fn(&mut Machine) + Send + Sync + 'static) -> Self {
        self.changes.push(Change::By(Arc::new(change)));
        self
    }
}

/// A change that somebody else made to a machine.
#[derive(Clone)]
pub(super) enum Change {
    File(String, &'static str),
    Directory(String),
    Link(String, &'static str),
    Remove(String),
    /// The user and the group of this name are removed.
    Nobody(String),
    Owner(String),
    Mode(String, u32),
    By(Arc<dyn Fn(&mut Machine) + Send + Sync>),
}

impl Change {
    pub(super) fn apply_to(&self, machine: &mut Machine) {
        match self {
            Self::File(path, content) => machine.put_file(path, *content),
            Self::Directory(path) => {
                machine.remove(path);
                machine.put_dir(path);
            }
            Self::Link(path, target) => machine.put_symlink(path, *target),
            Self::Remove(path) => machine.remove(path),
            Self::Nobody(name) => drop((machine.remove_user(name), machine.remove_group(name))),
            Self::Owner(path) => machine.put_owner(path, 1000, 1000),
            Self::Mode(path, mode) => machine.put_mode(path, *mode),
            Self::By(change) => change(machine),
        }
    }

    pub(super) fn removes(&self) -> bool {
        matches!(self, Self::Remove(_) | Self::Nobody(_))
    }
}

/// Writes the change as Rust source for a test.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, content) => write!(f, "machine.put_file({path:?}, {content:?});"),
            Self::Directory(path) => write!(f, "machine.remove({path:?}); machine.put_dir({path:?});"),
            Self::Link(path, target) => write!(f, "machine.put_symlink({path:?}, {target:?});"),
            Self::Remove(path) => write!(f, "machine.remove({path:?});"),
            Self::Nobody(name) => write!(f, "machine.remove_user({name:?}); machine.remove_group({name:?});"),
            Self::Owner(path) => write!(f, "machine.put_owner({path:?}, 1000, 1000);"),
            Self::Mode(path, mode) => write!(f, "machine.put_mode({path:?}, {mode:#o});"),
            Self::By(_) => f.write_str("// what the test does to it"),
        }
    }
}

impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Writes the case as Rust source, with calls after the first indented by four spaces.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Case::new({})", rust_of_values(&self.values))?;
        if self.start > 0 {
            write!(f, "\n    .from_start({})", self.start)?;
        }
        if let Some(earlier) = &self.earlier {
            write!(f, "\n    .earlier({})", rust_of_values(earlier))?;
        }
        if !self.changes.is_empty() {
            f.write_str("\n    .on(|machine| {")?;
            for change in &self.changes {
                write!(f, "\n        {change}")?;
            }
            f.write_str("\n    })")?;
        }
        Ok(())
    }
}

fn rust_of_values(values: &Values) -> String {
    if values.is_empty() {
        return "[] as [(&str, Value); 0]".to_owned();
    }
    let entries: Vec<String> =
        values.iter().map(|(name, value)| format!("({name:?}, {})", rust_of(value))).collect();
    format!("[{}]", entries.join(", "))
}

fn rust_of(value: &Value) -> String {
    match value {
        Value::Null => "Value::Null".to_owned(),
        Value::Bool(_) | Value::Int(_) => format!("Value::from({value})"),
        Value::Float(number) => format!("Value::from({number:?})"),
        Value::String(text) => format!("Value::from({text:?})"),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(rust_of).collect();
            format!("Value::List(vec![{}])", items.join(", "))
        }
        Value::Map(items) => {
            let mut text = "Value::Map([".to_owned();
            for (name, item) in items {
                let comma = if text.ends_with('[') { "" } else { ", " };
                let _ = write!(text, "{comma}({name:?}.to_owned(), {})", rust_of(item));
            }
            text + "].into_iter().collect())"
        }
        Value::Unknown(unknown) => format!("Value::unknown({:?})", unknown.waits_for),
        Value::Secret(secret) => format!("{}.into_secret()", rust_of(secret.expose())),
    }
}
