//! Functions of text. Lengths and positions count characters.

use super::arguments::{Args, FunctionResult, list_of};
use super::error::FunctionError;
use super::function::Function;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "join",
        "separator, list..",
        "The items of the lists as one text, with the separator between them.",
        [r#"join(", ", ["a", "b"])"#, r#""a, b""#],
    )
    .takes_any(2)
    .runs_deep(join)
    .hidden_in_templates(),
    Function::new(
        "split",
        "separator, string",
        "The parts of a text; an empty separator divides between characters.",
        [r#"split(",", "a,b")"#, r#"["a", "b"]"#],
    )
    .takes(2, 2)
    .runs_deep(split)
    .hidden_in_templates(),
    Function::new("lower", "string", "The text in lower case.", [r#"lower("ADA")"#, r#""ada""#])
        .runs_deep(lower),
    Function::new("upper", "string", "The text in upper case.", [r#"upper("ada")"#, r#""ADA""#])
        .runs_deep(upper),
    Function::new(
        "title",
        "string",
        "The text with the first letter of each word in upper case.",
        [r#"title("ada lovelace")"#, r#""Ada Lovelace""#],
    )
    .runs_deep(title),
    Function::new(
        "trim",
        "string, characters",
        "The text without these characters at its ends.",
        [r#"trim("?!up!", "!?")"#, r#""up""#],
    )
    .takes(2, 2)
    .runs_deep(trim),
    Function::new(
        "trimprefix",
        "string, prefix",
        "The text without the prefix, if it has it.",
        [r#"trimprefix("v1.2", "v")"#, r#""1.2""#],
    )
    .takes(2, 2)
    .runs_deep(trimprefix),
    Function::new(
        "trimsuffix",
        "string, suffix",
        "The text without the suffix, if it has it.",
        [r#"trimsuffix("a.conf", ".conf")"#, r#""a""#],
    )
    .takes(2, 2)
    .runs_deep(trimsuffix),
    Function::new(
        "trimspace",
        "string",
        "The text without white space at its ends.",
        [r#"trimspace("  up\n")"#, r#""up""#],
    )
    .runs_deep(trimspace),
    Function::new(
        "chomp",
        "string",
        "The text without the line ends at its end.",
        [r#"chomp("up\r\n\n")"#, r#""up""#],
    )
    .runs_deep(chomp),
    Function::new(
        "substr",
        "string, offset, length",
        "A part of the text; a negative offset counts from the end, and the length -1 means the rest.",
        [r#"substr("hello world", -5, -1)"#, r#""world""#],
    )
    .takes(3, 3)
    .runs_deep(substr),
    Function::new(
        "startswith",
        "string, prefix",
        "Whether the text begins with the prefix.",
        [r#"startswith("https://x", "https:")"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(startswith),
    Function::new(
        "endswith",
        "string, suffix",
        "Whether the text ends with the suffix.",
        [r#"endswith("a.conf", ".d")"#, "false"],
    )
    .takes(2, 2)
    .runs_deep(endswith),
    Function::new(
        "strcontains",
        "string, part",
        "Whether the part is in the text.",
        [r#"strcontains("hello world", "wor")"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(strcontains),
    Function::new(
        "strrev",
        "string",
        "The text from its end, character by character.",
        [r#"strrev("hello")"#, r#""olleh""#],
    )
    .runs_deep(strrev),
    Function::new(
        "indent",
        "spaces, string",
        "The text with spaces in front of every line but the first and empty ones.",
        [r#"indent(2, "a:\nb")"#, r#""a:\n  b""#],
    )
    .takes(2, 2)
    .runs_deep(indent)
    .piped_last(),
];

fn join(args: &mut Args<'_>) -> FunctionResult {
    let separator = args.text(0)?;
    let mut out = String::new();
    let mut first = true;
    for index in 1..args.count() {
        let items = args.texts(index)?;
        args.budget.spend_bytes(separator.len().saturating_mul(items.len()))?;
        for item in items {
            if !first {
                out.push_str(&separator);
            }
            first = false;
            out.push_str(&item);
        }
    }
    Ok(out.into())
}

fn split(args: &mut Args<'_>) -> FunctionResult {
    let (separator, text) = (args.text(0)?, args.text(1)?);
    // Every part is a value, and there are at most as many as bytes.
    if separator.is_empty() {
        args.budget.spend(text.len())?;
        return Ok(list_of(text.chars().map(|c| c.encode_utf8(&mut [0; 4]).to_owned())));
    }
    args.budget.spend(text.matches(&*separator).count())?;
    Ok(list_of(text.split(&*separator)))
}

fn lower(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.to_lowercase().into())
}

fn upper(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.to_uppercase().into())
}

fn title(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        if inside {
            out.push(c);
        } else {
            out.extend(c.to_uppercase());
        }
        inside = c.is_alphanumeric() || c == '_' || c == '\'';
    }
    Ok(out.into())
}

fn trim(args: &mut Args<'_>) -> FunctionResult {
    let (text, characters) = (args.text(0)?, args.text(1)?);
    // Each character at the ends is compared with all of them.
    args.budget.spend(text.len().saturating_mul(characters.len()) / 64)?;
    Ok(text.trim_matches(|c| characters.contains(c)).into())
}

fn trimprefix(args: &mut Args<'_>) -> FunctionResult {
    let (text, prefix) = (args.text(0)?, args.text(1)?);
    Ok(text.strip_prefix(&*prefix).unwrap_or(&text).into())
}

fn trimsuffix(args: &mut Args<'_>) -> FunctionResult {
    let (text, suffix) = (args.text(0)?, args.text(1)?);
    Ok(text.strip_suffix(&*suffix).unwrap_or(&text).into())
}

fn trimspace(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.trim().into())
}

fn chomp(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.trim_end_matches(['\r', '\n']).into())
}

fn substr(args: &mut Args<'_>) -> FunctionResult {
    let (text, offset, length) = (args.text(0)?, args.int(1)?, args.int(2)?);
    if length < -1 {
        return Err(args.refuse_at(2, "the length must be -1 or more"));
    }
    let from = usize::try_from(offset).unwrap_or_else(|_| {
        // A negative offset counts from the end; an offset before the beginning means the beginning.
        let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
        text.chars().count().saturating_sub(distance)
    });
    let rest = text.char_indices().nth(from).map_or("", |(at, _)| &text[at..]);
    let substring = match usize::try_from(length) {
        Ok(length) => rest.char_indices().nth(length).map_or(rest, |(at, _)| &rest[..at]),
        Err(_) => rest,
    };
    Ok(substring.into())
}

fn startswith(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.starts_with(&*args.text(1)?).into())
}

fn endswith(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.ends_with(&*args.text(1)?).into())
}

fn strcontains(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.contains(&*args.text(1)?).into())
}

fn strrev(args: &mut Args<'_>) -> FunctionResult {
    Ok(args.text(0)?.chars().rev().collect::<String>().into())
}

fn indent(args: &mut Args<'_>) -> FunctionResult {
    let spaces = spaces(args)?;
    let text = args.text(1)?;
    args.budget.spend_bytes(text.matches('\n').count().saturating_mul(spaces))?;
    let indent = " ".repeat(spaces);
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
            // An empty line stays empty.
            out.push_str(if matches!(line, "" | "\r") { "" } else { &indent });
        }
        out.push_str(line);
    }
    Ok(out.into())
}

fn spaces(args: &Args<'_>) -> Result<usize, FunctionError> {
    let spaces = usize::try_from(args.int(0)?)
        .map_err(|_| args.refuse_at(0, "the number of spaces must not be negative"))?;
    args.budget.spend_bytes(spaces)?;
    Ok(spaces)
}
