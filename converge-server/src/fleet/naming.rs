//! Names that are derived from other names.

use std::fmt::Write as _;

use converge_controller::{InvalidName, Name};
use sha2::{Digest as _, Sha256};

/// The number of characters for the readable part: 63, of which a dash and a hash take 17.
const ROOM: usize = 63 - 1 - HASH;
/// The number of hash digits, enough for a billion distinct names.
const HASH: usize = 16;

/// Derives a name that identifies exactly these parts.
///
/// It consists of the readable names, shortened if necessary, and a hash of all parts. Joined names alone
/// would be ambiguous: `a-b` with `c`, and `a` with `b-c`.
pub(super) fn derived(read: &[&Name], parts: &[&[u8]]) -> Result<Name, InvalidName> {
    let mut name = String::with_capacity(ROOM + 1 + HASH);
    for part in read {
        name.push_str(&beginning(part, read.len()));
    }
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    for byte in &hash.finalize()[..HASH / 2] {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name.parse()
}

/// Returns the prefix of all [derived](derived) names whose first of `count` names is this one.
///
/// Other names may share it.
pub(super) fn beginning(first: &Name, count: usize) -> String {
    // There is a dash before each name except the first.
    let room = (ROOM + 1) / count.max(1) - 1;
    // A name is ASCII, so every index is a character boundary.
    format!("{}-", first.as_str().get(..room).unwrap_or(first.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        #[track_caller]
        fn check(read: &[&str], expect: &str) -> Name {
            let names: Vec<Name> = read.iter().map(|name| name.parse().unwrap()).collect();
            let (names, parts): (Vec<_>, Vec<_>) =
                names.iter().map(|name| (name, name.as_str().as_bytes())).unzip();
            let name = derived(&names, &parts).unwrap();
            assert_eq!(name.as_str().rsplit_once('-').unwrap().0, expect);
            assert_eq!(name.as_str().len(), expect.len() + 17);
            assert!(name.as_str().starts_with(&beginning(names[0], names.len())));
            name
        }
        let long = "x".repeat(63);
        check(&["web"], "web");
        check(&[&long], &long[..46]);
        check(&[&long, &long], &format!("{}-{}", &long[..22], &long[..22]));
        assert_ne!(check(&["a-b", "c"], "a-b-c"), check(&["a", "b-c"], "a-b-c"));
        assert_ne!(check(&[&long], &long[..46]), check(&[&long[..62]], &long[..46]));
        assert_eq!(check(&["a", "b"], "a-b"), check(&["a", "b"], "a-b"));
    }
}
