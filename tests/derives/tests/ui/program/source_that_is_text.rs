//! The text of a module given as a source of modules.

use converge_core::load::Sources;
use converge_core::prelude::embed::*;

fn load(registry: &Registry, text: &str) -> Loaded {
    Loader::new(registry).with_sources(Sources::only(text.to_owned())).load("main.hcl")
}

fn main() {}
