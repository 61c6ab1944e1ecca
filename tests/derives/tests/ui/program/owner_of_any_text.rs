//! An owner is a text that nobody has looked at.

use converge_core::prelude::embed::*;

fn engine(engine: Engine) -> Engine {
    engine.with_owner("blue")
}

fn main() {}
