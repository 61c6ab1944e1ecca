//! Plugins: what a resource does in one is what it does without.

mod command;
mod equivalence;
mod laws;

use std::path::PathBuf;
use std::sync::LazyLock;

use converge_core::Registry;
use converge_core::plugin::{Plugin, PluginFile, PluginLimits, PluginOrigin};

/// The program with the types of [`converge_tests::plugins`].
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

/// Its types, of one process that all tests share.
fn registry() -> &'static Registry {
    static REGISTRY: LazyLock<Registry> = LazyLock::new(|| start().add_to(Registry::new()).unwrap());
    &REGISTRY
}
