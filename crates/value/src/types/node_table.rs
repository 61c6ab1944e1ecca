//! A table with a row for each node that can grow while others read it.

use std::sync::OnceLock;

const MIN_GROWTH: usize = 64;

/// A table whose rows never move, so that growing it does not block readers.
#[derive(Debug)]
#[doc(hidden)]
pub struct Rows<T> {
    first: Box<[T]>,
    more: OnceLock<Box<Self>>,
}

impl<T> Rows<T> {
    #[doc(hidden)]
    pub fn new(len: usize, make: impl Fn() -> T) -> Self {
        Self { first: (0..len).map(|_| make()).collect(), more: OnceLock::new() }
    }

    #[doc(hidden)]
    pub fn from_rows(rows: impl IntoIterator<Item = T>) -> Self {
        Self { first: rows.into_iter().collect(), more: OnceLock::new() }
    }

    #[doc(hidden)]
    pub fn get(&self, index: usize) -> Option<&T> {
        match self.first.get(index) {
            None => self.added(index - self.first.len()),
            row => row,
        }
    }

    #[cold]
    fn added(&self, mut index: usize) -> Option<&T> {
        let mut chunk = self.more.get()?;
        loop {
            match chunk.first.get(index) {
                None => index -= chunk.first.len(),
                row => return row,
            }
            chunk = chunk.more.get()?;
        }
    }

    /// Grows the table to `len` rows.
    ///
    /// Each chunk is at least twice as large as the last one, so there are few chunks.
    #[doc(hidden)]
    pub fn grow(&self, len: usize, make: impl Fn() -> T) {
        let (mut chunk, mut missing, mut next) = (self, len, MIN_GROWTH);
        while missing > chunk.first.len() {
            missing -= chunk.first.len();
            chunk = chunk.more.get_or_init(|| Box::new(Self::new(missing.max(next), &make)));
            next = chunk.first.len() * 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn rows_are_added_and_stay_where_they_are() {
        let rows = Rows::new(3, AtomicUsize::default);
        assert!(rows.get(2).is_some() && rows.get(3).is_none());
        for len in [3, 4, 67, 68, 1000, 10] {
            rows.grow(len, AtomicUsize::default);
            assert!(rows.get(len - 1).is_some(), "{len}");
        }
        (0..1000).for_each(|index| rows.get(index).unwrap().store(index, Ordering::Relaxed));
        let first = std::ptr::from_ref(rows.get(999).unwrap());
        rows.grow(5000, AtomicUsize::default);
        assert_eq!(std::ptr::from_ref(rows.get(999).unwrap()), first);
        assert!((0..1000).all(|index| rows.get(index).unwrap().load(Ordering::Relaxed) == index));
        assert_eq!(Rows::from_rows([7, 8]).get(1), Some(&8));
    }
}
