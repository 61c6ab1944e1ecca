//! Tests that the simulation finds faulty modules, and finds no fault in the engine.

mod engine;
mod events;
mod faulty_modules;
mod modules;
mod types;

use super::*;
use types::{machine, registry};

fn simulated(module: &str) -> Simulation<'_> {
    use std::sync::LazyLock;
    static REGISTRY: LazyLock<Registry> = LazyLock::new(registry);
    Simulation::new(&REGISTRY, module).start(machine)
}

#[test]
fn a_scenario_is_its_text() {
    let size = Size { operations: 40, effects: 12 };
    for seed in 0..2_000 {
        let scenario = Scenario::of_seed(seed, size, false);
        assert_eq!(scenario.to_string().parse(), Ok(scenario.clone()), "{scenario}");
        for smaller in scenario.smaller() {
            assert_eq!(smaller.to_string().parse(), Ok(smaller.clone()), "{smaller}");
        }
    }
    let error = "workers=2 fail=3".parse::<Scenario>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`fail=3` is not a part of a scenario: write one as a simulation prints it, such as `workers=3 order=7 delays=7 fails=2,5 \
         cancel=40ms`"
    );
    for text in [
        "workers=0",
        "workers",
        "order=x",
        "fails=1,",
        "kill=3",
        "kill=-3ms",
        "cancel=99999999999999999999ms",
    ] {
        text.parse::<Scenario>().expect_err(text);
    }
}

#[test]
fn seeds_make_every_kind_of_trouble() {
    type Is = fn(&Scenario) -> bool;
    let size = Size { operations: 40, effects: 12 };
    let scenarios: Vec<Scenario> = (0..200).map(|seed| Scenario::of_seed(seed, size, false)).collect();

    let kinds: [(&str, Is); 8] = [
        ("fails", |scenario| !scenario.fails.is_empty()),
        ("hangs", |scenario| !scenario.hangs.is_empty()),
        ("finish", |scenario| scenario.finish.is_some() && scenario.cancel.is_none()),
        ("cancel", |scenario| scenario.finish.is_none() && scenario.cancel.is_some()),
        ("finish, then cancel", |scenario| scenario.finish.is_some() && scenario.cancel > scenario.finish),
        ("deadline", |scenario| scenario.deadline.is_some()),
        ("kill", |scenario| scenario.kill.is_some()),
        ("orders alone", |scenario| !scenario.is_disturbed()),
    ];
    for (kind, is) in kinds {
        let count = scenarios.iter().filter(|scenario| is(scenario)).count();
        assert!(count >= 10, "{kind}: {count} of {}", scenarios.len());
    }
    assert!((0..200).all(|seed| !Scenario::of_seed(seed, size, true).is_disturbed()));
}
