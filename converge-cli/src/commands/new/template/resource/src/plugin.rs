//! The resource `sample_crate` as a plugin, for a `converge` that is there already.

use sample_crate::SampleKind;

converge_core::plugin!(SampleKind);
