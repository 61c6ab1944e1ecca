//! What the code that the derives write calls. Not part of the public API.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::OnceLock;

use regex_lite::Regex;

use crate::sdk::context::Context;
use crate::sdk::error::Result as SdkResult;
use crate::sdk::resource::{Batch, HasFootprint, Preparer, Refresh, Renderer, Resource, Validate};
use crate::types::check::Fields;
use crate::types::convert::{FromValue, TextRule, ToValue, reveal, wrong_kind};
use crate::types::schema::{BlockKind, Field, FieldNames, Kind};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, REDACTED, Value, ValuePath};

/// The value of a field that is not written and has no default of its own.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` has no value when it is not written",
    label = "`Default` is not implemented for this type",
    note = "make the field an `Option`, or implement `Default` for its type; where no other field may be written \
            instead, `#[hcl(required)]` or `#[hcl(default = ..)]` on it does as well"
)]
pub trait Absent: Sized {
    /// The value.
    fn absent() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Absent for T {
    fn absent() -> Self {
        T::default()
    }
}

/// Gives the value of a field that is not written.
///
/// A type that is not a [`FromValue`] has its own error. It finds [`NoField::value`] here, which asks for
/// nothing, as the inherent function needs a `FromValue`; so no second error comes on top.
#[derive(Debug)]
pub struct Absence<T>(PhantomData<T>);

impl<T: FromValue> Absence<T> {
    /// The value.
    pub fn value() -> Option<T>
    where
        T: Absent,
    {
        Some(T::absent())
    }
}

/// Whether a type has an impl that the derive has to know of: what is behind a macro cannot ask for that in another way.
///
/// The constant of the type itself needs the trait, and goes before the one of [`SaysNothing`], which needs nothing.
macro_rules! said {
    ($($(#[$doc:meta])* $name:ident of $bound:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(PhantomData<T>);

        impl<T: $bound> $name<T> {
            /// It does.
            pub const IS: bool = true;
        }

        impl<T> SaysNothing for $name<T> {}
    )*};
}

said! {
    /// Whether a resource implements `Validate`.
    Validates of Validate;
    /// Whether a resource implements `HasFootprint`.
    Footprints of HasFootprint;
    /// Whether a task implements `Refresh`.
    Refreshes of Refresh;
    /// Whether a task implements `Batch`.
    Batches of Batch;
}

/// A resource that is its own task and needs no more than its fields: `task = Self` without `prepare`.
///
/// Who writes `impl Resource` beside that is told of a conflict with the impl below, in which this name is what says why.
pub trait TaskIsSelfAndTheWordPrepareIsMissing: Preparer<Task = Self> {}

#[diagnostic::do_not_recommend]
impl<T: TaskIsSelfAndTheWordPrepareIsMissing> Resource for T {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> SdkResult<Self> {
        Ok(self)
    }
}

/// What the constants above fall back to.
pub trait SaysNothing {
    /// It does not.
    const IS: bool = false;
}

/// The names of the fields of a block; a resource finds [`NamesOfResource`] here.
#[derive(Debug)]
pub struct NamesOf<T>(PhantomData<T>);

impl<T: Block> NamesOf<T> {
    /// The names.
    pub const NAMES: &'static FieldNames = &T::NAMES;
}

/// What [`NamesOf`] falls back to.
pub trait NamesOfResource {
    /// The names.
    const NAMES: &'static FieldNames;
}

impl<T: Preparer> NamesOfResource for NamesOf<T> {
    const NAMES: &'static FieldNames = &T::NAMES;
}

/// The names of the fields of an embedded type. One that is no block has its error from [`embed`], and finds [`AnyNames`] here.
#[derive(Debug)]
pub struct EmbeddedNames<T>(PhantomData<T>);

impl<T: Block> EmbeddedNames<T> {
    /// The names.
    pub const NAMES: &'static FieldNames = &T::NAMES;
}

/// How deep blocks lie in each other in the type of a field. One that is no field has its error elsewhere, and finds [`NoBlocks`] here.
#[derive(Debug)]
pub struct BlocksIn<T>(PhantomData<T>);

impl<T: FromValue> BlocksIn<T> {
    /// So deep.
    pub const DEPTH: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;
}

/// What [`BlocksIn`] falls back to.
pub trait NoBlocks {
    /// There are none.
    const DEPTH: usize = 0;
}

impl<T> NoBlocks for BlocksIn<T> {}

/// The most of them, and one more.
pub const fn deeper(depths: &[usize]) -> usize {
    let (mut most, mut at) = (0, 0);
    while at < depths.len() {
        if depths[at] > most {
            most = depths[at];
        }
        at += 1;
    }
    most + 1
}

/// What [`EmbeddedNames`] falls back to.
pub trait AnyNames {
    /// Nothing is known.
    const NAMES: &'static FieldNames = &FieldNames::ANY;
}

impl<T> AnyNames for EmbeddedNames<T> {}

/// What [`Absence`] falls back to.
pub trait NoField<T> {
    /// Nothing.
    fn value() -> Option<T> {
        None
    }
}

impl<T> NoField<T> for Absence<T> {}

/// A field of which the kind and the conversion are given apart.
///
/// The derives name the trait of the field's type only in paths on the type's own tokens, so that a type
/// that is not a [`FromValue`] is reported there and once.
pub fn field(
    name: &'static str,
    doc: &'static str,
    kind: Kind,
    check: fn(Value, &Conversion) -> Result<(), Vec<FieldError>>,
) -> Field {
    Field::of_kind(name, doc, kind, check)
}

/// Reads a nested block: sorts the entries of a map to the fields of `T`, checks the rules between them
/// and makes the struct.
pub fn block<T: Block>(value: Value) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let Value::Map(items) = value else { return Err(wrong_kind(&T::kind(), &value)) };
    let items = items.into_iter().map(|(name, item)| (name, if secret { item.into_secret() } else { item }));
    let mut fields = Fields::from_map(T::block(), items);
    fields.check_shape();
    let taken = T::take(&mut fields, &mut 0);
    match taken.filter(|_| !fields.has_errors()) {
        Some(taken) => Ok(taken),
        None => Err(fields.into_errors()),
    }
}

/// A type that `HclBlock` is derived for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields that could be embedded",
    label = "not a struct of fields",
    note = "derive `HclBlock` for the type of a field with `#[hcl(embed)]`"
)]
pub trait Block: FromValue {
    /// The names of the fields.
    const NAMES: FieldNames;

    /// The fields, and the rules between them. Made once, as each value that is read is checked by them.
    fn block() -> &'static BlockKind;

    /// Takes the values, which begin at the index `at`, and moves that behind them. `None` means that an error was recorded.
    fn take(fields: &mut Fields<'_>, at: &mut usize) -> Option<Self>;
}

/// Adds the fields of an embedded type, and the rules between them, to those of the type that embeds it.
pub fn embed<T: Block>(block: &mut BlockKind) {
    block.fields.extend_from_slice(&T::block().fields);
    block.rules.extend_from_slice(&T::block().rules);
}

/// Takes the values of an embedded type. One that is no block has its error from [`embed`], and finds [`NoBlock::take`] here.
#[derive(Debug)]
pub struct Embedded<T>(PhantomData<T>);

impl<T: Block> Embedded<T> {
    /// As [`Block::take`].
    pub fn take(fields: &mut Fields<'_>, at: &mut usize) -> Option<T> {
        T::take(fields, at)
    }
}

/// What [`Embedded`] falls back to.
pub trait NoBlock<T> {
    /// Nothing.
    fn take(_: &mut Fields<'_>, _: &mut usize) -> Option<T> {
        None
    }
}

impl<T> NoBlock<T> for Embedded<T> {}

/// A type that is read from text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from text",
    label = "`FromStr` is not implemented for this type, or its error is no text",
    note = "`HclText` needs `std::str::FromStr`, with an error that implements `std::fmt::Display`; or `#[hcl(pattern = \"..\")]` on a \
            struct around a text, which is then read by that"
)]
pub trait ReadText: Sized {
    /// The value, or what is wrong with the text.
    fn read(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: fmt::Display>> ReadText for T {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|reason: T::Err| reason.to_string())
    }
}

/// A type that is written as text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as text",
    label = "`Display` is not implemented for this type",
    note = "what `HclText` is derived for is exported as `std::fmt::Display` writes it: implement that"
)]
pub trait WriteText {
    /// The text.
    fn write(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: fmt::Display> WriteText for T {
    fn write(&self) -> String {
        self.to_string()
    }
}

/// Reads a value that is text of a form of its own.
pub fn read_text<T: ReadText>(value: Value, conversion: &Conversion) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let text = String::from_value(value, conversion)?;
    T::read(&text).map_err(|reason| {
        // The reason may quote the text.
        let message = if secret { format!("{REDACTED} is not what can stand here") } else { reason };
        vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }]
    })
}

/// Reads a struct around a text by its own `FromStr`; one that has none finds [`ReadInner::read`] here.
#[derive(Debug)]
pub struct ReadAround<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> ReadAround<T> {
    /// The value of the text.
    pub fn read(
        value: Value,
        conversion: &Conversion,
        _: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, Vec<FieldError>> {
        read_text(value, conversion)
    }
}

/// What [`ReadAround`] falls back to.
pub trait ReadInner<T> {
    /// The value around what is read.
    fn read(
        value: Value,
        conversion: &Conversion,
        inner: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, Vec<FieldError>> {
        inner(value, conversion)
    }
}

impl<T> ReadInner<T> for ReadAround<T> {}

/// Writes a struct around a text by its own `Display`; one that has none finds [`WriteInner::write`] here.
#[derive(Debug)]
pub struct WriteAround<T>(PhantomData<T>);

impl<T: fmt::Display> WriteAround<T> {
    /// The text.
    pub fn write(value: &T, _: fn(&T) -> Value) -> Value {
        write_text(value)
    }
}

/// What [`WriteAround`] falls back to.
pub trait WriteInner<T> {
    /// What is inside.
    fn write(value: &T, inner: fn(&T) -> Value) -> Value {
        inner(value)
    }
}

impl<T> WriteInner<T> for WriteAround<T> {}

/// Matches text of a type by the pattern of its derive.
#[derive(Debug)]
pub struct TextMatcher {
    rule: TextRule,
    /// From when it was first needed on; `None` inside when it is no regular expression.
    regex: OnceLock<Option<Regex>>,
}

impl TextMatcher {
    /// The pattern, and the same in words.
    pub const fn new(pattern: &'static str, expects: Option<&'static str>) -> Self {
        Self { rule: TextRule { pattern, expects }, regex: OnceLock::new() }
    }

    /// Reads text that matches, and gives it on.
    pub fn read<T>(
        &self,
        value: Value,
        conversion: &Conversion,
        from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, Vec<FieldError>> {
        let (plain, secret) = reveal(value.clone());
        let text = String::from_value(plain.clone(), conversion)?;
        let regex = self.regex.get_or_init(|| Regex::new(self.rule.pattern).ok());
        if regex.as_ref().is_some_and(|regex| regex.is_match(&text)) {
            return from_value(value, conversion);
        }
        let shown = if secret { REDACTED.to_owned() } else { plain.to_string() };
        let (pattern, expects) = (self.rule.pattern.to_owned(), self.rule.expects.map(str::to_owned));
        let kind = FieldErrorKind::PatternMismatch { shown, pattern, expects };
        Err(vec![FieldError { path: ValuePath::default(), kind }])
    }
}

/// The value of what is written as text.
pub fn write_text<T: WriteText>(value: &T) -> Value {
    Value::from(value.write())
}

/// Whether a field of this value is what a condition says. Without a value it is what it holds when it is not written.
pub fn is<T: FromValue + ToValue>(
    value: Option<Value>,
    conversion: &Conversion,
    word: &'static str,
    absent: impl FnOnce() -> Option<T>,
) -> bool {
    let read = |value| T::from_value(value, conversion).ok();
    let given = match value {
        Some(value) => read(value),
        None => absent(),
    };
    // Words that mean the same are the same value: an alias, and a number as text.
    given.zip(read(Value::string(word))).is_some_and(|(given, wanted)| given.to_value() == wanted.to_value())
}

/// Reads one of the words of an enum.
pub fn word<T>(
    value: Value,
    words: &'static [&'static str],
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let text = match &value {
        Value::String(text) => text.to_string(),
        // Words may be numbers, which need no quotes.
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
        _ => return Err(wrong_kind(&Kind::Enum(words), &value)),
    };
    read(&text).ok_or_else(|| {
        let shown = if secret { REDACTED.to_owned() } else { value.to_string() };
        let allowed = words.iter().map(|word| (*word).to_owned()).collect();
        vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::NotAllowed { shown, allowed } }]
    })
}
