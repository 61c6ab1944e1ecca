//! A task that passes on a custom error.

use converge_core::prelude::*;

#[derive(Debug)]
struct NoRoom;

impl std::fmt::Display for NoRoom {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("there is no room")
    }
}

impl std::error::Error for NoRoom {}

fn look() -> std::result::Result<(), NoRoom> {
    Err(NoRoom)
}

fn check() -> Result<()> {
    look()?;
    Ok(())
}

fn main() {}
