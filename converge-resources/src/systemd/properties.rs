use std::collections::HashMap;

use converge_sdk::prelude::*;
use converge_sdk::schema::Shape;
use zbus::{OwnedVariant, Variant};

/// Properties by name, which are converted to values of the module language only on a lookup.
#[derive(Debug, Default)]
pub(super) struct Properties(HashMap<String, OwnedVariant>);

impl Properties {
    pub(super) fn new(properties: HashMap<String, OwnedVariant>) -> Self {
        Self(properties)
    }

    fn get(&self, name: &str) -> Option<&Variant<'static>> {
        self.0.get(name).map(|value| &**value)
    }

    /// Returns a text, or an empty one if there is no such property.
    pub(super) fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Variant::Str(text)) => text.as_str(),
            Some(Variant::ObjectPath(path)) => path.as_str(),
            _ => "",
        }
    }

    /// Whether a property exists and is true.
    pub(super) fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Variant::Bool(true)))
    }

    /// Returns a number, or 0 if there is no such property.
    pub(super) fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Variant::U64(number)) => *number,
            Some(value) => integer(value).and_then(|number| number.try_into().ok()).unwrap_or_default(),
            None => 0,
        }
    }

    /// Returns the structs in a list.
    pub(super) fn structs(&self, name: &str) -> impl Iterator<Item = &[Variant<'static>]> {
        let items = match self.get(name) {
            Some(Variant::Array(items)) => items.inner(),
            _ => &[],
        };
        items.iter().filter_map(|item| match item {
            Variant::Structure(fields) => Some(fields.fields()),
            _ => None,
        })
    }

    /// Returns the texts in a struct or list.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        match self.get(name) {
            Some(Variant::Structure(fields)) => fields.fields().iter().filter_map(text).collect(),
            Some(Variant::Array(items)) => items.inner().iter().filter_map(text).collect(),
            _ => Vec::new(),
        }
    }
}

/// Accepts any property name of systemd.
///
/// There are about 500 names, and they differ between versions of systemd: a fixed list would refuse valid
/// ones. A missing name is an error of the lookup.
impl ToValue for Properties {
    fn shape() -> Shape {
        Shape::Open
    }

    fn to_value(&self) -> Value {
        let mut names: Vec<_> = self.0.iter().collect();
        names.sort_by(|a, b| a.0.cmp(b.0));
        Value::Map(names.into_iter().map(|(name, value)| (name.clone(), to_value(value))).collect())
    }
}

/// Returns the text of a text value.
pub(super) fn text<'v>(value: &'v Variant<'_>) -> Option<&'v str> {
    match value {
        Variant::Str(text) => Some(text.as_str()),
        _ => None,
    }
}

/// Returns the number of an integer value of up to 63 bits.
pub(super) fn integer(value: &Variant<'_>) -> Option<i64> {
    match value {
        Variant::U8(number) => Some((*number).into()),
        Variant::I16(number) => Some((*number).into()),
        Variant::U16(number) => Some((*number).into()),
        Variant::I32(number) => Some((*number).into()),
        Variant::U32(number) => Some((*number).into()),
        Variant::I64(number) => Some(*number),
        Variant::U64(number) => (*number).try_into().ok(),
        _ => None,
    }
}

fn to_value(value: &Variant<'_>) -> Value {
    match value {
        Variant::Bool(value) => Value::Bool(*value),
        Variant::F64(number) => Value::Float(*number),
        // A number beyond 63 bits is exported as text: systemd uses it for no limit.
        Variant::U64(number) => number.to_value(),
        Variant::Str(text) => Value::string(text.as_str()),
        Variant::ObjectPath(path) => Value::string(path.as_str()),
        Variant::Signature(signature) => Value::string(signature.to_string()),
        Variant::Variant(value) => to_value(value),
        Variant::Array(items) => Value::List(items.inner().iter().map(to_value).collect()),
        Variant::Structure(fields) => Value::List(fields.fields().iter().map(to_value).collect()),
        Variant::Dict(items) => {
            let name = |key: &Variant<'_>| match to_value(key) {
                Value::String(text) => text.as_ref().to_owned(),
                key => key.to_string(),
            };
            Value::Map(items.iter().map(|(key, item)| (name(key), to_value(item))).collect())
        }
        value => integer(value).map_or(Value::Null, Value::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn properties() -> Properties {
        let mut listen = HashMap::new();
        listen.insert("port", 80_u16);
        let values = [
            ("ActiveState", Variant::from("active")),
            ("CanReload", Variant::from(true)),
            ("ExecMainPID", Variant::from(71_u32)),
            ("Nice", Variant::from(-5_i32)),
            ("MemoryMax", Variant::from(u64::MAX)),
            ("TimeoutStartUSec", Variant::from(90_000_000_u64)),
            ("After", Variant::from(vec!["basic.target", "sysinit.target"])),
            ("LoadError", Variant::from(("org.x.Bad", "it is bad"))),
            ("Conditions", Variant::from(vec![("ConditionPathExists", false, false, "/x", -1_i32)])),
            ("Listen", Variant::from(listen)),
            ("InvocationID", Variant::from(vec![1_u8, 255])),
            ("Wrapped", Variant::Variant(Box::new(Variant::from(1.5_f64)))),
        ];
        let owned = |(name, value): (&str, Variant<'_>)| (name.to_owned(), value.try_to_owned().unwrap());
        Properties::new(values.into_iter().map(owned).collect())
    }

    #[test]
    fn values_of_the_module_language() {
        let properties = properties().to_value();
        let check = |name: &str, expect: &str| {
            let Value::Map(items) = &properties else { panic!("{properties}") };
            assert_eq!(items[name].to_string(), expect, "{name}");
        };
        check("ActiveState", "\"active\"");
        check("CanReload", "true");
        check("ExecMainPID", "71");
        check("Nice", "-5");
        check("MemoryMax", "\"18446744073709551615\"");
        check("After", "[\"basic.target\", \"sysinit.target\"]");
        check("LoadError", "[\"org.x.Bad\", \"it is bad\"]");
        check("Conditions", "[[\"ConditionPathExists\", false, false, \"/x\", -1]]");
        check("Listen", "{port = 80}");
        check("InvocationID", "[1, 255]");
        check("Wrapped", "1.5");
    }

    #[test]
    fn what_the_resource_reads_itself() {
        let properties = properties();
        assert_eq!(properties.text("ActiveState"), "active");
        assert_eq!(properties.text("ExecMainPID"), "");
        assert!(properties.flag("CanReload") && !properties.flag("CanStart"));
        assert_eq!(properties.number("ExecMainPID"), 71);
        assert_eq!(properties.number("MemoryMax"), u64::MAX);
        assert_eq!(properties.number("Nice"), 0);
        assert_eq!(properties.texts("LoadError"), ["org.x.Bad", "it is bad"]);
        assert_eq!(properties.texts("After"), ["basic.target", "sysinit.target"]);
        let conditions: Vec<_> = properties.structs("Conditions").map(|fields| text(&fields[3])).collect();
        assert_eq!(conditions, [Some("/x")]);
    }
}
