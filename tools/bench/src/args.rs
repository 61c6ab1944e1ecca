//! The command line of the benchmark program.

use std::num::{NonZeroUsize, ParseIntError};
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};

use crate::controllers::{Amount, Kind};
use crate::{baseline, shells};

/// Measure the engine and the command, next to a bare loop of the same system calls
#[derive(Debug, PartialEq, Eq, Parser)]
#[command(name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    /// The one thing to measure; everything if not given.
    #[command(subcommand)]
    pub(crate) request: Option<Request>,
    /// Numbers of resources
    #[arg(long, value_name = "N,N,..", default_value = "100,1000,10000,100000")]
    pub(crate) sizes: Sizes,
    /// The command to measure [default: the one beside this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) converge: Option<PathBuf>,
}

/// One thing to measure.
#[derive(Debug, PartialEq, Eq, Subcommand)]
pub(crate) enum Request {
    /// Measure loading alone, with modules of several shapes
    Load {
        /// Numbers of resources
        #[arg(long, value_name = "N,N,..", default_value = "100,1000,10000")]
        sizes: Sizes,
    },
    /// Measure an embedding program: create a registry, load, plan, and write plans and reports as JSON
    Embed {
        /// Number of resources
        #[arg(long, value_name = "N", default_value = "1000")]
        resources: usize,
    },
    /// Measure what people wait for, next to programs that make only the necessary system calls
    Aims,
    /// Measure the time an editor waits for answers after a keystroke in a large module
    Editor {
        /// Number of lines
        #[arg(long, value_name = "N", default_value = "10000")]
        lines: usize,
    },
    /// Measure resource stores and controllers, next to a bare loop on a redb file and a bare etcd client
    Controllers(Amount),
    /// Measure a server with agents that apply nothing
    Fleet {
        /// Number of agents
        #[arg(long, value_name = "N", default_value = "1000")]
        agents: usize,
        /// The server to measure [default: `converge-server` beside this program]
        #[arg(long, value_name = "PATH")]
        server: Option<PathBuf>,
    },
    /// Fill a store and keep it open (this program starts itself this way)
    #[command(hide = true)]
    HoldStore {
        store: Kind,
        /// The folder of the store.
        folder: PathBuf,
        resources: usize,
    },
    /// Read or make the files of a module (this program starts itself this way)
    #[command(hide = true)]
    BareFiles { kind: baseline::Kind, files: usize, folder: PathBuf },
    /// Start the shells of a number of tasks (this program starts itself this way)
    #[command(hide = true)]
    BareShells { kind: shells::Kind, tasks: usize, folder: PathBuf },
    /// Run one program and report its cost (this program starts itself this way)
    #[command(hide = true)]
    Child {
        /// The program and its arguments.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
}

/// The numbers of resources in ascending order, without duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<usize>);

impl FromStr for Sizes {
    type Err = ParseIntError;

    fn from_str(list: &str) -> Result<Self, Self::Err> {
        let size = |text: &str| text.trim().parse().map(NonZeroUsize::get);
        let mut sizes = list.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Self(sizes))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(["bench"].into_iter().chain(line.split_whitespace()))
    }

    #[track_caller]
    fn check(line: &str, sizes: &[usize], converge: Option<&str>) {
        let args = parse(line).unwrap();
        assert_eq!((args.request, args.sizes.0), (None, sizes.to_vec()), "{line:?}");
        assert_eq!(args.converge, converge.map(PathBuf::from), "{line:?}");
    }

    #[track_caller]
    fn requests(line: &str, expect: Request) {
        assert_eq!(parse(line).unwrap().request, Some(expect), "{line:?}");
    }

    #[track_caller]
    fn refused(line: &str, reason: &str) {
        let error = parse(line).expect_err(line).to_string();
        assert!(error.contains(reason), "{line:?}: {error}");
    }

    #[test]
    fn arguments() {
        Args::command().debug_assert();
        check("", &[100, 1_000, 10_000, 100_000], None);
        check("--sizes 20,5,20", &[5, 20], None);
        check("--converge x --sizes 1", &[1], Some("x"));
        requests("load", Request::Load { sizes: Sizes(vec![100, 1_000, 10_000]) });
        requests("load --sizes 3,2", Request::Load { sizes: Sizes(vec![2, 3]) });
        requests("embed --resources 5", Request::Embed { resources: 5 });
        requests("child ls -l", Request::Child { command: vec!["ls".into(), "-l".into()] });
        requests(
            "hold-store redb x 3",
            Request::HoldStore { store: Kind::Redb, folder: "x".into(), resources: 3 },
        );
        requests("editor --lines 9", Request::Editor { lines: 9 });
        requests("aims", Request::Aims);
        requests(
            "bare-shells change 7 x",
            Request::BareShells { kind: shells::Kind::Change, tasks: 7, folder: "x".into() },
        );
        refused("child", "<COMMAND>");
        refused("--sizes", "a value is required for '--sizes <N,N,..>'");
        refused("--sizes 1,x", "invalid digit");
        refused("--sizes 0", "would be zero");
        refused("load --converge x", "unexpected argument '--converge'");
        refused("fast", "unrecognized subcommand 'fast'");
    }
}
