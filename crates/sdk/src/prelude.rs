//! The items that nearly every resource needs.

pub use async_trait::async_trait;

pub use crate::field_error;

pub use super::context::{Context, RunMode};
pub use super::declared_things::{Decided, Declared, DeclaredBelow};
pub use super::error::{Error, ResourceError, Result, ResultExt};
pub use super::export::Export;
pub use super::resource::{Batch, HasFootprint, Preparer, Refresh, Renderer, Resource, Task, Validate};
pub use super::status::{Diff, DiffValue, SecretDiff, Status, StatusLevel, TaskStatus, ValueDiff};
pub use crate::ensure::Ensure;
pub use crate::types::convert::{FromValue, Parsed, ToValue};
pub use crate::types::value::{Secret, Value};

#[cfg(feature = "derive")]
pub use crate::{HclBlock, HclEnum, HclText};
#[cfg(feature = "derive")]
pub use converge_derive::{SdkExport as Export, SdkPreparer as Preparer};
