//! JSON, YAML and base64.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;

use super::arguments::{Args, FunctionResult};
use super::function::Function;
use super::{yaml, yaml_reader};
use crate::language::budget::{OutOfSteps, StepBudget};
use crate::language::convert;
use crate::language::go_format::escape::json_string;
use crate::types::value::{Value, json_number_beyond_64_bits};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "jsonencode",
        "value, spaces",
        "JSON with sorted keys and without spaces, or for people: with each item on a line, indented by so many spaces. `<`, `>` and `&` are escaped.",
        ["jsonencode({b = [1, true], a = null})", r#""{\"a\":null,\"b\":[1,true]}""#],
    )
    .takes(1, 2)
    .runs_deep(jsonencode),
    Function::new(
        "jsondecode",
        "string",
        "The value of a JSON text.",
        [r#"jsondecode("{\"a\": [1]}")"#, "{a = [1]}"],
    )
    .runs_deep(jsondecode),
    Function::new(
        "yamlencode",
        "value",
        "YAML in block style, with sorted keys and quoted text.",
        [r#"yamlencode({a = ["b", 1]})"#, r#""\"a\":\n- \"b\"\n- 1\n""#],
    )
    .runs_deep(yamlencode),
    Function::new(
        "yamldecode",
        "string",
        "The value of a YAML text of one document; aliases are replaced, and tags are errors.",
        [r#"yamldecode("a: [1, true]\nb:\n- c\n")"#, r#"{a = [1, true], b = ["c"]}"#],
    )
    .runs_deep(yamldecode),
    Function::new(
        "base64encode",
        "string",
        "The bytes of the text in base64.",
        [r#"base64encode("hello")"#, r#""aGVsbG8=""#],
    )
    .runs_deep(base64encode),
    Function::new(
        "base64decode",
        "string",
        "The text of base64.",
        [r#"base64decode("aGVsbG8=")"#, r#""hello""#],
    )
    .runs_deep(base64decode),
];

fn jsonencode(args: &mut Args<'_>) -> FunctionResult {
    args.budget.spend_text(args.get(0))?;
    if args.count() == 1 {
        return Ok(json(args.get(0)).into());
    }
    let spaces = usize::try_from(args.int(1)?).ok().filter(|spaces| (1..=16).contains(spaces));
    let spaces = spaces.ok_or_else(|| args.refuse_at(1, "there are 1 to 16 spaces"))?;
    let mut lines = JsonLines { out: String::new(), spaces, depth: 0, budget: args.budget };
    lines.write(args.get(0))?;
    Ok(lines.out.into())
}

/// Writes JSON with each item on its own line.
struct JsonLines<'w> {
    out: String,
    spaces: usize,
    depth: usize,
    budget: &'w StepBudget<'w>,
}

impl JsonLines<'_> {
    fn write(&mut self, value: &Value) -> Result<(), OutOfSteps> {
        match value {
            Value::List(items) if !items.is_empty() => self.items(['[', ']'], items, Self::write),
            Value::Map(items) if !items.is_empty() => {
                self.items(['{', '}'], convert::sorted(items), |lines, (name, item)| {
                    json_string(&mut lines.out, name);
                    lines.out.push_str(": ");
                    lines.write(item)
                })
            }
            other => {
                write_json(&mut self.out, other);
                Ok(())
            }
        }
    }

    fn items<T>(
        &mut self,
        [open, close]: [char; 2],
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<(), OutOfSteps>,
    ) -> Result<(), OutOfSteps> {
        self.out.push(open);
        self.depth += 1;
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line()?;
            write(self, item)?;
        }
        self.depth -= 1;
        self.line()?;
        self.out.push(close);
        Ok(())
    }

    /// Begins a line. Deeply nested values have more indentation than text, so it is charged to the budget.
    fn line(&mut self) -> Result<(), OutOfSteps> {
        let blanks = self.spaces * self.depth;
        self.budget.spend_bytes(blanks)?;
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n(' ', blanks));
        Ok(())
    }
}

/// Formats a value as JSON with sorted keys and no spaces.
pub(super) fn json(value: &Value) -> String {
    let mut out = String::new();
    write_json(&mut out, value);
    out
}

fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::Null | Value::Unknown(_) | Value::Secret(_) => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) => {
            out.push_str(&convert::text(value).unwrap_or_else(|| "null".into()));
        }
        Value::Float(number) => out.push_str(&convert::float_in_document(*number)),
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
    let text = args.document(0)?;
    // Every two bytes may be an item.
    args.budget.spend(text.len() / 2)?;
    let json: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| args.refuse_at(0, format!("this is not JSON: {error}")))?;
    match json_number_beyond_64_bits(&text).and_then(|range| text.get(range)) {
        Some(number) => {
            Err(args.refuse_at(0, format!("the number {number} is out of range; quotes make a text of it")))
        }
        None => Ok(from_json(json)),
    }
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

fn yamldecode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.document(0)?;
    match yaml_reader::decode(&text, args.budget) {
        Ok(value) => Ok(value),
        Err(yaml_reader::YamlError::Invalid { line, message }) => {
            Err(args.refuse_at(0, format!("this is not valid YAML: line {line}: {message}")))
        }
        Err(yaml_reader::YamlError::TooMuchWork(reason)) => Err(reason.into()),
    }
}

/// A decoder that ignores the bits of the last digit that belong to no byte.
const DECODER: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

fn base64encode(args: &mut Args<'_>) -> FunctionResult {
    Ok(BASE64_STANDARD.encode(&*args.text(0)?).into())
}

fn base64decode(args: &mut Args<'_>) -> FunctionResult {
    let text = args.text(0)?;
    let bytes = DECODER
        .decode(text.replace(['\r', '\n'], ""))
        .map_err(|_| args.refuse_at(0, "this is not base64"))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text.into()),
        Err(_) => Err(args.refuse_at(0, "this is base64 of something that is not text")),
    }
}
