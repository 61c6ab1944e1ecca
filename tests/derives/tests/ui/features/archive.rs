//! Uses modules in archives without the feature `archive`.

use converge_core::load::ModulesIn;

fn main() {
    let _ = ModulesIn::open("modules.tar.gz");
}
