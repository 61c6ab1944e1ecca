//! What is copied of a folder.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::schema::Kind;
use converge_core::value::{Conversion, FieldError, FieldErrorKind, ValuePath};

use crate::file::glob::Glob;

/// A pattern of paths below a folder.
#[derive(Clone, Debug)]
pub(super) struct Filter(Glob);

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

/// The patterns of a resource.
#[derive(Debug, Default)]
pub(super) struct Selection {
    pub(super) include: Vec<Filter>,
    pub(super) exclude: Vec<Filter>,
}

impl Selection {
    /// Whether it is left out, and all that is in it when it is a folder.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude.iter().any(|filter| filter.0.matches(path))
    }

    /// Whether what is no folder is copied, if it is not excluded.
    pub(super) fn includes(&self, path: &Path) -> bool {
        self.include.is_empty() || self.include.iter().any(|filter| filter.0.matches(path))
    }

    /// Whether folders are copied for what is in them only.
    pub(super) fn is_partial(&self) -> bool {
        !self.include.is_empty()
    }
}
