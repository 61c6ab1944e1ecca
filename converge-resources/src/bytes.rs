//! Numbers of bytes, formatted for people.

use std::fmt;

/// A number of bytes, displayed in the largest unit that gives a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut value, mut unit) = (self.0, "B");
        for larger in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
            if value == 0 || value % 1024 != 0 {
                break;
            }
            (value, unit) = (value / 1024, larger);
        }
        write!(f, "{value} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes() {
        let check = |bytes: u64, expect: &str| assert_eq!(Bytes(bytes).to_string(), expect);
        check(0, "0 B");
        check(1000, "1000 B");
        check(1 << 30, "1 GiB");
        check(100 << 20, "100 MiB");
        check(3 << 39, "1536 GiB");
        check(u64::MAX, "18446744073709551615 B");
    }
}
