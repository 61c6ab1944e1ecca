//! Which numbers of bytes are worth telling.

/// The least that is told anew, in bytes.
const LEAST: u64 = 1 << 20;

/// How often it is told of a whole.
const PARTS: u64 = 100;

/// What was told last.
#[derive(Debug, Default)]
pub(super) struct Told(Option<(u64, Option<u64>)>);

impl Told {
    /// Whether this is to be told, which it then was. That depends on the bytes alone, and on no clock.
    pub(super) fn is_news(&mut self, done: u64, total: Option<u64>) -> bool {
        let step = LEAST.max(total.unwrap_or(done) / PARTS);
        let is_news = match self.0 {
            None => true,
            Some(last) if last == (done, total) => false,
            Some((last, of)) => of != total || done < last || done - last >= step || Some(done) == total,
        };
        if is_news {
            self.0 = Some((done, total));
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = LEAST;

    /// How often so many bytes are told that come in pieces of 64 KiB.
    fn told(all: u64, total: Option<u64>) -> usize {
        let mut told = Told::default();
        let pieces = (0..all).step_by(64 << 10).chain([all]);
        pieces.filter(|done| told.is_news(*done, total)).count()
    }

    #[test]
    fn bytes_are_told_a_hundred_times_at_most_or_for_each_mib() {
        assert_eq!(told(0, Some(0)), 1);
        assert_eq!(told(10, Some(10)), 2);
        assert_eq!(told(50 * MIB, Some(50 * MIB)), 51);
        assert_eq!(told(100_000 * MIB, Some(100_000 * MIB)), 101);
        assert_eq!(told(50 * MIB, None), 51);
        // The more there was, the rarer it is told.
        assert!((500..1_000).contains(&told(100_000 * MIB, None)), "{}", told(100_000 * MIB, None));
    }

    #[test]
    fn what_begins_anew_is_told() {
        let mut told = Told::default();
        let mut check =
            |done, total, expect| assert_eq!(told.is_news(done, total), expect, "{done} {total:?}");
        check(5, Some(10), true);
        check(6, Some(10), false);
        check(10, Some(10), true);
        check(10, Some(10), false);
        check(3, Some(10), true);
        check(3, None, true);
        check(3, Some(u64::MAX), true);
        check(u64::MAX, Some(u64::MAX), true);
    }
}
