//! The `--limit name=n` option.

use std::str::FromStr;

use converge_core::diagnostic::Limit;

/// A limit and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimitArg {
    pub(super) limit: Limit,
    pub(super) most: u64,
}

impl FromStr for LimitArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, maximum) = text
            .split_once('=')
            .ok_or("write it as NAME=N; a run is limited to a resource by --target TYPE.NAME")?;
        let names = || Limit::ALL.map(Limit::name).join(", ");
        let limit =
            name.parse().map_err(|()| format!("unknown limit `{name}`; the limits are {}", names()))?;
        let maximum = maximum.parse().map_err(|_| format!("`{maximum}` is not a whole number"))?;
        Ok(Self { limit, most: maximum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_name_and_a_number() {
        let check = |text: &str, expect: Result<(Limit, u64), &str>| {
            let actual = text.parse::<LimitArg>().map(|LimitArg { limit, most }| (limit, most));
            assert_eq!(
                actual.as_ref().map_err(String::as_str),
                expect.as_ref().map_err(|error| *error),
                "{text}"
            );
        };
        check("resources=5", Ok((Limit::Resources, 5)));
        check("work.steps=18446744073709551615", Ok((Limit::WorkSteps, u64::MAX)));
        check("resources", Err("write it as NAME=N; a run is limited to a resource by --target TYPE.NAME"));
        check("file=1k", Err("`1k` is not a whole number"));
        check("file=-1", Err("`-1` is not a whole number"));
        check(
            "size=1",
            Err(
                "unknown limit `size`; the limits are resources, bytes, output, file, work.steps, work.memory",
            ),
        );
    }
}
