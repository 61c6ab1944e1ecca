//! The throttling of progress events about bytes.

/// The minimum number of bytes between two events.
const MIN_STEP: u64 = 1 << 20;

/// The approximate number of events for a known total.
const PARTS: u64 = 100;

/// The last reported byte count and total.
#[derive(Debug, Default)]
pub(super) struct LastReport(Option<(u64, Option<u64>)>);

impl LastReport {
    /// Whether a count should be reported.
    ///
    /// If so, it is recorded as reported.
    ///
    /// The decision depends on the counts alone, not on a clock.
    pub(super) fn is_news(&mut self, count: u64, total: Option<u64>) -> bool {
        let step = MIN_STEP.max(total.unwrap_or(count) / PARTS);
        let is_news = match self.0 {
            None => true,
            Some(last) if last == (count, total) => false,
            Some((last, of)) => of != total || count < last || count - last >= step || Some(count) == total,
        };
        if is_news {
            self.0 = Some((count, total));
        }
        is_news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = MIN_STEP;

    /// Returns the number of events for a transfer in pieces of 64 KiB.
    fn told(length: u64, total: Option<u64>) -> usize {
        let mut filter = LastReport::default();
        let pieces = (0..length).step_by(64 << 10).chain([length]);
        pieces.filter(|count| filter.is_news(*count, total)).count()
    }

    #[test]
    fn bytes_are_told_a_hundred_times_at_most_or_for_each_mib() {
        assert_eq!(told(0, Some(0)), 1);
        assert_eq!(told(10, Some(10)), 2);
        assert_eq!(told(50 * MIB, Some(50 * MIB)), 51);
        assert_eq!(told(100_000 * MIB, Some(100_000 * MIB)), 101);
        assert_eq!(told(50 * MIB, None), 51);
        // Without a total, the step grows with the count.
        assert!((500..1_000).contains(&told(100_000 * MIB, None)), "{}", told(100_000 * MIB, None));
    }

    #[test]
    fn what_begins_anew_is_told() {
        let mut filter = LastReport::default();
        let mut check =
            |done, total, expect| assert_eq!(filter.is_news(done, total), expect, "{done} {total:?}");
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
