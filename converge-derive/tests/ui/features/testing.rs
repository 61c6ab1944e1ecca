//! A machine in memory is used without the feature `testing`.

use converge_core::system::ModelSystem;

fn main() {
    let _ = ModelSystem::new();
}
