//! The `Debug` form of errors.

use std::error::Error;
use std::fmt;

/// Implements `Debug` of error types by their text.
///
/// Rust prints the `Debug` form of an error that leaves `main`.
macro_rules! debug_as_text {
    ($error:ty) => {
        impl ::std::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                $crate::error_text::write(self, f)
            }
        }
    };
}

pub(crate) use debug_as_text;

/// Writes the text of an error, and of its causes as far as the text does not contain them.
pub(crate) fn write(error: &(dyn Error + 'static), f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let of_cause = error.to_string();
        if !text.contains(&of_cause) {
            text = format!("{text}: {of_cause}");
        }
        cause = error.source();
    }
    f.write_str(&text)
}

#[cfg(test)]
mod tests {
    use std::io;

    #[derive(thiserror::Error)]
    enum Broken {
        #[error("cannot read {0}")]
        Read(&'static str, #[source] io::Error),
        #[error("cannot write: {0}")]
        Write(#[source] io::Error),
    }

    super::debug_as_text!(Broken);

    #[test]
    fn the_debug_form_is_the_text_with_its_causes() {
        let cause = || io::Error::other("it is full");
        assert_eq!(format!("{:?}", Broken::Read("a", cause())), "cannot read a: it is full");
        assert_eq!(format!("{:?}", Broken::Write(cause())), "cannot write: it is full");
    }
}
