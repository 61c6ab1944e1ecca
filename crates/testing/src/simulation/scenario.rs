//! A scenario: the conditions that a simulation imposes on one run.

use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use crate::chance::Chance;
use crate::system::FaultSchedule;
use converge_value::debug_as_text;

/// The maximum duration of one operation, in milliseconds.
const LONGEST: usize = 20;

/// The conditions of one run: parallelism, order, durations, failures and interrupts.
///
/// The text form is the argument of [`Simulation::replay`](super::Simulation::replay): `workers=3 order=7
/// delays=7 fails=2,5`.
///
/// Conditions that are not mentioned do not apply. With `workers=1` alone, resources run one after the other
/// in the order of their ids, and operations take no time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    pub(super) workers: NonZeroUsize,
    /// The seed for the order of ready resources.
    pub(super) order: Option<u64>,
    /// The seed for the durations of operations.
    pub(super) delays: Option<u64>,
    /// The indexes of the effects that fail.
    pub(super) fails: BTreeSet<usize>,
    /// The indexes of the operations that are never answered.
    pub(super) hangs: BTreeSet<usize>,
    /// The time after which the run is asked to finish.
    pub(super) finish: Option<Duration>,
    /// The time after which the run is cancelled.
    pub(super) cancel: Option<Duration>,
    pub(super) deadline: Option<Duration>,
    /// The time after which the process is killed.
    pub(super) kill: Option<Duration>,
}

/// The size of a run without trouble, used to choose scenarios.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) operations: usize,
    pub(super) effects: usize,
}

impl Default for Scenario {
    /// Returns a scenario with one worker and no trouble.
    fn default() -> Self {
        Self {
            workers: NonZeroUsize::MIN,
            order: None,
            delays: None,
            fails: BTreeSet::new(),
            hangs: BTreeSet::new(),
            finish: None,
            cancel: None,
            deadline: None,
            kill: None,
        }
    }
}

impl Scenario {
    /// Returns the scenario of a seed. One third of the seeds vary only the order.
    pub(super) fn of_seed(seed: u64, size: Size, orders_only: bool) -> Self {
        let mut chance = Chance::new(seed);
        let workers = NonZeroUsize::new(1 + chance.below(8)).unwrap_or(NonZeroUsize::MIN);
        let mut scenario = Self {
            workers,
            order: Some(chance.next() & 0xFFFF),
            delays: Some(chance.next() & 0xFFFF),
            ..Self::default()
        };
        if orders_only || chance.once_in(3) {
            return scenario;
        }
        // The estimated duration of a run in milliseconds.
        let total = size.operations * LONGEST / 2 / workers.get().min(4) + LONGEST;
        let mut moment =
            |limit| Duration::from_millis(u64::try_from(chance.below(limit)).unwrap_or_default());
        let (finish, cancel, deadline, kill, soon) =
            (moment(total), moment(total), moment(total), moment(total), moment(total / 4));
        match chance.below(8) {
            0 => scenario.finish = Some(finish),
            1 => scenario.cancel = Some(cancel),
            2 => {
                scenario.finish = Some(finish);
                // The cancellation follows the request to finish, as from an impatient user.
                scenario.cancel = Some(finish + soon);
            }
            3 => scenario.deadline = Some(deadline.max(Duration::from_millis(1))),
            4 => scenario.kill = Some(kill),
            _ => {}
        }
        let failures = chance.below(3) + usize::from(chance.once_in(2));
        scenario.fails = (0..failures).map(|_| chance.below(size.effects)).collect();
        if chance.once_in(4) {
            scenario.hangs = [chance.below(size.operations)].into();
        }
        scenario
    }

    /// Whether the scenario includes failures or interrupts.
    pub fn is_disturbed(&self) -> bool {
        let Self { fails, hangs, finish, cancel, deadline, kill, .. } = self;
        !fails.is_empty()
            || !hangs.is_empty()
            || [finish, cancel, deadline, kill].iter().any(|time| time.is_some())
    }

    /// Returns the behaviour of the model host in the scenario.
    pub(super) fn course(&self) -> FaultSchedule {
        let mut course = FaultSchedule::default();
        (course.failing, course.hanging) = (self.fails.clone(), self.hangs.clone());
        if let Some(delays) = self.delays {
            let mut chance = Chance::new(delays);
            course.takes = Some(Box::new(move || {
                Duration::from_millis(u64::try_from(chance.below(LONGEST)).unwrap_or_default())
            }));
        }
        course
    }

    /// Returns the scenarios with one condition less, the simplest ones first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        let mut add = |change: &dyn Fn(&mut Self)| {
            let mut scenario = self.clone();
            change(&mut scenario);
            if scenario != *self {
                smaller.push(scenario);
            }
        };
        add(&|scenario| *scenario = Self::default());
        add(&|scenario| {
            *scenario = Self {
                workers: scenario.workers,
                order: scenario.order,
                delays: scenario.delays,
                ..Self::default()
            }
        });
        add(&|scenario| scenario.kill = None);
        add(&|scenario| scenario.deadline = None);
        add(&|scenario| scenario.cancel = None);
        add(&|scenario| scenario.finish = None);
        for number in &self.hangs {
            add(&|scenario| {
                scenario.hangs.remove(number);
            });
        }
        for number in &self.fails {
            add(&|scenario| {
                scenario.fails.remove(number);
            });
        }
        add(&|scenario| scenario.delays = None);
        add(&|scenario| scenario.order = None);
        add(&|scenario| scenario.workers = NonZeroUsize::MIN);
        add(&|scenario| {
            scenario.workers = NonZeroUsize::new(scenario.workers.get() / 2).unwrap_or(NonZeroUsize::MIN);
        });
        smaller
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "workers={}", self.workers)?;
        for (name, number) in [("order", self.order), ("delays", self.delays)] {
            if let Some(number) = number {
                write!(f, " {name}={number}")?;
            }
        }
        for (name, numbers) in [("fails", &self.fails), ("hangs", &self.hangs)] {
            if !numbers.is_empty() {
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                write!(f, " {name}={}", numbers.join(","))?;
            }
        }
        for (name, time) in [
            ("finish", self.finish),
            ("cancel", self.cancel),
            ("deadline", self.deadline),
            ("kill", self.kill),
        ] {
            if let Some(time) = time {
                write!(f, " {name}={}ms", time.as_millis())?;
            }
        }
        Ok(())
    }
}

/// An error for a text that is not a valid scenario.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a part of a scenario: write one as a simulation prints it, such as `workers=3 order=7 delays=7 fails=2,5 cancel=40ms`"
)]
pub struct NoScenario(String);

debug_as_text!(NoScenario);

impl FromStr for Scenario {
    type Err = NoScenario;

    fn from_str(text: &str) -> Result<Self, NoScenario> {
        let mut scenario = Self::default();
        for part in text.split_whitespace() {
            let error = || NoScenario(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(error)?;
            let number = || value.parse().map_err(|_| error());
            let numbers = || {
                let numbers = value.split(',').map(str::parse);
                numbers.collect::<Result<BTreeSet<usize>, _>>().map_err(|_| error())
            };
            let moment = || {
                let number = value.strip_suffix("ms").and_then(|number| number.parse().ok());
                number.map(Duration::from_millis).ok_or_else(error)
            };
            match name {
                "workers" => scenario.workers = value.parse().map_err(|_| error())?,
                "order" => scenario.order = Some(number()?),
                "delays" => scenario.delays = Some(number()?),
                "fails" => scenario.fails = numbers()?,
                "hangs" => scenario.hangs = numbers()?,
                "finish" => scenario.finish = Some(moment()?),
                "cancel" => scenario.cancel = Some(moment()?),
                "deadline" => scenario.deadline = Some(moment()?),
                "kill" => scenario.kill = Some(moment()?),
                _ => return Err(error()),
            }
        }
        Ok(scenario)
    }
}
