//! Tests that the engine keeps its invariants with any module, order and trouble.

use super::*;

/// Checks the generated modules of these seeds with a number of scenarios each.
fn hold(modules: std::ops::Range<u64>, seeds: u64) {
    for seed in modules {
        let module = modules::of_seed(seed);
        if let Err(failure) = simulated(&module).check_seeds(seed * seeds..(seed + 1) * seeds) {
            panic!("module {seed}:\n{module}\n{failure}");
        }
    }
}

#[test]
fn any_module_in_any_order_with_any_trouble() {
    // A longer test: `CONVERGE_MODULES=5000 cargo test -p converge-core --all-features --lib any_module`.
    hold(0..from_env("CONVERGE_MODULES").unwrap_or(60), 12);
}

/// Scenarios that failed in the past.
#[test]
fn what_was_found() {
    // The journal is read before the run starts, from a disk that may hang.
    for scenario in ["workers=1 hangs=0", "workers=1 hangs=0 deadline=5ms", "workers=2 hangs=0 cancel=5ms"] {
        simulated(
            r#"
                note "conf" { path = "/srv/conf" text = "a" }
                daemon "old" { name = "old1" reads = ["/srv/conf"] on_change_of = ["note.conf"] }
            "#,
        )
        .replay(scenario);
    }
}
