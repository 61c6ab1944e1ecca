//! The processor time of loading per resource, for several sizes and shapes of modules.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use converge_core::Registry;
use converge_core::graph::Graph;
use converge_core::load::Loader;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::error::{BenchError, at};
use crate::table::median;

/// A way to write many resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Resources with two templates each, which refer to a parameter and to another resource.
    Templates,
    /// Resources with two computed expressions each.
    Expressions,
    /// One block with `for_each`.
    ForEach,
    /// One module that is called for each resource.
    Modules,
    /// `switch` blocks with 100 cases each.
    Switch,
}

const SHAPES: [Shape; 5] =
    [Shape::Templates, Shape::Expressions, Shape::ForEach, Shape::Modules, Shape::Switch];

/// The number of cases in one `switch`.
const CASES: usize = 100;

impl Shape {
    fn name(self) -> &'static str {
        match self {
            Self::Templates => "templates",
            Self::Expressions => "expressions",
            Self::ForEach => "for_each",
            Self::Modules => "modules",
            Self::Switch => "switch",
        }
    }

    /// Returns the text of a module with the given number of resources and a parameter.
    fn text(self, count: usize) -> String {
        let mut text = String::from("param \"dir\" {\n  default = \"/tmp\"\n}\n");
        match self {
            Self::Templates => {
                for index in 0..count {
                    let _ = write!(
                        text,
                        "file.content \"f{index}\" {{\n  destination = \"{{{{param `dir`}}}}/f{index}\"\n  \
                         content = \"after {}\\n\"\n}}\n",
                        match index.checked_sub(1) {
                            Some(before) => format!("{{{{lookup `file.content.f{before}.destination`}}}}"),
                            None => "{{param `dir`}}".to_owned(),
                        }
                    );
                }
            }
            Self::Expressions => {
                for index in 0..count {
                    let _ = write!(
                        text,
                        "file.content \"f{index}\" {{\n  destination = format(\"%s/f%d\", param.dir, {index})\n  \
                         content = param.dir == \"/\" ? \"root\" : upper(\"f{index}\")\n}}\n",
                    );
                }
            }
            Self::ForEach => {
                let _ = write!(
                    text,
                    "file.content \"f\" {{\n  for_each = toset([for index in range({count}) : tostring(index)])\n  \
                 destination = \"{{{{param `dir`}}}}/{{{{each.key}}}}\"\n  content = \"{{{{each.value}}}}\\n\"\n}}\n"
                );
            }
            Self::Modules => {
                for index in 0..count {
                    let _ = write!(
                        text,
                        "module \"called.hcl\" \"m{index}\" {{\n  params {{\n    name = \"{{{{param `dir`}}}}/f{index}\"\n  }}\n}}\n",
                    );
                }
            }
            Self::Switch => {
                for switch in 0..count.div_ceil(CASES) {
                    let _ = writeln!(text, "switch \"s{switch}\" {{");
                    for index in switch * CASES..count.min((switch + 1) * CASES) {
                        let _ = write!(
                            text,
                            "  case \"eq (param `dir`) `{index}`\" \"c{index}\" {{\n    file.content \"f\" {{\n      \
                             destination = \"{{{{param `dir`}}}}/f{index}\"\n      content = \"{{{{param `dir`}}}}\\n\"\n    }}\n  }}\n",
                        );
                    }
                    text.push_str("}\n");
                }
            }
        }
        text
    }
}

/// The module that `module` blocks call.
const CALLED: &str = "param \"name\" {}\n\nfile.content \"f\" {\n  destination = \"{{param `name`}}\"\n  \
                      content = \"{{param `name`}}\\n\"\n}\n";

/// The time per resource for each shape at each size.
#[derive(Debug)]
pub(crate) struct LoadTable {
    sizes: Vec<usize>,
    rows: Vec<(Shape, Vec<Duration>)>,
}

/// Measures loading.
///
/// The sizes alternate in each round, so that all of them meet the same machine.
pub(crate) fn measure(sizes: &[usize]) -> Result<LoadTable, BenchError> {
    let registry = converge_resources::registry()?;
    let folder = tempfile::tempdir().map_err(at(&env::temp_dir()))?;
    let mut rows = Vec::new();
    for shape in SHAPES {
        let mut modules = Vec::new();
        for size in sizes {
            modules.push((*size, write(folder.path(), shape, *size)?, Vec::new()));
        }
        for _ in 0..ROUNDS {
            for (size, path, times) in &mut modules {
                // A short load is repeated, because one interruption distorts it more.
                for _ in 0..(MOST_REPEATS / *size).clamp(1, 20) {
                    let start = processor_time()?;
                    let graph = load(&registry, path)?;
                    times.push(processor_time()?.saturating_sub(start));
                    drop(graph);
                }
            }
        }
        rows.push((shape, modules.into_iter().map(|(_, _, times)| median(times)).collect()));
    }
    Ok(LoadTable { sizes: sizes.to_vec(), rows })
}

/// Returns the processor time that this process has used.
///
/// Loading never waits, and on a busy machine a long load is interrupted more often than a short one.
/// Processor time is therefore more stable than elapsed time.
fn processor_time() -> Result<Duration, BenchError> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = (usage.user_time() + usage.system_time()).num_microseconds();
    Ok(Duration::from_micros(u64::try_from(micros).unwrap_or(0)))
}

const ROUNDS: usize = 7;
const MOST_REPEATS: usize = 2_000;

fn write(folder: &Path, shape: Shape, count: usize) -> Result<PathBuf, BenchError> {
    let module_path = folder.join("called.hcl");
    fs::write(&module_path, CALLED).map_err(at(&module_path))?;
    let path = folder.join(format!("{}-{count}.hcl", shape.name()));
    fs::write(&path, shape.text(count)).map_err(at(&path))?;
    Ok(path)
}

/// Loads a module from its text into a graph.
pub(crate) fn load(registry: &Registry, path: &Path) -> Result<Arc<Graph>, BenchError> {
    Ok(Loader::new(registry).load_file(path).into_graph()?)
}

impl fmt::Display for LoadTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<12}", "us/resource")?;
        for size in &self.sizes {
            write!(f, " {size:>8} {:>7}", "ratio")?;
        }
        writeln!(f)?;
        for (shape, times) in &self.rows {
            write!(f, "{:<12}", shape.name())?;
            let mut first = None;
            for (size, time) in self.sizes.iter().zip(times) {
                #[expect(clippy::cast_precision_loss, reason = "a table shows three digits")]
                let per_resource = time.as_secs_f64() * 1e6 / *size as f64;
                let ratio = per_resource / *first.get_or_insert(per_resource);
                write!(f, " {per_resource:>8.2} {ratio:>6.2}x")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a run depends on nodes and edges, so their number must not grow faster than the module.
    #[test]
    fn a_large_module_has_no_more_edges_for_each_resource_than_a_small_one() {
        let registry = converge_resources::registry().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for shape in SHAPES {
            let mut per_resource = None;
            for count in [200, 2_000] {
                let graph = load(&registry, &write(folder.path(), shape, count).unwrap()).unwrap();
                let edges: usize = graph.nodes().map(|(index, _)| graph.dependencies(index).len()).sum();
                assert!(graph.len() > count, "{shape:?}");
                let cost = (graph.len() + edges) * 100 / count;
                let small = *per_resource.get_or_insert(cost);
                assert!(
                    cost <= small,
                    "{shape:?}: {cost} nodes and edges for 100 resources, {small} when there are few"
                );
            }
        }
    }

    #[test]
    fn ratios_stand_beside_the_times() {
        let micros = Duration::from_micros;
        let table = LoadTable {
            sizes: vec![100, 1_000],
            rows: vec![
                (Shape::Templates, vec![micros(1_000), micros(8_000)]),
                (Shape::Switch, vec![micros(500), micros(10_000)]),
            ],
        };
        let expect = "
us/resource       100   ratio     1000   ratio
templates       10.00   1.00x     8.00   0.80x
switch           5.00   1.00x    10.00   2.00x
";
        assert_eq!(format!("\n{table}"), expect);
    }
}
