//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Measure everything at these numbers of resources, smallest first.
    Measure { sizes: Vec<usize>, converge: Option<PathBuf> },
    /// Measure loading alone, of modules of several shapes.
    Load { sizes: Vec<usize> },
    /// Run one program and report what it cost; this program starts itself so, see `child`.
    Child { command: Vec<String> },
}

/// Arguments that make no sense.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UsageError {
    /// There is no such option.
    #[error("`{0}` is not an option; there are load, --sizes <N,N,..> and --converge <PATH>")]
    UnknownOption(String),
    /// An option lacks its value.
    #[error("`{0}` needs a value")]
    MissingValue(&'static str),
    /// A size is not a number above zero.
    #[error("--sizes: `{0}` is not a whole number above zero")]
    BadSize(String),
    /// No program to run.
    #[error("`child` needs a command")]
    MissingCommand,
}

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];
const LOAD_SIZES: [usize; 3] = [100, 1_000, 10_000];

/// Reads the arguments that follow the name of the program.
pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Request, UsageError> {
    let mut arguments = arguments.into_iter().peekable();
    if arguments.next_if(|first| first == "child").is_some() {
        let command: Vec<String> = arguments.collect();
        return if command.is_empty() {
            Err(UsageError::MissingCommand)
        } else {
            Ok(Request::Child { command })
        };
    }
    let load = arguments.next_if(|first| first == "load").is_some();
    let mut sizes = if load { LOAD_SIZES.to_vec() } else { SIZES.to_vec() };
    let mut converge = None;
    while let Some(option) = arguments.next() {
        match option.as_str() {
            "--sizes" => sizes = parse_sizes(&arguments.next().ok_or(UsageError::MissingValue("--sizes"))?)?,
            "--converge" if !load => {
                let path = arguments.next().ok_or(UsageError::MissingValue("--converge"))?;
                converge = Some(PathBuf::from(path));
            }
            _ => return Err(UsageError::UnknownOption(option)),
        }
    }
    Ok(if load { Request::Load { sizes } } else { Request::Measure { sizes, converge } })
}

fn parse_sizes(list: &str) -> Result<Vec<usize>, UsageError> {
    let size = |text: &str| {
        let size: Result<NonZeroUsize, _> = text.trim().parse();
        size.map(NonZeroUsize::get).map_err(|_| UsageError::BadSize(text.to_owned()))
    };
    let mut sizes = list.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expect: Result<Request, &str>) {
        let parsed = parse(line.split_whitespace().map(String::from));
        assert_eq!(parsed.map_err(|error| error.to_string()), expect.map_err(String::from), "{line:?}");
    }

    #[test]
    fn arguments() {
        let measure = |sizes: &[usize], converge: Option<&str>| {
            Ok(Request::Measure { sizes: sizes.to_vec(), converge: converge.map(PathBuf::from) })
        };
        check("", measure(&SIZES, None));
        check("--sizes 20,5,20", measure(&[5, 20], None));
        check("--converge x --sizes 1", measure(&[1], Some("x")));
        check("load", Ok(Request::Load { sizes: LOAD_SIZES.to_vec() }));
        check("load --sizes 3,2", Ok(Request::Load { sizes: vec![2, 3] }));
        check("child ls -l", Ok(Request::Child { command: vec!["ls".into(), "-l".into()] }));
        check("child", Err("`child` needs a command"));
        check("--sizes", Err("`--sizes` needs a value"));
        check("--sizes 1,x", Err("--sizes: `x` is not a whole number above zero"));
        check("--sizes 0", Err("--sizes: `0` is not a whole number above zero"));
        check("fast", Err("`fast` is not an option; there are load, --sizes <N,N,..> and --converge <PATH>"));
    }
}
