//! A validator for the subset of JSON Schema that Converge uses.
//!
//! An unknown keyword is an error, so that every rule is checked.

use serde_json::{Map, Value};

/// Returns the violations of a schema in a document, each with its place.
pub fn problems(schema: &Value, document: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    Checker { root: schema, problems: &mut problems }.check(schema, document, "");
    problems
}

struct Checker<'a> {
    root: &'a Value,
    problems: &'a mut Vec<String>,
}

impl<'a> Checker<'a> {
    fn check(&mut self, schema: &'a Value, value: &Value, pointer: &str) {
        for (word, rule) in schema.as_object().into_iter().flatten() {
            let fits = match word.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#')).unwrap_or_default();
                    let target = self.root.pointer(path);
                    if let Some(target) = target {
                        self.check(target, value, pointer);
                    }
                    target.is_some()
                }
                "type" => is_of(rule, value),
                "enum" => rule.as_array().is_some_and(|words| words.contains(value)),
                "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap_or(f64::MAX)),
                // All patterns in use only describe a prefix.
                "pattern" => begins(rule, value),
                "oneOf" => {
                    let fits = |schema: &&Value| {
                        let mut problems = Vec::new();
                        Checker { root: self.root, problems: &mut problems }.check(schema, value, pointer);
                        problems.is_empty()
                    };
                    rule.as_array().is_some_and(|schemas| schemas.iter().filter(fits).count() == 1)
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{pointer}/{number}"));
                    }
                    true
                }
                "required" => {
                    let is_present =
                        |name: &Value| name.as_str().is_some_and(|name| value.get(name).is_some());
                    rule.as_array().is_some_and(|names| names.iter().all(is_present))
                }
                "properties" => {
                    for (name, rule) in rule.as_object().into_iter().flatten() {
                        if let Some(value) = value.get(name) {
                            self.check(rule, value, &format!("{pointer}/{name}"));
                        }
                    }
                    true
                }
                "additionalProperties" if rule == &Value::Bool(false) => {
                    let known_properties = schema.get("properties").and_then(Value::as_object);
                    let is_known = |name: &String| {
                        known_properties.is_some_and(|known: &Map<_, _>| known.contains_key(name))
                    };
                    value.as_object().is_none_or(|properties| properties.keys().all(is_known))
                }
                _ => false,
            };
            if !fits {
                self.problems.push(format!("{pointer}: {value} does not fit {word} {rule}"));
            }
        }
    }
}

fn is_of(rule: &Value, value: &Value) -> bool {
    match rule.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => value.is_i64() || value.is_u64(),
        _ => false,
    }
}

fn begins(rule: &Value, value: &Value) -> bool {
    let (Some(rule), Some(text)) = (rule.as_str(), value.as_str()) else { return true };
    match rule {
        r"^1\." => text.starts_with("1."),
        "^root(/|$)" => text == "root" || text.starts_with("root/"),
        "^[0-9a-f]+$" => {
            !text.is_empty() && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/number" }, "b": { "oneOf": [{ "enum": ["x"] }, { "type": "array" }] } },
            "required": ["a"],
            "additionalProperties": false,
            "$defs": { "number": { "type": "integer", "minimum": 1 } },
        });
        assert_eq!(problems(&schema, &json!({ "a": 1, "b": "x" })), [""; 0]);
        for invalid in [
            json!([]),
            json!({}),
            json!({ "a": 0 }),
            json!({ "a": "1" }),
            json!({ "a": 1, "b": "y" }),
            json!({ "a": 1, "c": 1 }),
        ] {
            assert_ne!(problems(&schema, &invalid), [""; 0], "{invalid}");
        }
        assert_ne!(problems(&json!({ "minLength": 1 }), &json!("a")), [""; 0], "a word that is not known");
    }
}
