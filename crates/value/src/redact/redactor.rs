//! The secrets of a run.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::encodings;
use super::fingerprints::{Fingerprints, pieces};

/// What is printed in the place of a secret.
pub const REDACTED: &str = "(sensitive)";

/// A text with fewer characters is not looked for: it would be found in every other word.
const SHORTEST: usize = 4;

/// So many pieces of a secret are added in one go: others look for secrets meanwhile, and wait for it.
const AT_ONCE: usize = 256;

/// Words that every output is full of. To hide one tells no less than to show it, as there are only two or three.
const COMMON: [&str; 3] = ["true", "false", "null"];

/// The secrets of a run, and what takes them out of text.
///
/// Every graph has one, and so has every `Loader`; clones are handles to the same secrets. It keeps
/// hashes, and no text of any secret.
///
/// ```
/// use converge_core::Redactor;
///
/// let redactor = Redactor::new();
/// assert!(redactor.hide("hunter2"));
/// assert_eq!(redactor.redact("https://me:hunter2@host/"), "https://me:(sensitive)@host/");
/// // The last character has only some bits of the secret.
/// assert_eq!(redactor.redact("Basic bWU6aHVudGVyMg=="), "Basic bWU6(sensitive)g==");
/// assert!(!redactor.hide("no"));
/// ```
///
/// # Guarantees
///
/// - No secret that was hidden is in what [`redact`](Self::redact) gives, nor are the forms that it takes on its way: without the
///   space around it, each line of it that has eight characters, escaped for JSON, Rust, shells and URLs, and in base64.
/// - A secret of many lines or of many bytes is also found in pieces: of those longer than 31 bytes, some part is always hidden.
/// - The work is linear in the text, whatever the secrets are.
///
/// # Caveats
///
/// - What has fewer than four characters is not hidden, nor are `true`, `false` and `null`: it would be found everywhere.
/// - A secret that was changed in any other way (reversed, compressed, printed with a space between the letters) is not found.
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether there is anything to look for. Most runs have nothing, and then nothing is locked.
    any: AtomicBool,
    fingerprints: RwLock<Fingerprints>,
    /// What is to be done before the first secret is known.
    first: Option<Box<dyn Fn() + Send + Sync>>,
    /// Who is told each secret that is new.
    listener: Option<Listener>,
}

type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// Shows nothing of what it hides.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("is_empty", &self.is_empty()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// One that has nothing to hide yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that calls `first` before it takes its first secret. A program can then see to it that the memory of its process
    /// is not written to a file.
    pub fn with_notice(first: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { first: Some(Box::new(first)), ..Shared::default() }))
    }

    /// One that tells each new secret to `listener`, who has to hide it, too.
    #[doc(hidden)]
    pub fn with_listener(listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { listener: Some(Box::new(listener)), ..Shared::default() }))
    }

    /// Hides a text from now on. Gives whether it can be: see the caveats.
    ///
    /// What is no text (numbers, lists, maps) is hidden by [`hide_value`](Self::hide_value).
    pub fn hide(&self, secret: &str) -> bool {
        if !can_be_hidden(secret) {
            return false;
        }
        if self.fingerprints().knows(secret.as_bytes()) {
            return true;
        }
        self.announce();
        if let Some(listener) = &self.0.listener {
            listener(secret);
        }
        let base = self.fingerprints().base();
        let mut found = Vec::with_capacity(AT_ONCE);
        encodings::each(secret, |form| {
            pieces(form, base, |piece| {
                found.push(piece);
                if found.len() == AT_ONCE {
                    self.fingerprints_mut().add(&found);
                    found.clear();
                }
            });
        });
        let mut fingerprints = self.fingerprints_mut();
        fingerprints.add(&found);
        // Whoever hides it at the same time does all of it, too, until it is all there.
        fingerprints.add_secret(secret.as_bytes());
        self.0.any.store(true, Ordering::Release);
        true
    }

    /// Says that there is a secret, also when it is too short to be looked for.
    pub(crate) fn announce(&self) {
        if let Some(first) = self.0.first.as_ref().filter(|_| self.is_empty()) {
            first();
        }
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        !self.0.any.load(Ordering::Acquire)
    }

    /// The text with `(sensitive)` in the place of each secret.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let hidden = self.find(text);
        if hidden.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        let mut end = 0;
        for range in hidden {
            shown.push_str(&text[end..range.start]);
            shown.push_str(REDACTED);
            end = range.end;
        }
        shown.push_str(&text[end..]);
        Cow::Owned(shown)
    }

    /// [`redact`](Self::redact) in place.
    pub fn redact_in_place(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.redact(text) {
            *text = shown;
        }
    }

    /// Whether a secret is in the text.
    pub fn is_in(&self, text: &str) -> bool {
        !self.is_empty() && self.fingerprints().is_in(text.as_bytes())
    }

    /// Where secrets are in a text: whole characters, in order, with something between any two.
    pub(crate) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let hidden = self.find_bytes(text.as_bytes());
        // Windows of a long secret begin and end anywhere.
        let whole =
            |range: Range<usize>| text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(hidden.len());
        for range in hidden.into_iter().map(whole) {
            match ranges.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => ranges.push(range),
            }
        }
        ranges
    }

    pub(super) fn find_bytes(&self, text: &[u8]) -> Vec<Range<usize>> {
        if self.is_empty() { Vec::new() } else { self.fingerprints().find(text) }
    }

    fn fingerprints_mut(&self) -> RwLockWriteGuard<'_, Fingerprints> {
        self.0.fingerprints.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn fingerprints(&self) -> RwLockReadGuard<'_, Fingerprints> {
        self.0.fingerprints.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a text is one that can be looked for. What is a part of the mark itself says nothing that the mark does not.
fn can_be_hidden(secret: &str) -> bool {
    let bare = secret.trim();
    bare.chars().nth(SHORTEST - 1).is_some() && !REDACTED.contains(bare) && !COMMON.contains(&bare)
}
