//! Fetches modules without the feature `http`.

use converge_core::load::Http;

fn main() {
    let _ = Http::new();
}
