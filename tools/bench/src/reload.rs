//! The cost of reloading modules after one of them has changed, with and without a cache.

use std::fmt::{self, Write as _};
use std::time::{Duration, Instant};

use converge_core::Registry;
use converge_core::load::{Loader, Memory, ModuleCache, Sources};

use crate::error::BenchError;
use crate::table::median;

/// The number of called modules; one module above them calls each one.
const MODULES: usize = 200;

/// The number of resources in each module.
const RESOURCES: usize = 20;

const ROUNDS: usize = 9;

/// The median times.
#[derive(Debug)]
pub(crate) struct Reload {
    without: Duration,
    with: Duration,
}

/// Loads alternately without a cache and with a cache of all modules but one.
///
/// Texts are in memory, so that the time to read files does not count.
pub(crate) fn measure() -> Result<Reload, BenchError> {
    let registry = converge_resources::registry()?;
    let cache = ModuleCache::new();
    let (mut without_cache, mut with_cache) = (Vec::new(), Vec::new());
    load(&registry, 0, Some(&cache))?;
    for round in 1..=ROUNDS {
        without_cache.push(load(&registry, round, None)?);
        let before = cache.stats().misses;
        with_cache.push(load(&registry, round, Some(&cache))?);
        let read = cache.stats().misses - before;
        if read != 1 {
            let (step, expected) = ("reload", "1 module that was read".to_owned());
            return Err(BenchError::WrongResult { step, expected, got: read.to_string() });
        }
    }
    Ok(Reload { without: median(without_cache), with: median(with_cache) })
}

/// Loads the modules of a round, of which one differs from the previous round.
fn load(registry: &Registry, round: usize, cache: Option<&ModuleCache>) -> Result<Duration, BenchError> {
    let mut site = String::new();
    let mut modules = Memory::new();
    for number in 0..MODULES {
        let _ = writeln!(
            site,
            "module \"{number}.hcl\" \"m{number}\" {{\n  params {{\n    dir = \"/srv/{number}\"\n  }}\n}}"
        );
        let changes = if number == MODULES / 2 { round } else { 0 };
        modules = modules.with(format!("{number}.hcl"), module(number, changes));
    }
    let mut loader = Loader::new(registry).with_sources(Sources::only(modules.with("site.hcl", site)));
    if let Some(cache) = cache {
        loader = loader.with_cache(cache);
    }
    let start = Instant::now();
    let graph = loader.load("site.hcl").into_graph()?;
    let time = start.elapsed();
    drop(graph);
    Ok(time)
}

fn module(number: usize, change: usize) -> String {
    let mut text = format!("param \"dir\" {{}}\n\n# Change {change}.\n");
    for index in 0..RESOURCES {
        let _ = write!(
            text,
            "file.content \"f{index}\" {{\n  destination = \"{{{{param `dir`}}}}/f{index}\"\n  content = \
             format(\"%s of %d\\n\", param.dir, {number})\n}}\n"
        );
    }
    text
}

impl fmt::Display for Reload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (without_cache, with_cache) = (micros(self.without), micros(self.with));
        let label = format!("{MODULES} modules of {RESOURCES} resources");
        writeln!(f, "{:<12} {without_cache:>10.1} us  {label}, without a cache", "load")?;
        writeln!(
            f,
            "{:<12} {with_cache:>10.1} us  one of them has changed: {:.2}x",
            "reload",
            without_cache / with_cache
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reload_stands_beside_a_load() {
        let table = Reload { without: Duration::from_millis(9), with: Duration::from_millis(3) };
        let expect = "
load             9000.0 us  200 modules of 20 resources, without a cache
reload           3000.0 us  one of them has changed: 3.00x
";
        assert_eq!(format!("\n{table}"), expect);
    }

    /// Fails if more modules are read than have changed.
    #[test]
    fn what_has_changed_is_read() {
        let reload = measure().unwrap();
        assert!(reload.with > Duration::ZERO && reload.without > Duration::ZERO);
    }
}
