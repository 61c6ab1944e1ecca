//! Tests that a resource in a plugin behaves like a built-in one.

mod command;
mod equivalence;
mod laws;

use std::path::PathBuf;
use std::sync::LazyLock;

use converge_core::Registry;
use converge_core::plugin::{Plugin, PluginFile, PluginLimits, PluginOrigin};

/// Returns the program with the types of [`converge_tests::plugins`].
fn fixture() -> PluginFile {
    PluginFile {
        name: "fixture".to_owned(),
        path: PathBuf::from(env!("CARGO_BIN_EXE_converge-plugin-fixture")),
        origin: PluginOrigin::Found,
        version: None,
    }
}

fn start() -> Plugin {
    Plugin::start(fixture(), PluginLimits::default()).unwrap()
}

/// Returns the types of one plugin process that all tests share.
fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| start().add_to(Registry::new()).unwrap());
    &REGISTRY
}
