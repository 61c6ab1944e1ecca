//! A loaded module that is run without a check for errors.

use converge_core::prelude::embed::*;

async fn plan(engine: &Engine, registry: &Registry) {
    let loaded = Loader::new(registry).load_text("main.hcl", "");
    let _ = engine.plan(&loaded.graph).await;
}

fn main() {}
