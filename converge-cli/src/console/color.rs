//! `--color`.

use anstream::ColorChoice;
use clap::ValueEnum;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // No docs: they would turn the list of values in the help into a paragraph that says nothing new.
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether to use colours on a stream that has this choice of its own.
    pub(super) fn suits(self, stream: ColorChoice) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => !matches!(stream, ColorChoice::Never),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_wins() {
        let check =
            |asked: Color, stream, expect| assert_eq!(asked.suits(stream), expect, "{asked:?} {stream:?}");
        check(Color::Auto, ColorChoice::Never, false);
        check(Color::Auto, ColorChoice::Always, true);
        check(Color::Always, ColorChoice::Never, true);
        check(Color::Never, ColorChoice::Always, false);
    }
}
