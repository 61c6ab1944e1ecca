//! INI: lines of `key = value` in sections.

use indexmap::map::Entry;

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert;
use crate::types::value::{Value, ValueMap};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "inidecode",
        "string",
        "The keys of an INI text, and its sections as maps. All values are texts; of a key that is there several times they are a list, \
         and of one without a `=` null. Lines that begin with `#` or `;` are comments.",
        [r#"inidecode("[web]\nport = 80\n")"#, r#"{web = {port = "80"}}"#],
    )
    .runs_deep(inidecode),
    Function::new(
        "iniencode",
        "map",
        "A map as INI: maps in it are sections, lists are keys that are there several times, and null is a key without a `=`. Sorted.",
        ["iniencode({web = {port = 80}, debug = true})", r#""debug = true\n\n[web]\nport = 80\n""#],
    )
    .runs_deep(iniencode),
];

fn inidecode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.document(0)?;
    // Every two bytes may be a key.
    args.budget.spend(text.len() / 2)?;
    let line_error = |line: usize, message: String| args.refuse_at(0, format!("line {line}: {message}"));
    let mut sections = ValueMap::default();
    let mut section: Option<String> = None;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = content.strip_prefix('[') {
            let name = name
                .strip_suffix(']')
                .ok_or_else(|| line_error(line, "a section is written `[name]`".to_owned()))?
                .trim();
            match sections.entry(name.to_owned()).or_insert_with(|| Value::Map(ValueMap::default())) {
                Value::Map(_) => section = Some(name.to_owned()),
                _ => return Err(line_error(line, format!("`{name}` is a key and a section"))),
            }
            continue;
        }
        let (key, value) = match content.split_once('=') {
            Some((key, value)) => (key.trim(), Value::string(value.trim())),
            None => (content, Value::Null),
        };
        if key.is_empty() {
            return Err(line_error(line, "there is no key in front of the `=`".to_owned()));
        }
        let keys = match &section {
            None => &mut sections,
            Some(name) => match sections.get_mut(name) {
                Some(Value::Map(keys)) => keys,
                _ => continue,
            },
        };
        match keys.entry(key.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(value);
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                Value::List(values) => values.push(value),
                first => *first = Value::List(vec![std::mem::take(first), value]),
            },
        }
    }
    Ok(Value::Map(sections))
}

fn iniencode(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    let entries = convert::sorted(args.map(0)?);
    let (sections, keys): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(_, value)| matches!(value, Value::Map(_)));
    let mut out = String::new();
    for (key, value) in keys {
        push_key(args, &mut out, key, value)?;
    }
    for (name, section) in sections {
        let is_name = !name.contains([']', '\n', '\r']) && name.trim() == name;
        if !is_name {
            return Err(args.refuse_at(0, format!("{name:?} cannot be the name of a section")));
        }
        out.push_str(if out.is_empty() { "[" } else { "\n[" });
        out.push_str(name);
        out.push_str("]\n");
        if let Value::Map(entries) = section {
            for (key, value) in convert::sorted(entries) {
                push_key(args, &mut out, key, value)?;
            }
        }
    }
    Ok(out.into())
}

/// Appends the lines for a key.
fn push_key(args: &Args<'_>, out: &mut String, key: &str, value: &Value) -> Result<(), FunctionError> {
    let is_key = !key.is_empty()
        && !key.contains(['=', '\n', '\r'])
        && !key.starts_with(['[', '#', ';'])
        && key.trim() == key;
    if !is_key {
        return Err(args.refuse_at(0, format!("{key:?} cannot be a key of INI")));
    }
    let several;
    let values = match value {
        // A list with no or one item could not be told apart from a missing or plain value.
        Value::List(values) => values.as_slice(),
        value => {
            several = [value.clone()];
            &several
        }
    };
    for value in values {
        args.budget.spend_bytes(key.len() + 4)?;
        out.push_str(key);
        if *value != Value::Null {
            let text = convert::text(value).ok_or_else(|| {
                args.refuse_at(
                    0,
                    format!("`{key}` must be a text, a list of texts or null, not {}", value.kind()),
                )
            })?;
            if text.contains(['\n', '\r']) || text.trim() != &*text {
                let message = format!(
                    "the value of `{key}` has a line end, or white space at an end, which INI cannot hold"
                );
                return Err(args.refuse_at(0, message));
            }
            out.push_str(if text.is_empty() { " =" } else { " = " });
            out.push_str(&text);
        }
        out.push('\n');
    }
    Ok(())
}
