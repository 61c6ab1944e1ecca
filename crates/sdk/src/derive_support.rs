//! Support code that the derive macros call.
//!
//! Not part of the public API.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::OnceLock;

use regex_lite::Regex;

use crate::context::Context;
use crate::error::Result as SdkResult;
use crate::resource::{Batch, HasFootprint, Preparer, Refresh, Renderer, Resource, Validate};
use crate::types::check::Fields;
use crate::types::convert::{FromValue, TextRule, ToValue, reveal, wrong_kind};
use crate::types::schema::{BlockKind, Field, FieldNames, Kind};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, REDACTED, Value, ValuePath};

/// A type with a value for fields that are not set and have no default.
#[diagnostic::on_unimplemented(
    message = "a field of type `{Self}` has no value when it is not written",
    label = "`Default` is not implemented for this type",
    note = "make the field an `Option`, or implement `Default` for its type; where no other field may be written \
            instead, `#[hcl(required)]` or `#[hcl(default = ..)]` on it does as well"
)]
pub trait Absent: Sized {
    /// Returns the value.
    fn absent() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> Absent for T {
    fn absent() -> Self {
        T::default()
    }
}

/// The value of a field that is not set.
///
/// The inherent function needs a [`FromValue`]. Other types fall back to [`NoField::value`], so that their
/// missing `FromValue` is reported once only.
#[derive(Debug)]
pub struct Absence<T>(PhantomData<T>);

impl<T: FromValue> Absence<T> {
    /// Returns the value.
    pub fn value() -> Option<T>
    where
        T: Absent,
    {
        Some(T::absent())
    }
}

/// Defines constants that tell the derive macros whether a type implements a trait.
///
/// The inherent constant needs the trait, and takes precedence over the constant of [`SaysNothing`], which
/// needs nothing.
macro_rules! said {
    ($($(#[$doc:meta])* $name:ident of $bound:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(PhantomData<T>);

        impl<T: $bound> $name<T> {
            /// True: the type implements the trait.
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

/// A resource that is its own task and needs only its fields: `task = Self` without `prepare`.
///
/// If an author also writes `impl Resource`, it conflicts with the impl below. The compiler error then shows
/// this name, which explains the mistake.
pub trait TaskIsSelfAndTheWordPrepareIsMissing: Preparer<Task = Self> {}

#[diagnostic::do_not_recommend]
impl<T: TaskIsSelfAndTheWordPrepareIsMissing> Resource for T {
    async fn prepare(self, _: &Context, _: &dyn Renderer) -> SdkResult<Self> {
        Ok(self)
    }
}

/// The fallback of the constants above.
pub trait SaysNothing {
    /// False: the type does not implement the trait.
    const IS: bool = false;
}

/// The names of the fields of a block.
///
/// A resource falls back to [`NamesOfResource`].
#[derive(Debug)]
pub struct NamesOf<T>(PhantomData<T>);

impl<T: Block> NamesOf<T> {
    /// The field names.
    pub const NAMES: &'static FieldNames = &T::NAMES;
}

/// The fallback of [`NamesOf`] for resources.
pub trait NamesOfResource {
    /// The field names.
    const NAMES: &'static FieldNames;
}

impl<T: Preparer> NamesOfResource for NamesOf<T> {
    const NAMES: &'static FieldNames = &T::NAMES;
}

/// The names of the fields of an embedded type.
///
/// A type that is not a block gets its error from [`embed`], and falls back to [`AnyNames`].
#[derive(Debug)]
pub struct EmbeddedNames<T>(PhantomData<T>);

impl<T: Block> EmbeddedNames<T> {
    /// The field names.
    pub const NAMES: &'static FieldNames = &T::NAMES;
}

/// The nesting depth of blocks in the type of a field.
///
/// A type that cannot be a field gets its error elsewhere, and falls back to [`NoBlocks`].
#[derive(Debug)]
pub struct BlocksIn<T>(PhantomData<T>);

impl<T: FromValue> BlocksIn<T> {
    /// The nesting depth.
    pub const DEPTH: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;
}

/// The fallback of [`BlocksIn`].
pub trait NoBlocks {
    /// Zero: the type has no blocks.
    const DEPTH: usize = 0;
}

impl<T> NoBlocks for BlocksIn<T> {}

/// Returns the maximum of the depths plus one.
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

/// The fallback of [`EmbeddedNames`].
pub trait AnyNames {
    /// Accepts any name, because the names are not known.
    const NAMES: &'static FieldNames = &FieldNames::ANY;
}

impl<T> AnyNames for EmbeddedNames<T> {}

/// The fallback of [`Absence`].
pub trait NoField<T> {
    /// Returns `None`.
    fn value() -> Option<T> {
        None
    }
}

impl<T> NoField<T> for Absence<T> {}

/// Creates a field from its kind and its conversion.
///
/// The derives name the trait of a field's type only in paths with the span of that type. A type that is not
/// a [`FromValue`] is thus reported there, and once only.
pub fn field(
    name: &'static str,
    doc: &'static str,
    kind: Kind,
    check: fn(Value, &Conversion) -> Result<(), Vec<FieldError>>,
) -> Field {
    Field::with_check(name, doc, kind, check)
}

/// Converts a map into the struct of a nested block.
///
/// The entries are assigned to the fields of `T`, and the rules between fields are checked.
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

/// A type with a derived `HclBlock`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no fields that could be embedded",
    label = "not a struct of fields",
    note = "derive `HclBlock` for the type of a field with `#[hcl(embed)]`"
)]
pub trait Block: FromValue {
    /// The names of the fields.
    const NAMES: FieldNames;

    /// Returns the fields and the rules between them.
    ///
    /// They are built once, because each value is checked by them.
    fn block() -> &'static BlockKind;

    /// Takes the values from the index `at`, and advances `at` past them.
    ///
    /// `None` means that an error was recorded.
    fn take(fields: &mut Fields<'_>, at: &mut usize) -> Option<Self>;
}

/// Adds the fields and rules of an embedded type to the type that embeds it.
pub fn embed<T: Block>(block: &mut BlockKind) {
    block.fields.extend_from_slice(&T::block().fields);
    block.rules.extend_from_slice(&T::block().rules);
}

/// The conversion of an embedded type.
///
/// A type that is not a block gets its error from [`embed`], and falls back to [`NoBlock::take`].
#[derive(Debug)]
pub struct Embedded<T>(PhantomData<T>);

impl<T: Block> Embedded<T> {
    /// Like [`Block::take`].
    pub fn take(fields: &mut Fields<'_>, at: &mut usize) -> Option<T> {
        T::take(fields, at)
    }
}

/// The fallback of [`Embedded`].
pub trait NoBlock<T> {
    /// Returns `None`.
    fn take(_: &mut Fields<'_>, _: &mut usize) -> Option<T> {
        None
    }
}

impl<T> NoBlock<T> for Embedded<T> {}

/// A type that can be parsed from text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from text",
    label = "`FromStr` is not implemented for this type, or its error is not text",
    note = "`HclText` needs `std::str::FromStr`, with an error that implements `std::fmt::Display`; or `#[hcl(pattern = \"..\")]` on a \
            struct around a text, which is then read by that"
)]
pub trait ReadText: Sized {
    /// Parses the text, or returns the reason why it is invalid.
    fn read(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: fmt::Display>> ReadText for T {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|reason: T::Err| reason.to_string())
    }
}

/// A type that can be written as text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written as text",
    label = "`Display` is not implemented for this type",
    note = "what `HclText` is derived for is exported as `std::fmt::Display` writes it: implement that"
)]
pub trait WriteText {
    /// Returns the text.
    fn write(&self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: fmt::Display> WriteText for T {
    fn write(&self) -> String {
        self.to_string()
    }
}

/// Converts a text value with the parser of `T`.
pub fn read_text<T: ReadText>(value: Value, conversion: &Conversion) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let text = String::from_value(value, conversion)?;
    T::read(&text).map_err(|reason| {
        // The reason may quote the secret text.
        let message = if secret { format!("{REDACTED} is not what can stand here") } else { reason };
        vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }]
    })
}

/// The parser of a newtype around text.
///
/// A type with `FromStr` uses that; another falls back to [`ReadInner::read`].
#[derive(Debug)]
pub struct ReadAround<T>(PhantomData<T>);

impl<T: FromStr<Err: fmt::Display>> ReadAround<T> {
    /// Parses the text with `FromStr`.
    pub fn read(
        value: Value,
        conversion: &Conversion,
        _: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, Vec<FieldError>> {
        read_text(value, conversion)
    }
}

/// The fallback of [`ReadAround`].
pub trait ReadInner<T> {
    /// Converts the inner value and wraps it.
    fn read(
        value: Value,
        conversion: &Conversion,
        inner: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
    ) -> Result<T, Vec<FieldError>> {
        inner(value, conversion)
    }
}

impl<T> ReadInner<T> for ReadAround<T> {}

/// The writer of a newtype around text.
///
/// A type with `Display` uses that; another falls back to [`WriteInner::write`].
#[derive(Debug)]
pub struct WriteAround<T>(PhantomData<T>);

impl<T: fmt::Display> WriteAround<T> {
    /// Returns the text that `Display` writes.
    pub fn write(value: &T, _: fn(&T) -> Value) -> Value {
        write_text(value)
    }
}

/// The fallback of [`WriteAround`].
pub trait WriteInner<T> {
    /// Returns the inner value.
    fn write(value: &T, inner: fn(&T) -> Value) -> Value {
        inner(value)
    }
}

impl<T> WriteInner<T> for WriteAround<T> {}

/// A matcher for text by the pattern in a derive attribute.
#[derive(Debug)]
pub struct TextMatcher {
    rule: TextRule,
    /// The compiled pattern, set on first use; `None` inside if it is not a regular expression.
    regex: OnceLock<Option<Regex>>,
}

impl TextMatcher {
    /// Creates a matcher of a pattern, with an optional description for messages.
    pub const fn new(pattern: &'static str, expects: Option<&'static str>) -> Self {
        Self { rule: TextRule { pattern, expects }, regex: OnceLock::new() }
    }

    /// Checks that the text matches, then converts it with `from_value`.
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

/// Converts into a text value.
pub fn write_text<T: WriteText>(value: &T) -> Value {
    Value::from(value.write())
}

/// Whether the value of a field meets a condition.
///
/// A missing value counts as the value of an unset field.
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
    // Aliases, and a number written as text, are the same value after conversion.
    given.zip(read(Value::string(word))).is_some_and(|(given, wanted)| given.to_value() == wanted.to_value())
}

/// Converts a value into a variant of an enum.
pub fn word<T>(
    value: Value,
    words: &'static [&'static str],
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let text = match &value {
        Value::String(text) => text.to_string(),
        // Numbers and booleans may be written without quotes.
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
        _ => return Err(wrong_kind(&Kind::Enum(words), &value)),
    };
    read(&text).ok_or_else(|| {
        let shown = if secret { REDACTED.to_owned() } else { value.to_string() };
        let allowed = words.iter().map(|word| (*word).to_owned()).collect();
        vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::NotAllowed { shown, allowed } }]
    })
}
