//! JSON, YAML, base64 and hashes.

use sha2::{Digest, Sha256};

use super::arguments::{Args, FunctionResult};
use super::function::Function;
use super::yaml;
use crate::language::expression::convert;
use crate::language::template::json_string;
use crate::types::value::Value;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "jsonencode",
        "value",
        "JSON with sorted keys and without spaces; `<`, `>` and `&` are escaped.",
        ["jsonencode({b = [1, true], a = null})", r#""{\"a\":null,\"b\":[1,true]}""#],
    )
    .whole(jsonencode),
    Function::new(
        "jsondecode",
        "string",
        "The value of a JSON text.",
        [r#"jsondecode("{\"a\": [1]}")"#, "{a = [1]}"],
    )
    .whole(jsondecode),
    Function::new(
        "yamlencode",
        "value",
        "YAML in block style, with sorted keys and quoted text.",
        [r#"yamlencode({a = ["b", 1]})"#, r#""\"a\":\n- \"b\"\n- 1\n""#],
    )
    .whole(yamlencode),
    Function::new(
        "base64encode",
        "string",
        "The bytes of the text in base64.",
        [r#"base64encode("hello")"#, r#""aGVsbG8=""#],
    )
    .whole(base64encode),
    Function::new(
        "base64decode",
        "string",
        "The text of base64.",
        [r#"base64decode("aGVsbG8=")"#, r#""hello""#],
    )
    .whole(base64decode),
    Function::new(
        "sha256",
        "string",
        "The SHA-256 hash of the text, in hexadecimal.",
        [r#"substr(sha256("hello"), 0, 8)"#, r#""2cf24dba""#],
    )
    .whole(sha256),
];

fn jsonencode(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    Ok(json(args.get(0)).into())
}

/// A value as JSON: sorted keys, no spaces.
pub(super) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null | Value::Unknown(_) | Value::Secret(_) => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
            out.push_str(&convert::text(value).unwrap_or_else(|| "null".into()));
        }
        Value::String(text) => json_string(out, text),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_json(out, item);
            }
            out.push(']');
        }
        Value::Map(items) => {
            out.push('{');
            for (index, (name, item)) in convert::sorted(items).into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                json_string(out, name);
                out.push(':');
                write_json(out, item);
            }
            out.push('}');
        }
    }
}

fn jsondecode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    // Every two bytes may be an item.
    args.budget.spend(text.len() / 2)?;
    let json: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| args.refuse_at(0, format!("this is no JSON: {error}")))?;
    Ok(from_json(json))
}

fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => number.as_f64().and_then(convert::Number::from_float).map_or(Value::Null, Value::from),
        },
        serde_json::Value::String(text) => Value::from(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(items) => {
            Value::Map(items.into_iter().map(|(name, item)| (name, from_json(item))).collect())
        }
    }
}

fn yamlencode(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    Ok(yaml::encode(args.get(0), args.budget)?.into())
}

fn sha256(args: &mut Args<'_>) -> FunctionResult {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(args.text(0)?.as_bytes()) {
        for digit in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(digit.into(), 16));
        }
    }
    Ok(out.into())
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64encode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    let mut out = String::with_capacity(text.len().div_ceil(3) * 4);
    for chunk in text.as_bytes().chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place) & 63) as usize;
            out.push(if place <= chunk.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    Ok(out.into())
}

fn base64decode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    let bytes = from_base64(&text).ok_or_else(|| args.refuse_at(0, "this is no base64"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(args.refuse_at(0, "this is base64 of something that is no text")),
    }
}

/// The bytes of base64 with its padding; line ends are skipped.
fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut out = Vec::with_capacity(digits.len() / 4 * 3);
    let last = digits.len() / 4;
    for (index, chunk) in (1..).zip(digits.chunks_exact(4)) {
        let padding = chunk.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || padding > 0 && index != last {
            return None;
        }
        let mut bits = 0_u32;
        for byte in &chunk[..4 - padding] {
            let digit = ALPHABET.iter().position(|digit| digit == byte)?;
            bits = bits << 6 | u32::try_from(digit).ok()?;
        }
        bits <<= 6 * padding;
        let [_, a, b, c] = bits.to_be_bytes();
        out.extend_from_slice(&[a, b, c][..3 - padding]);
    }
    Some(out)
}
