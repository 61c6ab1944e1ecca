//! D-Bus messages as bytes.

use std::num::NonZeroU32;

use serde::Serialize;
use serde::de::DeserializeOwned;
use zbus::message::{Builder, Message};
use zbus::wire::Endian;
use zbus::wire::serialized::{Context, Data};
use zbus::{DynamicType, OwnedVariant, Type, Variant};

/// The common part of message headers.
///
/// It consists of byte order, kind, flags, version, length of the body, number, and fields.
type Head = (u8, u8, u8, u8, u32, u32, Vec<(u8, OwnedVariant)>);

/// The codes of header fields.
const PATH: u8 = 1;
const MEMBER: u8 = 3;

pub(super) struct Call {
    pub(super) path: String,
    pub(super) member: String,
    serial: NonZeroU32,
    body: Vec<u8>,
    endian: Endian,
}

/// Returns the length of the message that begins with these bytes, if they are enough to tell.
pub(super) fn length(buffer: &[u8]) -> Option<usize> {
    let number = |at: usize| {
        let bytes: [u8; 4] = buffer.get(at..at + 4)?.try_into().ok()?;
        let number = if buffer[0] == b'B' { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        usize::try_from(number).ok()
    };
    let (body, fields) = (number(4)?, number(12)?);
    let total = (16 + fields).next_multiple_of(8) + body;
    (buffer.len() >= total).then_some(total)
}

impl Call {
    /// Parses a method call, or returns `None` for another kind of message.
    pub(super) fn parse(message: &[u8]) -> Option<Self> {
        let endian = if message.first() == Some(&b'B') { Endian::Big } else { Endian::Little };
        let data = Data::new(message.to_vec(), Context::new(endian, 0));
        let ((_, kind, _, _, body, serial, fields), _): (Head, usize) = data.deserialize().ok()?;
        let field = |wanted: u8| {
            fields.iter().find(|(field, _)| *field == wanted).and_then(|(_, value)| match &**value {
                Variant::Str(text) => Some(text.as_str().to_owned()),
                Variant::ObjectPath(path) => Some(path.as_str().to_owned()),
                _ => None,
            })
        };
        let body_start = message.len().checked_sub(usize::try_from(body).ok()?)?;
        (kind == 1).then_some(())?;
        Some(Self {
            path: field(PATH)?,
            member: field(MEMBER)?,
            serial: NonZeroU32::new(serial)?,
            body: message[body_start..].to_vec(),
            endian,
        })
    }

    pub(super) fn arguments<T: DeserializeOwned + Type>(&self) -> Option<T> {
        let data = Data::new(self.body.clone(), Context::new(self.endian, 0));
        data.deserialize().ok().map(|(arguments, _)| arguments)
    }

    /// Returns the first argument, which is a text.
    pub(super) fn text(&self) -> String {
        let length = self.body.get(..4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
        let length = length.and_then(|length| usize::try_from(length).ok()).unwrap_or_default();
        let text = self.body.get(4..4 + length).unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    pub(super) fn reply<B: Serialize + DynamicType>(&self, body: &B) -> Vec<u8> {
        self.answer(body, |to| Message::method_return(&to.header()))
    }

    pub(super) fn error(&self, name: &'static str, message: &str) -> Vec<u8> {
        self.answer(&(message,), |to| Message::error(&to.header(), name))
    }

    /// Returns an answer to the call, to which it refers by number.
    fn answer<B: Serialize + DynamicType>(
        &self,
        body: &B,
        answer: impl FnOnce(&Message) -> Builder<'static>,
    ) -> Vec<u8> {
        let to = Message::method_call("/", "Any").serial(self.serial).build(&());
        to.map(|to| bytes(answer(&to).sender(SENDER), body)).unwrap_or_default()
    }
}

/// The bus name of systemd in the model.
pub(super) const SENDER: &str = ":1.1";

pub(super) fn bytes<B: Serialize + DynamicType>(builder: Builder<'_>, body: &B) -> Vec<u8> {
    builder.build(body).map(|message| message.data().bytes().to_vec()).unwrap_or_default()
}
