//! A system that is not shared.

use converge_core::prelude::embed::*;

fn main() {
    let _ = Engine::new(LocalSystem::new());
}
