//! The search for a case that breaks a law, and for the smallest such case.

use std::marker::PhantomData;
use std::sync::mpsc::Sender;

use super::case::{Case, Change, Values};
use super::checks::judge;
use super::description;
use super::field_values::{Much, fill, fill_with, problems};
use super::law::Law;
use super::runner::{Breach, Runner, Tried};
use super::value_pools::Pool;
use crate::chance::Chance;
use crate::sdk::resource::Resource;
use crate::types::value::Value;

const CASES: usize = 24;

/// The factor for the number of cases when none could be tried so far.
const MORE_CASES_FACTOR: usize = 8;

const MOST_VALUES: usize = 120;

const MAX_SMALLER_CASES: usize = 400;

/// The values and the number of cases that an author has set.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) values: Vec<(&'static str, Vec<Value>)>,
    pub(super) cases: usize,
}

impl Default for Known {
    fn default() -> Self {
        Self { values: Vec::new(), cases: CASES }
    }
}

pub(super) struct Search<'s, R> {
    runner: &'s Runner<'s>,
    law: Law,
    cases: usize,
    pools: Vec<Pool>,
    chance: Chance,
    /// Receives each case before it is tried.
    trying: Sender<Case>,
    resource: PhantomData<fn() -> R>,
}

/// The reason why a law does not hold, and the case that breaks it.
type Failure = (String, Option<Case>);

impl<'s, R: Resource> Search<'s, R> {
    pub(super) fn new(runner: &'s Runner<'s>, examples: &Known, law: Law, trying: Sender<Case>) -> Self {
        let pool = |field| {
            let field: &crate::types::schema::Field = field;
            let example = examples.values.iter().find(|(name, _)| *name == field.name);
            Pool::new(field, example.map(|(_, values)| values))
        };
        let pools = R::block().fields.iter().map(pool).collect();
        let chance = Chance::new(seed());
        Self { runner, law, cases: examples.cases, pools, chance, trying, resource: PhantomData }
    }

    /// Tries the law on one given case, or on many.
    pub(super) async fn run(&mut self, replay: Option<Case>) -> Result<(), Failure> {
        if let Some(case) = replay {
            let verdict = self.judge(&case).await;
            return verdict.map(|_| ()).map_err(|breach| (breach.0, Some(case)));
        }
        if let Some(pool) = self.pools.iter().find(|pool| pool.required && pool.valid.is_empty()) {
            let name = pool.name;
            let reason = format!(
                "no value is known that `{name}` takes: say some, `laws!(.., values = ({name:?}, [..]))`, or `.values(({name:?}, [..]))`"
            );
            return Err((reason, None));
        }
        let mut tried = false;
        let mut why_not = String::new();
        let limit = self.case_count();
        for number in 0..MORE_CASES_FACTOR * limit {
            // Further cases are tried if no case so far had anything to apply.
            if number >= limit && (tried || !self.law.needs_an_apply()) {
                break;
            }
            let Some(case) = self.next(number).await else { continue };
            match self.judge(&case).await {
                Ok(Tried::Yes) => tried = true,
                Ok(Tried::No(why)) if why_not.is_empty() => why_not = format!("{why} ({:?})", case.values),
                Ok(Tried::No(_)) => {}
                Err(breach) => return Err(self.smaller(case, breach).await),
            }
        }
        if tried || !self.law.needs_an_apply() {
            return Ok(());
        }
        let reason = format!(
            "it could not be tried, as nothing could be applied: {why_not}. Say on which machine the values have something to do, \
             `start = || ModelSystem::new()..`, or which values do, `values = (\"field\", [..])`"
        );
        Err((reason, None))
    }

    async fn judge(&self, case: &Case) -> Result<Tried, Breach> {
        // The receiver may be gone.
        let _ = self.trying.send(case.clone());
        judge::<R>(self.law, self.runner, &self.pools, case).await
    }

    fn case_count(&self) -> usize {
        if self.law.looks_at_each_value() {
            return 2 * self.runner.starts.len() + self.value_count().min(MOST_VALUES) + self.cases;
        }
        if self.law != Law::InvalidIsRefused {
            return self.cases;
        }
        self.pools.iter().map(|pool| pool.invalid.len()).sum::<usize>() + 4 * self.cases
    }

    /// Returns the case of a number, or `None` if no values were found for it.
    async fn next(&mut self, number: usize) -> Option<Case> {
        if self.law == Law::InvalidIsRefused {
            return Some(self.invalid(number));
        }
        let starts = self.runner.starts.len();
        let index = number.checked_sub(2 * starts).filter(|_| self.law.looks_at_each_value());
        let entry = index.filter(|index| *index < MOST_VALUES).and_then(|at| self.value(at));
        let values = match (number / starts, entry) {
            (0, _) => fill::<R>(&self.pools, Much::Required, &mut self.chance),
            (1, _) => fill::<R>(&self.pools, Much::All, &mut self.chance),
            (_, Some(value)) => fill_with::<R>(&self.pools, value, &mut self.chance),
            (_, None) => fill::<R>(&self.pools, Much::Some, &mut self.chance),
        };
        let values = values.or_else(|| fill::<R>(&self.pools, Much::Some, &mut self.chance))?;
        let case = Case { start: number % starts, ..Case::new(values) };
        if number < 2 * starts && self.law != Law::PendingMayChange {
            return Some(case);
        }
        match self.chance.below(4) {
            _ if self.law == Law::PendingMayChange => Some(self.with_something_missing(case).await),
            0 => {
                let earlier = fill::<R>(&self.pools, Much::Some, &mut self.chance);
                Some(Case { earlier, ..case })
            }
            1 | 2 => Some(self.with_something_in_the_way(case).await),
            _ => Some(case),
        }
    }

    /// Returns the number of valid values of all fields.
    fn value_count(&self) -> usize {
        self.pools.iter().map(|pool| pool.valid.len()).sum()
    }

    fn value(&self, mut index: usize) -> Option<(&'static str, Value)> {
        for pool in &self.pools {
            match pool.valid.get(index) {
                Some(value) => return Some((pool.name, value.clone())),
                None => index -= pool.valid.len(),
            }
        }
        None
    }

    /// Returns one invalid value among valid ones; after all of those, a random mixture.
    fn invalid(&mut self, number: usize) -> Case {
        let candidates: Vec<(&'static str, Value)> = {
            let pairs =
                |pool: &Pool| pool.invalid.iter().map(|value| (pool.name, value.clone())).collect::<Vec<_>>();
            self.pools.iter().flat_map(pairs).collect()
        };
        let mut values = fill::<R>(&self.pools, Much::Required, &mut self.chance).unwrap_or_default();
        if let Some((name, value)) = candidates.get(number) {
            values.retain(|(have, _)| have != name);
            values.push((name, value.clone()));
            return Case::new(values);
        }
        values.clear();
        for pool in &self.pools {
            let from = if self.chance.once_in(3) { &pool.invalid } else { &pool.valid };
            let is_included = self.chance.below(4) > 0;
            values.extend(
                self.chance.pick(from).filter(|_| is_included).map(|value| (pool.name, value.clone())),
            );
        }
        if self.chance.once_in(8) {
            values.push(("no_such_field", 1.into()));
        }
        Case::new(values)
    }

    /// Returns the paths in the values and the paths that an apply changes.
    async fn paths(&self, case: &Case) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for (_, value) in &case.values {
            add_paths(value, &mut paths);
        }
        if let Ok(host) = self.runner.host::<R>(case).await
            && self.runner.run::<R>(&host, &case.values).await.is_ok()
        {
            let changed = description::paths(&host.effects());
            paths.extend(changed.into_iter().map(|path| path.to_string_lossy().into_owned()));
        }
        paths.sort();
        paths.dedup();
        paths.retain(|path| parent(path).is_some());
        paths
    }

    async fn with_something_in_the_way(&mut self, case: Case) -> Case {
        let paths = self.paths(&case).await;
        let Some(path) = self.chance.pick(&paths).cloned() else { return case };
        let folder = parent(&path).unwrap_or_default().to_owned();
        let changes = match self.chance.below(8) {
            0 => vec![Change::Directory(path)],
            1 => vec![Change::File(path, "somebody else's\n")],
            2 => vec![Change::Link(path, "/nowhere")],
            3 => vec![
                Change::File("/srv/elsewhere".to_owned(), "elsewhere\n"),
                Change::Link(path, "/srv/elsewhere"),
            ],
            4 => vec![Change::File(path.clone(), "theirs, without an end"), Change::Owner(path)],
            5 => vec![Change::File(path.clone(), ""), Change::Mode(path, 0o640)],
            6 if folder != "/" => vec![Change::Remove(folder)],
            _ if folder != "/" => vec![Change::File(folder, "not a directory\n")],
            _ => vec![Change::Directory(path.clone()), Change::Mode(path, 0o1777)],
        };
        Case { changes, ..case }
    }

    async fn with_something_missing(&mut self, case: Case) -> Case {
        let mut paths = self.paths(&case).await;
        let folders: Vec<String> = paths
            .iter()
            .filter_map(|path| parent(path))
            .filter(|path| *path != "/")
            .map(str::to_owned)
            .collect();
        paths.extend(folders);
        let accounts =
            case.values.iter().filter_map(|(_, value)| value.as_str()).filter(|text| !text.contains('/'));
        let removals: Vec<Change> = accounts
            .map(|name| Change::Nobody(name.to_owned()))
            .chain(paths.into_iter().map(Change::Remove))
            .collect();
        let changes = self.chance.pick(&removals).cloned().into_iter().collect();
        Case { changes, ..case }
    }

    /// Returns the smallest case that still breaks the law, found by removing parts of the case.
    async fn smaller(&self, case: Case, breach: Breach) -> Failure {
        let (mut case, mut breach) = (case, breach);
        let mut left = MAX_SMALLER_CASES;
        'smaller: loop {
            for smaller in self.smaller_cases(&case) {
                if left == 0 {
                    break 'smaller;
                }
                left -= 1;
                if let Err(next_breach) = self.judge(&smaller).await {
                    (case, breach) = (smaller, next_breach);
                    continue 'smaller;
                }
            }
            break;
        }
        (breach.0, Some(case))
    }

    fn smaller_cases(&self, case: &Case) -> Vec<Case> {
        let mut smaller = Vec::new();
        if case.earlier.is_some() {
            smaller.push(Case { earlier: None, ..case.clone() });
        }
        for index in 0..case.changes.len() {
            let mut candidate = case.clone();
            candidate.changes.remove(index);
            smaller.push(candidate);
        }
        let is_invalid = self.law == Law::InvalidIsRefused;
        let fits =
            |values: &Values| is_invalid || problems::<R>(values).is_ok_and(|problems| problems.is_empty());
        smaller.extend(
            self.smaller_values(&case.values)
                .into_iter()
                .filter(fits)
                .map(|values| Case { values, ..case.clone() }),
        );
        if let Some(earlier) = &case.earlier {
            let earlier = self.smaller_values(earlier).into_iter().filter(fits);
            smaller.extend(earlier.map(|earlier| Case { earlier: Some(earlier), ..case.clone() }));
        }
        smaller
    }

    /// Returns the values with one field less, or with one plainer value.
    fn smaller_values(&self, values: &Values) -> Vec<Values> {
        let mut smaller = Vec::new();
        for index in 0..values.len() {
            let mut candidate = values.clone();
            candidate.remove(index);
            smaller.push(candidate);
        }
        for (index, (name, value)) in values.iter().enumerate() {
            let Some(pool) = self.pools.iter().find(|pool| pool.name == *name) else { continue };
            let plainer = pool.valid.iter().take_while(|plainer| *plainer != value);
            for plainer in plainer.take(3) {
                let mut candidate = values.clone();
                candidate[index].1 = plainer.clone();
                smaller.push(candidate);
            }
        }
        smaller
    }
}

fn add_paths(value: &Value, paths: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with('/') && !text.contains('\0') => paths.push(text.to_string()),
        Value::List(items) => items.iter().for_each(|item| add_paths(item, paths)),
        Value::Map(items) => items.values().for_each(|item| add_paths(item, paths)),
        _ => {}
    }
}

fn parent(path: &str) -> Option<&str> {
    let path = path.trim_end_matches('/');
    let (folder, _) = path.rsplit_once('/')?;
    Some(if folder.is_empty() { "/" } else { folder })
}

/// Returns the seed from `PROPTEST_RNG_SEED`, or 0 so that all runs make the same choices.
#[expect(clippy::disallowed_methods, reason = "the variable is one of the test run, not of a machine")]
fn seed() -> u64 {
    std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}
