//! Selection of the files of a tree.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::schema::Kind;
use converge_sdk::value::{Conversion, FieldError, FieldErrorKind, ValuePath};

use crate::file::glob::Glob;

/// A pattern of paths below a directory.
#[derive(Clone, Debug)]
pub(crate) struct Filter(Glob);

impl FromValue for Filter {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let text = String::from_value(value, conversion)?;
        Glob::below(&text).map(Self).map_err(|message| {
            vec![FieldError { path: ValuePath::default(), kind: FieldErrorKind::Invalid { message } }]
        })
    }
}

/// The include and exclude patterns of a resource.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    pub(crate) include: Vec<Filter>,
    pub(crate) exclude: Vec<Filter>,
}

impl Selection {
    /// Whether a path is left out. An excluded directory is left out with everything in it.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        self.exclude.iter().any(|filter| filter.0.matches(path))
    }

    /// Whether a path other than a directory is included, if it is not excluded.
    pub(crate) fn includes(&self, path: &Path) -> bool {
        self.include.is_empty() || self.include.iter().any(|filter| filter.0.matches(path))
    }

    #[cfg(feature = "net")]
    pub(crate) fn is_everything(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }

    /// Whether directories are selected only for their contents.
    pub(crate) fn is_partial(&self) -> bool {
        !self.include.is_empty()
    }
}
