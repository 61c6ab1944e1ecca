//! Basic types of all other modules: values, schemas, ids and names.

pub mod assumed_values;
pub mod base_path;
pub mod budget;
pub mod cancellation;
pub mod check;
pub mod concat;
pub mod convert;
pub mod folder_entry;
pub mod footprint;
pub mod function;
pub mod hash;
pub mod id;
pub mod intern;
#[cfg(feature = "serde")]
pub mod json_forms;
pub mod limits;
pub mod local_path;
pub mod node_table;
pub mod panic_guard;
pub mod platform;
pub mod schema;
pub mod scope;
pub mod tag;
pub mod untyped_values;
pub mod value;
pub mod visibility;
