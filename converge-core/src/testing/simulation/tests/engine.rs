//! The engine keeps its promises, whatever the module, the order and the trouble.

use super::*;

/// What a seed makes of a module: so many scenarios of each.
fn hold(modules: std::ops::Range<u64>, seeds: u64) {
    for seed in modules {
        let module = modules::of_seed(seed);
        if let Err(found) = simulated(&module).check_seeds(seed * seeds..(seed + 1) * seeds) {
            panic!("module {seed}:\n{module}\n{found}");
        }
    }
}

#[test]
fn any_module_in_any_order_with_any_trouble() {
    // More than that: `CONVERGE_MODULES=5000 cargo test -p converge-core --all-features --lib any_module`.
    hold(0..from_env("CONVERGE_MODULES").unwrap_or(60), 12);
}

/// What was found here once.
#[test]
fn what_was_found() {
    // The records of what is owed are read before the run begins, on a disk that may hang.
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
