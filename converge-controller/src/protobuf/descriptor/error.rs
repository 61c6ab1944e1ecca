//! Conflicts between the descriptors of types.

use crate::debug_as_text;

/// A conflict between types that protobuf cannot describe together.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// Two Rust types have the same name.
    #[error("{first} and {second} are both called {full_name}: give one of them another name")]
    NameTaken {
        /// The full name.
        full_name: String,
        /// The path of the first Rust type.
        first: &'static str,
        /// The path of the second Rust type.
        second: &'static str,
    },
    /// An enum value has the name of another item in its package: protobuf puts both in one scope.
    #[error(
        "{full_name} is a value of {first} and the name of something in {second}: rename one, as protobuf has the \
         values of an enum beside it, not in it"
    )]
    ValueNameTaken {
        /// The full name.
        full_name: String,
        /// The path of the enum.
        first: &'static str,
        /// The path of the other Rust type.
        second: &'static str,
    },
    /// The names of two messages differ only in their spelling, so both would be in one file.
    #[error("{first} and {second} would both be in {path}: rename one of them")]
    PathTaken {
        /// The path of the file.
        path: String,
        /// The path of the first Rust type.
        first: &'static str,
        /// The path of the second Rust type.
        second: &'static str,
    },
    /// Messages of different packages contain each other, but have to be in one file with one package.
    #[error(
        "{first} and {second} hold each other, but are of different packages: give them one, or refer from one to the \
         other"
    )]
    RingOfPackages {
        /// The path of the first Rust type.
        first: &'static str,
        /// The path of the second Rust type.
        second: &'static str,
    },
}

debug_as_text!(DescriptorError);
