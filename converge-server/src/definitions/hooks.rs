//! Service hooks for types that are only known by a descriptor.

use converge_controller::Data;
use converge_controller::registry::{Cause, Hooks};
use prost_reflect::{DynamicMessage, Kind, MessageDescriptor, SerializeOptions, Value};

/// Checks that data match the descriptor and can be written as JSON.
pub(super) struct Described(pub(super) MessageDescriptor);

/// The number of an enum field that the enum does not define.
#[derive(Debug, thiserror::Error)]
#[error("{field} is {number}, which is not a value of {of}")]
struct UnknownNumber {
    field: String,
    number: i32,
    of: String,
}

impl Hooks for Described {
    fn check_data(&self, data: &Data) -> Result<(), Cause> {
        let message = DynamicMessage::decode(self.0.clone(), data.value.clone())?;
        check_enum_numbers(&message)?;
        // A time or duration may have bytes without a JSON form. One such resource would make a whole list
        // unreadable.
        message.serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())?;
        Ok(())
    }
}

/// Checks that each enum number is defined, so that no unknown value is silently lost.
fn check_enum_numbers(message: &DynamicMessage) -> Result<(), UnknownNumber> {
    for (field, value) in message.fields() {
        let kind = match field.kind() {
            Kind::Message(entry) if entry.is_map_entry() => entry.map_entry_value_field().kind(),
            kind => kind,
        };
        let name = field.full_name();
        match value {
            Value::List(values) => {
                values.iter().try_for_each(|value| check_enum_number(name, &kind, value))?;
            }
            Value::Map(values) => {
                values.values().try_for_each(|value| check_enum_number(name, &kind, value))?;
            }
            value => check_enum_number(name, &kind, value)?,
        }
    }
    Ok(())
}

fn check_enum_number(field: &str, kind: &Kind, value: &Value) -> Result<(), UnknownNumber> {
    match (kind, value) {
        (Kind::Enum(it), Value::EnumNumber(number)) if it.get_value(*number).is_none() => {
            let (field, owner) = (field.to_owned(), it.full_name().to_owned());
            Err(UnknownNumber { field, number: *number, of: owner })
        }
        (_, Value::Message(inner)) => check_enum_numbers(inner),
        _ => Ok(()),
    }
}
