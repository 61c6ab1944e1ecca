//! JSON forms of bytes, paths and times.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes, serialized as a string if they are text, and as `{"base64": ".."}` otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct Bytes(pub Vec<u8>);

#[derive(Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Form {
    Text(String),
    Encoded { base64: String },
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bytes::deserialize(deserializer).map(Self)
    }
}

/// A path, serialized as a string, or like bytes if it is not text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct WirePath(pub PathBuf);

impl Serialize for WirePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        path::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for WirePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        path::deserialize(deserializer).map(Self)
    }
}

/// Whether JSON would need many more bytes than the text has, because of escapes.
fn is_wasteful(text: &str) -> bool {
    let escapes = text.bytes().filter(|byte| *byte < 0x20 && !matches!(byte, b'\n' | b'\t' | b'\r')).count();
    escapes * 15 > text.len()
}

#[doc(hidden)]
pub mod bytes {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD;

    use super::{Deserialize as _, Deserializer, Form, Serialize as _, Serializer, is_wasteful};
    use serde::de::Error as _;

    #[doc(hidden)]
    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(bytes) {
            Ok(text) if !is_wasteful(text) => serializer.serialize_str(text),
            _ => Form::Encoded { base64: BASE64_STANDARD.encode(bytes) }.serialize(serializer),
        }
    }

    #[doc(hidden)]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(text.into_bytes()),
            Form::Encoded { base64 } => {
                BASE64_STANDARD.decode(base64).map_err(|_| D::Error::custom("no base64"))
            }
        }
    }
}

/// Converts bytes to a name, which may contain any bytes on Unix.
#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    use std::os::unix::ffi::OsStringExt as _;

    OsString::from_vec(bytes)
}

/// Converts bytes to a name, which is text on other systems.
#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[doc(hidden)]
pub mod path {
    use std::path::Path;

    use super::{Deserializer, PathBuf, Serializer, bytes, os_string};

    #[doc(hidden)]
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(path.as_os_str().as_encoded_bytes(), serializer)
    }

    #[doc(hidden)]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        bytes::deserialize(deserializer).map(|bytes| PathBuf::from(os_string(bytes)))
    }
}

#[doc(hidden)]
pub mod name {
    use std::ffi::OsStr;

    use super::{Deserializer, OsString, Serializer, bytes, os_string};

    #[doc(hidden)]
    pub fn serialize<S: Serializer>(name: &OsStr, serializer: S) -> Result<S::Ok, S::Error> {
        bytes::serialize(name.as_encoded_bytes(), serializer)
    }

    #[doc(hidden)]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<OsString, D::Error> {
        bytes::deserialize(deserializer).map(os_string)
    }
}

/// Serialization of `Option<SystemTime>` as nanoseconds since the start of 1970.
pub mod time {
    use super::{
        Deserialize as _, Deserializer, Serialize as _, Serializer, SystemTime, from_nanos, to_nanos,
    };

    #[doc(hidden)]
    pub fn serialize<S: Serializer>(time: &Option<SystemTime>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(to_nanos).serialize(serializer)
    }

    #[doc(hidden)]
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SystemTime>, D::Error> {
        Ok(Option::<i64>::deserialize(deserializer)?.map(from_nanos))
    }
}

/// Returns nanoseconds since the start of 1970.
///
/// Times out of range become the smallest or largest number.
#[doc(hidden)]
pub fn to_nanos(time: SystemTime) -> i64 {
    let clamped = |duration: Duration| i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => clamped(after),
        Err(before) => clamped(before.duration()).saturating_neg(),
    }
}

#[doc(hidden)]
pub fn from_nanos(nanos: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanos.unsigned_abs());
    let time = if nanos < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_are_text_where_they_can_be() {
        let check = |bytes: &[u8], expect: &str| {
            assert_eq!(serde_json::to_string(&Bytes(bytes.to_vec())).unwrap(), expect);
        };
        check(b"", r#""""#);
        check("n\u{e9}\n".as_bytes(), "\"n\u{e9}\\n\"");
        check(b"\xff", r#"{"base64":"/w=="}"#);
        check(b"\0\0\0", r#"{"base64":"AAAA"}"#);
        check(b"\xff\xfe", r#"{"base64":"//4="}"#);
        for bad in [r#"{"base64":"A"}"#, r#"{"base64":"A==="}"#, r#"{"base64":"A*=="}"#, r#"{"hex":""}"#, "1"]
        {
            assert!(serde_json::from_str::<Bytes>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times_are_nanoseconds() {
        for nanos in [0, 1, -1, 1_700_000_000_123_456_789, i64::MAX, -i64::MAX] {
            assert_eq!(to_nanos(from_nanos(nanos)), nanos);
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let sent = serde_json::to_string(&Bytes(bytes.clone())).unwrap();
            prop_assert_eq!(serde_json::from_str::<Bytes>(&sent).unwrap().0, bytes);
        }
    }
}
