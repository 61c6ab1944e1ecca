//! What was loaded is run without looking whether it has mistakes.

use converge_core::prelude::embed::*;

async fn plan(engine: &Engine, registry: &Registry) {
    let loaded = Loader::new(registry).load_text("main.hcl", "");
    let _ = engine.plan(&loaded.graph).await;
}

fn main() {}
