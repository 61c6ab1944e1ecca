//! Uniform random draws.

use std::num::NonZeroU64;

use converge_sdk::prelude::*;

/// Returns a random index below `count`.
pub(super) async fn index(cx: &Context, count: usize) -> Result<usize> {
    let Some(end) = NonZeroU64::new(count as u64) else {
        return Err(Error::msg("there is nothing to draw from"));
    };
    let number = cx.system().random().below(end).await?;
    // The number is below `count`.
    Ok(usize::try_from(number).unwrap_or_default())
}

/// Returns a random whole number from `min` to `max`, both included.
pub(super) async fn between(cx: &Context, min: i64, max: i64) -> Result<i64> {
    let last = max.abs_diff(min);
    let number = if let Some(end) = last.checked_add(1).and_then(NonZeroU64::new) {
        cx.system().random().below(end).await?
    } else {
        // The range covers all 64-bit numbers.
        let bytes = cx.system().random().bytes(size_of::<u64>()).await?;
        bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte))
    };
    Ok(min.wrapping_add_unsigned(number))
}

/// Returns `count` random items, in random order.
pub(super) async fn some<T>(cx: &Context, mut items: Vec<T>, count: usize) -> Result<Vec<T>> {
    let count = count.min(items.len());
    for position in 0..count {
        let target = position + index(cx, items.len() - position).await?;
        items.swap(position, target);
    }
    items.truncate(count);
    Ok(items)
}
