//! The schema context of a position: the holder of its items, and the fields that it accepts.

use std::sync::Arc;

use super::cursor::Frame;
use super::index::{CASE, DEFAULT, MODULE, PARAMS, SWITCH};
use crate::sdk::registry::ResourceType;
use crate::types::schema::{BlockKind, Field, Kind, find_field};
use converge_load::{TypeTable, meta_arguments};

/// The construct whose items surround a position.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    File,
    Switch,
    Case,
    /// A call of the module with this source.
    Call(String),
    /// The values for the parameters of a module.
    ParamsOfCall(String),
    Resource(Arc<ResourceType>),
    /// A nested block.
    Block(BlockKind),
    /// A map whose names are data.
    MapOf(Kind),
    /// A construct without a known schema.
    Unknown,
}

/// The owner of a value.
#[derive(Clone, Debug)]
pub(super) struct ValueOf {
    pub(super) name: String,
    /// The field that has the value. `None` for an item of a list or map.
    pub(super) field: Option<Field>,
    pub(super) kind: Kind,
    /// Whether the field is an argument that every resource accepts.
    pub(super) is_argument: bool,
    /// The source of the called module if the value is one of its parameters.
    call: Option<String>,
    pub(super) is_condition: bool,
}

/// The schema context of a position.
#[derive(Clone, Debug)]
pub(super) struct SchemaContext {
    pub(super) holder: Holder,
    pub(super) value: Option<ValueOf>,
}

/// Returns the block that a field accepts, single or repeated.
fn block_of(kind: &Kind) -> Option<&BlockKind> {
    match kind {
        Kind::Block(block) => Some(block),
        Kind::List(item) | Kind::OneOrMany(item) => block_of(item),
        _ => None,
    }
}

/// Returns an argument that all resources and module calls accept.
pub(super) fn argument(name: &str) -> Option<Field> {
    meta_arguments().fields.into_iter().find(|field| field.name == name)
}

impl SchemaContext {
    /// Returns the schema context for these frames.
    pub(super) fn from_frames(frames: &[Frame], types: &TypeTable<'_>) -> Self {
        let file = Self { holder: Holder::File, value: None };
        frames.iter().fold(file, |around, frame| around.enter(frame, types))
    }

    fn enter(self, frame: &Frame, types: &TypeTable<'_>) -> Self {
        let Self { holder, value } = self;
        let body = |holder| Self { holder, value: None };
        let Some(value) = value else {
            return match frame {
                Frame::Block { kind, labels, .. } => body(Self::block(&holder, kind, labels, types)),
                Frame::Value(name) => {
                    let value = Self::named(&holder, name);
                    Self { holder, value: Some(value) }
                }
                Frame::Map | Frame::List | Frame::Call(_) => body(Holder::Unknown),
            };
        };
        match frame {
            Frame::Map => body(match (value.call, &value.kind) {
                (Some(source), _) => Holder::ParamsOfCall(source),
                (None, Kind::Map(item)) => Holder::MapOf((**item).clone()),
                (None, kind) => block_of(kind).cloned().map_or(Holder::Unknown, Holder::Block),
            }),
            Frame::List => {
                let kind = match &value.kind {
                    Kind::List(item) | Kind::OneOrMany(item) => (**item).clone(),
                    _ => Kind::Any,
                };
                Self { holder, value: Some(ValueOf { kind, ..value }) }
            }
            Frame::Call(_) => {
                let inner = ValueOf { kind: Kind::Any, field: None, is_condition: false, ..value };
                Self { holder, value: Some(inner) }
            }
            Frame::Value(_) | Frame::Block { .. } => body(Holder::Unknown),
        }
    }

    fn block(holder: &Holder, kind: &str, labels: &[String], types: &TypeTable<'_>) -> Holder {
        match (holder, kind) {
            (Holder::File, SWITCH) => Holder::Switch,
            (Holder::Switch, CASE | DEFAULT) => Holder::Case,
            (Holder::File, MODULE) => Holder::Call(labels.first().cloned().unwrap_or_default()),
            (Holder::Call(source), PARAMS) => Holder::ParamsOfCall(source.clone()),
            (Holder::File | Holder::Case, kind) => {
                types.get(kind).cloned().map_or(Holder::Unknown, Holder::Resource)
            }
            (Holder::Resource(_) | Holder::Block(_), kind) => {
                let field = Self::field(holder, kind);
                let block = field.as_ref().and_then(|(field, _)| block_of(&field.kind));
                block.cloned().map_or(Holder::Unknown, Holder::Block)
            }
            _ => Holder::Unknown,
        }
    }

    /// Returns the field with a name, and whether every resource accepts it.
    pub(super) fn field(holder: &Holder, name: &str) -> Option<(Field, bool)> {
        match holder {
            Holder::Resource(known) => {
                let own_field = known.schema().field(name).map(|(_, field)| (field.clone(), false));
                own_field.or_else(|| Some((argument(name)?, true)))
            }
            Holder::Call(_) => Some((argument(name)?, true)),
            Holder::Block(block) => Some((find_field(&block.fields, name)?.1.clone(), false)),
            _ => None,
        }
    }

    fn named(holder: &Holder, name: &str) -> ValueOf {
        let (field, is_argument) = Self::field(holder, name)
            .map_or((None, false), |(field, is_argument)| (Some(field), is_argument));
        let kind = match (&field, holder) {
            (Some(field), _) => field.kind.clone(),
            (None, Holder::MapOf(kind)) => kind.clone(),
            _ => Kind::Any,
        };
        let call = match holder {
            Holder::Call(source) if name == PARAMS => Some(source.clone()),
            _ => None,
        };
        let is_condition = match holder {
            Holder::Block(block) => name == "condition" && find_field(&block.fields, "message").is_some(),
            _ => is_argument && name == "when",
        };
        ValueOf { name: name.to_owned(), field, kind, is_argument, call, is_condition }
    }
}
