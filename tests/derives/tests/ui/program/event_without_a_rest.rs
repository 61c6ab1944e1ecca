//! A match on events without an arm for future kinds.

use converge_core::prelude::embed::*;

fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::ResourceFinished(_) => "finished",
        EventKind::ResourceStage { .. } => "stage",
    }
}

fn main() {}
