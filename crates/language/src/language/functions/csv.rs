//! Comma-separated values as in RFC 4180.

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::language::convert;
use crate::types::value::{Value, ValueMap};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "csvdecode",
        "string",
        "The rows of a text of comma-separated values, as maps with the names of the first row as keys.",
        [r#"csvdecode("name,uid\nada,1001\n")"#, r#"[{name = "ada", uid = "1001"}]"#],
    )
    .runs_deep(csvdecode),
    Function::new(
        "csvencode",
        "list",
        "Maps, which all have the same keys, as comma-separated values below a row of the keys, which are sorted.",
        [r#"csvencode([{name = "ada", uid = 1001}])"#, r#""name,uid\nada,1001\n""#],
    )
    .runs_deep(csvencode),
];

/// Returns the fields of the next row, and the text after it.
fn row(text: &str) -> Result<(Vec<String>, &str), &'static str> {
    let (mut fields, mut rest) = (Vec::new(), text);
    loop {
        let field = if let Some(quoted) = rest.strip_prefix('"') {
            let (field, after) = in_quotes(quoted)?;
            rest = after;
            field
        } else {
            let end = rest.find([',', '\n', '"']).unwrap_or(rest.len());
            let (field, after) = rest.split_at(end);
            if after.starts_with('"') {
                return Err("a `\"` stands inside of a field that does not begin with one");
            }
            rest = after;
            // A line may end with `\r\n`, as on Windows.
            field.strip_suffix('\r').filter(|_| !after.starts_with(',')).unwrap_or(field).to_owned()
        };
        fields.push(field);
        if let Some(after) = rest.strip_prefix(',') {
            rest = after;
            continue;
        }
        let after = rest.strip_prefix('\r').unwrap_or(rest);
        return match after.strip_prefix('\n') {
            Some(after) => Ok((fields, after)),
            None if after.is_empty() => Ok((fields, after)),
            None => Err("after a closing `\"` there must be a comma or the end of the line"),
        };
    }
}

/// Returns a field up to its closing quote, and the text after that.
fn in_quotes(text: &str) -> Result<(String, &str), &'static str> {
    let (mut field, mut rest) = (String::new(), text);
    loop {
        let (part, after) = rest.split_once('"').ok_or("a `\"` is not closed")?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => return Ok((field, after)),
        }
    }
}

fn csvdecode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.document(0)?;
    // Every byte may be a field.
    args.budget.spend(text.len())?;
    let row_error = |line: usize, message: &str| args.refuse_at(0, format!("row {line}: {message}"));
    let (names, mut rest) = row(&text).map_err(|message| row_error(1, message))?;
    let mut rows = Vec::new();
    let mut line = 1;
    while !rest.is_empty() {
        line += 1;
        let (fields, after) = row(rest).map_err(|message| row_error(line, message))?;
        rest = after;
        if fields == [""] && names.len() > 1 {
            // Empty lines are skipped.
            continue;
        }
        if fields.len() != names.len() {
            return Err(row_error(
                line,
                &format!("{} fields, but the first row has {}", fields.len(), names.len()),
            ));
        }
        // Each row copies the names.
        args.budget.spend_bytes(names.iter().map(String::len).sum())?;
        args.budget.spend(names.len())?;
        let entries: ValueMap<Value> =
            names.iter().cloned().zip(fields.into_iter().map(Value::from)).collect();
        if entries.len() != names.len() {
            return Err(row_error(1, "two columns have one name"));
        }
        rows.push(Value::Map(entries));
    }
    Ok(Value::List(rows))
}

fn push_field(out: &mut String, field: &str, is_only: bool) {
    // An empty line would not be read as a row.
    let is_quoted = field.contains([',', '"', '\n', '\r']) || is_only && field.is_empty();
    if is_quoted {
        out.push('"');
        out.push_str(&field.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(field);
    }
}

fn push_row<'f>(out: &mut String, fields: impl ExactSizeIterator<Item = &'f str>) {
    let is_only = fields.len() == 1;
    for (index, field) in fields.enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        push_field(out, field, is_only);
    }
    out.push('\n');
}

fn csvencode(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    let row_error = |at: usize, message: String| -> FunctionError {
        args.refuse_at(0, format!("the item {at} {message}"))
    };
    let mut out = String::new();
    let mut names: Vec<&String> = Vec::new();
    for (index, item) in args.list(0)?.iter().enumerate() {
        let Value::Map(entries) = item else {
            return Err(row_error(index, format!("must be a map, not {}", item.kind())));
        };
        let entries = convert::sorted(entries);
        if index == 0 {
            names = entries.iter().map(|(name, _)| *name).collect();
            if names.is_empty() {
                return Err(row_error(index, "has no keys".to_owned()));
            }
            push_row(&mut out, names.iter().map(|name| name.as_str()));
        } else if !entries.iter().map(|(name, _)| *name).eq(names.iter().copied()) {
            return Err(row_error(index, "has other keys than the first one".to_owned()));
        }
        let fields = entries.into_iter().map(|(name, value)| {
            convert::text(value).ok_or_else(|| {
                row_error(index, format!("has {} at `{name}`, which is not text", value.kind()))
            })
        });
        let fields: Vec<_> = fields.collect::<Result<_, _>>()?;
        args.budget.spend_bytes(fields.iter().map(|field| field.len() * 2 + 3).sum())?;
        push_row(&mut out, fields.iter().map(|field| &**field));
    }
    Ok(out.into())
}
