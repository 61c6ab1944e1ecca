#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclText)]
struct Range<T>(T, T);

impl<T: std::str::FromStr> std::str::FromStr for Range<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> std::result::Result<Self, T::Err> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Ok(Self(first.parse()?, last.parse()?))
    }
}

impl<T: std::fmt::Display> std::fmt::Display for Range<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

fn main() {}
