//! The `--color` option.

use anstream::ColorChoice;
use clap::ValueEnum;

/// The use of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // Doc comments would turn the list of values in the help into a paragraph that adds nothing.
    Auto,
    Always,
    Never,
}

impl Color {
    /// Returns whether to use colours on a stream, given the choice detected for the stream.
    pub(super) fn is_enabled(self, stream: ColorChoice) -> bool {
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
        let check = |asked: Color, stream, expect| {
            assert_eq!(asked.is_enabled(stream), expect, "{asked:?} {stream:?}");
        };
        check(Color::Auto, ColorChoice::Never, false);
        check(Color::Auto, ColorChoice::Always, true);
        check(Color::Always, ColorChoice::Never, true);
        check(Color::Never, ColorChoice::Always, false);
    }
}
