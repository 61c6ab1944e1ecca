//! Tests of the laws for `systemd.unit.state`, on hosts with units in various states.

use converge_core::laws;
use converge_core::testing::laws::{Case, Law, Laws};
use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;

use super::UnitPreparer;
use crate::systemd::model;

/// Operations of each apply have separate laws.
const NONE: [&str; 0] = [];

/// The links of enabled units, which may differ for a masked unit.
const LINKS: (&str, &str) = (
    "/etc/systemd/system/multi-user.target.wants",
    "of a masked unit systemd does not say whether it is enabled",
);

mod states {
    use super::*;

    laws!(
        UnitPreparer,
        start = model::packaged,
        start = model::in_use,
        start = model::failing,
        start = model::masked,
        start = model::busy,
        values = ("unit", model::UNITS),
        values = ("state", ["running", "stopped"]),
        values = ("reload", [false]),
        values = ("signal_name", NONE),
        values = ("signal_number", NONE),
        beside = LINKS,
    );
}

/// Random cases may not cover this situation.
#[test]
fn systemd_is_told_of_a_mask_after_a_killed_run() {
    let stopped = |masked: bool| {
        let case = Case::new([("unit", Value::from("app.service")), ("masked", Value::from(masked))]);
        let laws = Laws::<UnitPreparer>::new().start(if masked { model::in_use } else { model::masked });
        laws.hold_on(Law::StoppedIsFinished, case);
    };
    stopped(true);
    stopped(false);
}

#[test]
fn a_job_that_takes_its_time_is_finished_after_a_cancelled_run() {
    let cancelled = |start: fn() -> ModelSystem, state: &str| {
        let case = Case::new([("unit", Value::from("slow.service")), ("state", Value::from(state))]);
        Laws::<UnitPreparer>::new().start(start).hold_on(Law::CancelledIsFinished, case);
    };
    cancelled(model::packaged, "running");
    cancelled(model::in_use, "stopped");
    cancelled(model::busy, "running");
    cancelled(model::busy, "stopped");
}

/// The unit is read again. A reload reads the files of all units, so no other unit has changes.
mod files {
    use super::*;

    laws!(
        UnitPreparer,
        start = model::changed,
        start = model::extended,
        start = model::mended,
        values = ("unit", ["edited.service"]),
        values = ("daemon_reload", [true]),
        values = ("state", ["running", "stopped"]),
        values = ("reload", [false]),
        values = ("signal_name", NONE),
        values = ("signal_number", NONE),
        beside = LINKS,
    );
}

/// systemd keeps the files that it has read. A mask takes effect only when systemd reads its files.
mod files_that_are_not_read {
    use super::*;

    laws!(
        UnitPreparer,
        start = model::changed,
        start = model::extended,
        values = ("unit", ["edited.service"]),
        values = ("daemon_reload", [false]),
        values = ("masked", NEVER),
        values = ("state", ["running", "stopped"]),
        values = ("reload", [false]),
        values = ("signal_name", NONE),
        values = ("signal_number", NONE),
        cases = 12,
    );

    const NEVER: [bool; 0] = [];
}

/// Operations that each apply repeats.
mod triggers {
    use super::*;

    const AGAIN: &str = "without `on_change_of` each apply restarts, reloads and signals";

    laws!(
        UnitPreparer,
        start = model::in_use,
        start = model::packaged,
        values = ("unit", model::UNITS),
        values = ("state", ["restarted"]),
        values = ("signal_name", ["HUP", "USR1"]),
        values = ("signal_number", [1, 12]),
        beside = ("unit ", "what a unit was told is done, and cannot be looked at"),
        except = (Law::NothingIsLeft, AGAIN),
        except = (Law::TwiceIsOnce, AGAIN),
        except = (Law::StoppedIsFinished, AGAIN),
        except = (Law::CancelledIsFinished, AGAIN),
        except = (Law::FailingLooksAreTold, AGAIN),
    );
}
