//! Application state that cannot move to another thread.

use std::rc::Rc;

use converge_core::prelude::embed::*;

fn main() {
    let _ = AppState::new().with(Rc::new(1));
}
