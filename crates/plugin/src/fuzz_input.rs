//! A fuzz target for the plugin protocol: feeds arbitrary bytes to both sides.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::host::schema;
use super::protocol::{
    Ask, CallResult, FromHost, FromPlugin, WireError, WireStatus, WireSystemError, WireType, WireValue, line,
};
use crate::sdk::error::Error;
use crate::sdk::status::Status;

/// Reads each line as the host, as a plugin and as each part of a message.
///
/// Reading the parts alone lets a fuzzer reach them without first finding the message around them.
///
/// # Panics
///
/// If a message that was read is written differently.
pub fn hear(bytes: &[u8]) {
    for text in bytes.split(|byte| *byte == b'\n') {
        if let Some(message) = read(text) {
            as_plugin(message);
        }
        if let Some(message) = read(text) {
            as_host(message);
        }
        drop(read::<Ask>(text));
        drop(read::<WireValue>(text));
        if let Some(error) = read(text) {
            check_system_error(error);
        }
        if let Some(reply) = read(text) {
            check_result(reply);
        }
        if let Some(error) = read(text) {
            check_error(error);
        }
        if let Some(wire) = read(text) {
            check_type(&wire);
        }
    }
}

/// Reads a line and asserts that it stays the same when it is written and read again.
fn read<T: Serialize + DeserializeOwned>(text: &[u8]) -> Option<T> {
    let message: T = serde_json::from_slice(text).ok()?;
    let Ok(encoded_line) = line(&message) else { unreachable!("what was read cannot be written") };
    let end = encoded_line.iter().position(|byte| *byte == b'\n');
    assert_eq!(end, Some(encoded_line.len() - 1), "a message is one line");
    let second = serde_json::from_slice::<T>(&encoded_line).map(|again| line(&again));
    assert!(
        matches!(second, Ok(Ok(again)) if again == encoded_line),
        "{}",
        String::from_utf8_lossy(&encoded_line)
    );
    Some(message)
}

fn as_plugin(message: FromHost) {
    if let FromHost::Answer { error: Some(error), .. } = message {
        check_system_error(error);
    }
}

fn as_host(message: FromPlugin) {
    match message {
        FromPlugin::Result { ok, error, .. } => {
            if let Some(error) = error {
                check_error(error);
            }
            let Some(ok) = ok else { return };
            for wire_type in ok.get("types").and_then(|types| types.as_array()).into_iter().flatten() {
                if let Ok(wire) = serde_json::from_value(wire_type.clone()) {
                    check_type(&wire);
                }
            }
            if let Ok(reply) = serde_json::from_value(ok) {
                check_result(reply);
            }
        }
        FromPlugin::Ask { question, .. } => {
            if let Ok(ask) = serde_json::from_value::<Ask>(question) {
                drop(format!("{} {:?} {:?}", ask.name(), ask.effect(), ask.change_target()));
            }
        }
        FromPlugin::Hello { .. }
        | FromPlugin::Forget { .. }
        | FromPlugin::Progress { .. }
        | FromPlugin::Hide { .. }
        | FromPlugin::Close { .. } => {}
    }
}

fn check_system_error(error: WireSystemError) {
    drop(error.into_error().to_string());
}

fn check_result(reply: CallResult) {
    if let Some(status) = reply.status {
        let status = WireStatus::from(&Status::from(status));
        assert_eq!(WireStatus::from(&Status::from(status.clone())), status, "a status stays what it is");
    }
}

fn check_error(error: WireError) {
    drop(Error::from(error).to_string());
}

fn check_type(wire: &WireType) {
    if let Ok(schema) = schema(wire) {
        assert_eq!(schema.name, wire.name, "a type is described by its name");
    }
}
