//! Events are matched as if there were never to be more of them.

use converge_core::prelude::embed::*;

fn name(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::ResourceFinished(_) => "finished",
        EventKind::ResourceStage { .. } => "stage",
    }
}

fn main() {}
