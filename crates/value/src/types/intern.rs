//! Interned text that lives as long as the process: names in types that plugins define at run time.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The maximum number of interned bytes; the description of a type takes a few kilobytes.
const MAX_BYTES: usize = 64 << 20;

#[derive(Default)]
struct Kept {
    texts: HashSet<&'static str>,
    lists: HashSet<&'static [&'static str]>,
    bytes: usize,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the descriptions of the types of plugins take more than {} MiB in this process", MAX_BYTES >> 20)]
#[doc(hidden)]
pub struct TooMuchKept;

fn with_kept<T>(work: impl FnOnce(&mut Kept) -> T) -> T {
    let mut store = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    work(store.get_or_insert_default())
}

impl Kept {
    fn take(&mut self, bytes: usize) -> Result<(), TooMuchKept> {
        let sum = self.bytes.saturating_add(bytes);
        if sum > MAX_BYTES {
            return Err(TooMuchKept);
        }
        self.bytes = sum;
        Ok(())
    }
}

/// Interns a text, which is stored only once.
#[doc(hidden)]
pub fn text(text: &str) -> Result<&'static str, TooMuchKept> {
    with_kept(|store| {
        if let Some(have) = store.texts.get(text) {
            return Ok(*have);
        }
        store.take(text.len() + size_of::<&str>())?;
        let leaked: &'static str = Box::leak(text.into());
        store.texts.insert(leaked);
        Ok(leaked)
    })
}

#[doc(hidden)]
pub fn list(texts: &[String]) -> Result<&'static [&'static str], TooMuchKept> {
    let texts = texts.iter().map(|entry| text(entry)).collect::<Result<Vec<_>, _>>()?;
    with_kept(|store| {
        if let Some(have) = store.lists.get(texts.as_slice()) {
            return Ok(*have);
        }
        store.take(size_of_val(texts.as_slice()))?;
        let leaked: &'static [&'static str] = Box::leak(texts.into_boxed_slice());
        store.lists.insert(leaked);
        Ok(leaked)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once() {
        let (first, second) = (text("plugin.intern").unwrap(), text("plugin.intern").unwrap());
        assert!(std::ptr::eq(first, second));
        let words = ["one".to_owned(), "two".to_owned()];
        let (first, second) = (list(&words).unwrap(), list(&words).unwrap());
        assert_eq!(first, ["one", "two"]);
        assert!(std::ptr::eq(first, second));
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let mut store = Kept { texts: HashSet::new(), lists: HashSet::new(), bytes: MAX_BYTES - 1 };
        assert_eq!(store.take(1), Ok(()));
        assert_eq!(store.take(1), Err(TooMuchKept));
        assert_eq!(store.take(usize::MAX), Err(TooMuchKept));
    }
}
