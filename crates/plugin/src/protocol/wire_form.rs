//! The forms that arguments and results of system calls have in questions and answers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::system::{
    DirEntry, Directory, ExtendedAttribute, Follow, Group, Inherit, Inode, Metadata, NamedEntry, Ownership,
    ReadAt, ScratchFile, StagedFile, SystemError, TempDir, User,
};
use crate::types::json_forms::{Bytes, WirePath};

/// An argument of a call and its form in a question.
///
/// Implemented for `fn(T)` where `T` is the type of the argument: in it, unlike in a field, the lifetime of a
/// reference need not be named.
#[diagnostic::on_unimplemented(
    message = "the argument of `{Self}` has no form in a question",
    note = "write the form in `protocol/wire_form.rs`, or the question by hand, without `=>` in the row of the call"
)]
pub(crate) trait Argument {
    type Given<'a>;
    type Wire;

    fn to_wire(given: Self::Given<'_>) -> Self::Wire;

    fn given(wire: &Self::Wire) -> Self::Given<'_>;
}

macro_rules! borrowed_arguments {
    ($($Type:ty as $Wire:ty: |$given:ident| $to_wire:expr, |$wire:ident| $to_given:expr;)*) => { $(
        impl Argument for fn(&$Type) {
            type Given<'a> = &'a $Type;
            type Wire = $Wire;

            fn to_wire($given: &$Type) -> $Wire {
                $to_wire
            }

            fn given($wire: &$Wire) -> &$Type {
                $to_given
            }
        }
    )* };
}

borrowed_arguments! {
    Path as WirePath: |path| WirePath(path.to_owned()), |wire| &wire.0;
    OsStr as WirePath: |name| WirePath(PathBuf::from(name)), |wire| wire.0.as_os_str();
    str as String: |text| text.to_owned(), |wire| wire;
    [u8] as Bytes: |bytes| Bytes(bytes.to_vec()), |wire| &wire.0;
}

macro_rules! owned_arguments {
    ($($Type:ty as $Wire:ty: |$given:ident| $to_wire:expr, |$wire:ident| $to_given:expr;)*) => { $(
        impl Argument for fn($Type) {
            type Given<'a> = $Type;
            type Wire = $Wire;

            fn to_wire($given: $Type) -> $Wire {
                $to_wire
            }

            fn given($wire: &$Wire) -> $Type {
                $to_given
            }
        }
    )* };
}

owned_arguments! {
    u32 as u32: |number| number, |wire| *wire;
    // A number that does not fit is refused by the system.
    usize as u64: |number| number as u64, |wire| usize::try_from(*wire).unwrap_or(usize::MAX);
    Follow as Follow: |follow| follow, |wire| *wire;
    Inherit as Inherit: |inherit| inherit, |wire| *wire;
    Ownership as Ownership: |ownership| ownership, |wire| *wire;
}

/// A result of a call, and its form in an answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no form in an answer",
    note = "write the form in `protocol/wire_form.rs`, or the question by hand, without `=>` in the row of the call"
)]
pub(crate) trait Outcome {
    type Wire: Serialize + DeserializeOwned + Send;
}

/// The answer of a request that opens a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenFile {
    pub(crate) handle: u64,
    pub(crate) metadata: Metadata,
}

/// The answer of a request that opens a directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenDirectory {
    pub(crate) handle: u64,
    pub(crate) path: WirePath,
}

/// An outcome that is sent as it is.
pub(crate) trait PlainOutcome: Serialize + DeserializeOwned + Send {}

macro_rules! plain_outcomes {
    ($($Type:ty),*) => { $(impl PlainOutcome for $Type {})* };
}

plain_outcomes!(
    (),
    Metadata,
    Inode,
    Vec<DirEntry>,
    Vec<ExtendedAttribute>,
    Vec<NamedEntry>,
    User,
    Group,
    Vec<User>,
    Vec<Group>,
    Vec<u32>
);

macro_rules! outcomes {
    ($($Type:ty as $Wire:ty;)*) => { $(
        impl Outcome for $Type {
            type Wire = $Wire;
        }
    )* };
}

outcomes! {
    PathBuf as WirePath;
    Vec<u8> as Bytes;
    Box<dyn ReadAt> as OpenFile;
    Box<dyn Directory> as OpenDirectory;
    Box<dyn TempDir> as OpenDirectory;
    Box<dyn StagedFile> as u64;
    Box<dyn ScratchFile> as u64;
}

impl<T: PlainOutcome> Outcome for T {
    type Wire = T;
}

impl<T: Outcome> Outcome for Option<T> {
    type Wire = Option<T::Wire>;
}

impl<T: Outcome> Outcome for Result<T, SystemError> {
    type Wire = T::Wire;
}
