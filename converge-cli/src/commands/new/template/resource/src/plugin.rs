//! The resource `sample_crate` as a plugin for an existing `converge` program.

use sample_crate::SampleKind;

converge_core::plugin!(SampleKind);
