//! An owner given as unchecked text.

use converge_core::prelude::embed::*;

fn engine(engine: Engine) -> Engine {
    engine.with_owner("blue")
}

fn main() {}
