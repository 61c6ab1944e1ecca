//! The command line of `cargo xtask`.

use clap::{Parser, Subcommand};

use crate::{api, bench, docs, dump, fuzz, hosts, layers, package, targets, test};

/// The development tasks of this workspace
#[derive(Debug, PartialEq, Eq, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Args {
    /// The task to run; without one, all tasks are listed.
    #[command(subcommand)]
    pub(crate) chore: Option<Chore>,
}

/// A development task.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum Chore {
    /// Run every test: unit, documentation, compile-fail, whole-system, examples, fuzz targets
    Test(test::Options),
    /// Fuzz the parsers and servers with random inputs (needs a C++ compiler)
    Fuzz(fuzz::Options),
    /// Check each crate without default features, with all features, and with each feature alone
    Features,
    /// Write the lists of public items of each published crate to docs/api, or compare them
    Api(api::Options),
    /// Package the published crates and build each from its package, or package them for a private registry
    Package(package::Options),
    /// Check that the SDK, its resources and the command compile for macOS, FreeBSD and Windows
    Targets(targets::Options),
    /// Write the pages of docs/ from the types and the diagram of the layers, and build the documentation;
    /// with --check, compare the pages and also build that of each published crate alone with its examples.
    /// Warnings are errors
    Docs(docs::Options),
    /// Print the result of a step of loading a module: the syntax tree, the graph, a plan
    Dump(dump::Options),
    /// List the imports of each crate that lead to a higher layer or form a cycle
    Layers(layers::Options),
    /// Measure the engine and the command next to a bare loop of the same system calls
    Bench(bench::Options),
    /// Create or remove the environment for tests of users, packages and units (as root, on Debian)
    #[command(subcommand)]
    Hosts(hosts::Action),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(["xtask"].into_iter().chain(line.split_whitespace()))
    }

    #[track_caller]
    fn check(line: &str, expect: Chore) {
        assert_eq!(
            parse(line).map(|args| args.chore).map_err(|error| error.to_string()),
            Ok(Some(expect)),
            "{line:?}"
        );
    }

    #[track_caller]
    fn refused(line: &str, reason: &str) {
        let error = parse(line).expect_err(line);
        assert!(error.to_string().contains(reason), "{line:?}: {error}");
        assert_eq!(error.exit_code(), 2, "{line:?}");
    }

    #[test]
    fn definition_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn chores() {
        let strings = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let test = |no_skips, cargo: &[&str]| Chore::Test(test::Options { no_skips, cargo: strings(cargo) });
        assert_eq!(parse("").map(|args| args.chore).map_err(|error| error.to_string()), Ok(None));
        check("docs", Chore::Docs(docs::Options { check: false }));
        check("docs --check", Chore::Docs(docs::Options { check: true }));
        check("test", test(false, &[]));
        check("test --no-skips", test(true, &[]));
        check("test -- -p xtask --no-skips", test(false, &["-p", "xtask", "--no-skips"]));
        check("features", Chore::Features);
        check("api", Chore::Api(api::Options { check: false }));
        check("api --check", Chore::Api(api::Options { check: true }));
        let package = |registry: Option<&str>, prefix: &str| {
            Chore::Package(package::Options { registry: registry.map(String::from), prefix: prefix.into() })
        };
        check("package", package(None, ""));
        check("package --registry own", package(Some("own"), ""));
        check("package --registry own --prefix my-", package(Some("own"), "my-"));
        check("targets", Chore::Targets(targets::Options { no_skips: false }));
        check("targets --no-skips", Chore::Targets(targets::Options { no_skips: true }));
        check("bench --sizes 1", Chore::Bench(bench::Options { arguments: strings(&["--sizes", "1"]) }));
        check(
            "bench load --sizes 1",
            Chore::Bench(bench::Options { arguments: strings(&["load", "--sizes", "1"]) }),
        );
        check(
            "dump graph -p a=1 m.hcl",
            Chore::Dump(dump::Options { arguments: strings(&["graph", "-p", "a=1", "m.hcl"]) }),
        );
        check("layers --draw", Chore::Layers(layers::Options { arguments: strings(&["--draw"]) }));
        let fuzz = |target: Option<&str>, runs| {
            Chore::Fuzz(fuzz::Options { target: target.map(String::from), runs })
        };
        check("fuzz", fuzz(None, fuzz::RUNS));
        check("fuzz parse --runs 7", fuzz(Some("parse"), 7));
        check("fuzz --runs 7 parse", fuzz(Some("parse"), 7));
        check("hosts up", Chore::Hosts(hosts::Action::Up));
        check("hosts down", Chore::Hosts(hosts::Action::Down { all: false }));
        check("hosts down --all", Chore::Hosts(hosts::Action::Down { all: true }));
        check("hosts shell", Chore::Hosts(hosts::Action::Shell));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        refused("tests", "unrecognized subcommand 'tests'");
        refused("test fast", "unexpected argument 'fast'");
        refused("docs --open", "unexpected argument '--open'");
        refused("fuzz --runs", "a value is required for '--runs <N>'");
        refused("fuzz --runs many", "invalid value 'many' for '--runs <N>'");
        refused("fuzz parse load", "unexpected argument 'load'");
        refused("package --prefix my-", "--registry <NAME>");
        refused("hosts", "subcommand");
        refused("hosts --up", "unexpected argument '--up'");
        refused("hosts up --all", "unexpected argument '--all'");
        refused("hosts down --images", "unexpected argument '--images'");
    }

    #[test]
    fn help_starts_nothing() {
        for line in
            ["--help", "help", "bench --help", "layers --help", "docs --check --help", "hosts up --help"]
        {
            let error = parse(line).expect_err(line);
            assert_eq!(error.exit_code(), 0, "{line:?}: {error}");
        }
    }
}
