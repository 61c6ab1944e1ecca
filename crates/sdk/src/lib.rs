//! The API for authors of resources: traits, context, status, registry and derives.
//!
//! This crate owns what a resource is. It knows the machine and values, and neither modules, graphs nor the engine. It is
//! API, like `converge-core`, which re-exports all of it for programs that embed the engine.

// The derives name `::converge_sdk`, also when this crate uses them itself.
extern crate self as converge_sdk;

#[doc(hidden)]
pub mod app_state;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod declared_things;
#[doc(hidden)]
pub mod derive_support;
#[doc(hidden)]
pub mod ensure;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod health;
#[doc(hidden)]
pub mod keep;
pub mod prelude;
#[doc(hidden)]
pub mod progress;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod resource;
#[doc(hidden)]
pub mod status;
#[doc(hidden)]
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use app_state::{AppState, MissingState, Need};
pub use async_trait::async_trait;
pub use context::{Context, Refreshing, RunId, RunMode};
#[doc(inline)]
pub use converge_system as system;
#[doc(inline)]
pub use converge_value::diagnostic;
use converge_value::{redact, types};
pub use declared_things::{Decided, Declared, DeclaredBelow};
pub use error::{Error, ResourceError, Result, ResultExt};
pub use export::{Export, Exports};
pub use health::Health;
pub use keep::Keep;
pub use progress::{Progress, ProgressUpdate};
pub use redact::{RedactingWriter, Redactor};
pub use registry::{AnyResource, AnyTask, Registry, RegistryBuilder, RegistryError, ResourceType};
pub use resource::{Batch, HasFootprint, Preparer, Refresh, Renderer, Resource, Task, Validate};
pub use status::{Diff, DiffValue, SecretDiff, Status, StatusLevel, TaskStatus, ValueDiff};
pub use types::limits::Limits;

#[cfg(feature = "derive")]
pub use converge_derive::{
    SdkExport as Export, SdkHclBlock as HclBlock, SdkHclEnum as HclEnum, SdkHclText as HclText,
    SdkPreparer as Preparer,
};

#[doc(inline)]
pub use converge_value::{footprint, schema};

/// Values of the module language, and their conversion to and from Rust types.
pub mod value {
    pub use crate::ensure::Ensure;
    #[doc(inline)]
    pub use converge_value::value::*;
}

/// Creates an error about a field of `Self`, with a message formatted as by `format!`.
///
/// The macro is for [`Validate`] and other functions of a type that derives `Preparer` or `HclBlock`. The
/// field is named as in modules. The compiler checks that the field exists; a
/// [`FieldError`](value::FieldError) made by hand is only checked when a module is loaded.
#[macro_export]
macro_rules! field_error {
    ($field:literal, $($message:tt)+) => {{
        // The length of an array is evaluated by `cargo check` too, wherever the code is.
        let [()] = [(); {
            #[allow(unused_imports)]
            use $crate::macro_support::NamesOfResource as _;
            assert!(
                $crate::macro_support::NamesOf::<Self>::NAMES.has($field),
                concat!("`", $field, "` is not a field of this type: name one as modules do"),
            );
            1
        }];
        let message = ::std::format!($($message)+);
        $crate::value::FieldError::new($field, $crate::value::FieldErrorKind::Invalid { message })
    }};
}

/// Support for the code that the derives generate. Not part of the public API.
#[doc(hidden)]
pub mod macro_support {
    pub use inventory;

    pub use crate::app_state::Need;
    pub use crate::derive_support::*;
    pub use crate::export::{Exports, embed_fields};
    pub use crate::registry::Registration;
    pub use crate::resource::{Batcher, Footprinter, Refresher, Validator};
    pub use crate::types::check::Fields;
    pub use crate::types::convert::{FromValue, TextRule, ToValue, check_word};
    pub use crate::types::footprint::{FootprintRule, NameSource, Names, Reach, Verb};
    pub use crate::types::schema::{BlockKind, Condition, ExportField, FieldNames, Kind, Rule, Shape};
    pub use crate::types::value::{Conversion, FieldError, Value};
}
