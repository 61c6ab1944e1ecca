//! Quoting for shells.

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::function::Function;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[Function::new(
    "quote",
    "value",
    "A text as one word for a POSIX shell, which means nothing but itself there; of a list the words, with spaces between them.",
    [r#"quote(["echo", "it's", "$HOME"])"#, r#""echo 'it'\\''s' '$HOME'""#],
)
.runs_deep(quote)];

fn quote(args: &mut Args<'_>) -> FunctionResult {
    let words = match args.get(0) {
        Value::List(_) => args.texts(0)?,
        _ => vec![args.text(0)?],
    };
    let mut out = String::new();
    for (index, word) in words.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { " " });
        push_word(args, word, &mut out)?;
    }
    Ok(out.into())
}

fn push_word(args: &Args<'_>, word: &str, out: &mut String) -> Result<(), FunctionError> {
    if word.contains('\0') {
        return Err(args.refuse_at(0, "a word of a shell cannot hold a zero byte"));
    }
    let is_plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'@' | b'%' | b'+' | b':' | b',' | b'.' | b'/' | b'_' | b'-')
    };
    if !word.is_empty() && word.bytes().all(is_plain) {
        out.push_str(word);
        return Ok(());
    }
    // A quote becomes four characters.
    args.budget.spend_bytes(word.len().saturating_mul(4))?;
    out.push('\'');
    out.push_str(&word.replace('\'', r"'\''"));
    out.push('\'');
    Ok(())
}
