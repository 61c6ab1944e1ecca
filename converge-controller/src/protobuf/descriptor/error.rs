//! Descriptions that cannot stand side by side.

/// Types that protobuf cannot describe together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// Two Rust types have one name.
    #[error("{first} and {second} are both called {full_name}: give one of them another name")]
    NameTaken {
        /// The full name.
        full_name: String,
        /// The path of one Rust type.
        first: &'static str,
        /// The path of the other.
        second: &'static str,
    },
    /// A value of an enum is called as something else in its package: protobuf puts them side by side.
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
    /// Two messages whose names differ only in how they are written would be in one file.
    #[error("{first} and {second} would both be in {path}: rename one of them")]
    PathTaken {
        /// The path of the file.
        path: String,
        /// The path of one Rust type.
        first: &'static str,
        /// The path of the other.
        second: &'static str,
    },
    /// Messages that hold each other are in one file, and a file has one package.
    #[error(
        "{first} and {second} hold each other, but are of different packages: give them one, or refer from one to the \
         other"
    )]
    RingOfPackages {
        /// The path of one Rust type.
        first: &'static str,
        /// The path of the other.
        second: &'static str,
    },
}
