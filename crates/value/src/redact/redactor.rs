//! The secrets of a run, and their removal from text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::encodings;
use super::fingerprints::{Fingerprints, pieces};

/// The text that replaces a secret.
pub const REDACTED: &str = "(sensitive)";

/// The minimum number of characters of a secret; shorter ones would be found in many words.
const SHORTEST: usize = 4;

/// The id of the root module, with which all ids begin.
const ROOT: &str = "root";

/// The number of pieces that are added under one lock, while searches wait.
const BATCH_SIZE: usize = 256;

/// Words that occur in every output.
///
/// Hiding one would reveal as much as showing it, because there are only two or three.
const COMMON: [&str; 3] = ["true", "false", "null"];

/// The secrets of a run, which it removes from text.
///
/// Every graph and every `Loader` has one; clones are handles to the same secrets. A
/// redactor stores hashes, and no text of any secret.
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
/// - No hidden secret is in the result of [`redact`](Self::redact), and neither are its usual forms. These
///   are: without surrounding space, each of its lines of at least eight characters, escaped for JSON, Rust,
///   shells and URLs, and in base64.
/// - A secret of many lines or bytes is also found in pieces: some part is hidden of any piece longer than 31
///   bytes.
/// - The work is linear in the text, whatever the secrets are.
///
/// # Caveats
///
/// - A secret that is an ordinary word is shown where it is a part of the name of a resource or a parameter.
/// - A text of fewer than four characters is not hidden, and neither are `true`, `false` and `null`, because
///   they would be found everywhere.
/// - A secret that was changed in any other way (reversed, compressed, printed with a space between the
///   letters) is not found.
#[derive(Clone, Default)]
pub struct Redactor(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Whether there are secrets; most runs have none, and then take no lock.
    any: AtomicBool,
    fingerprints: RwLock<Fingerprints>,
    /// A function that is called before the first secret is added.
    first: Option<Box<dyn Fn() + Send + Sync>>,
    /// A function that receives each new secret.
    listener: Option<Listener>,
    /// The names that are shown although they contain a secret.
    names: RwLock<HashSet<Box<str>>>,
}

type Listener = Box<dyn Fn(&str) + Send + Sync>;

/// Shows nothing of the secrets.
impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").field("is_empty", &self.is_empty()).finish_non_exhaustive()
    }
}

impl Redactor {
    /// Creates a redactor without secrets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a redactor that calls `first` before it takes its first secret.
    ///
    /// A program can then prevent the memory of its process from being written to a file.
    pub fn with_notice(first: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { first: Some(Box::new(first)), ..Shared::default() }))
    }

    /// Creates a redactor that passes each new secret to `listener`, which has to hide it too.
    #[doc(hidden)]
    pub fn with_listener(listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Shared { listener: Some(Box::new(listener)), ..Shared::default() }))
    }

    /// Hides a text from now on; returns false if it cannot be hidden, see the caveats.
    ///
    /// [`hide_value`](Self::hide_value) hides other values (numbers, lists, maps).
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
        let mut hashes = Vec::with_capacity(BATCH_SIZE);
        encodings::visit_forms(secret, |form| {
            pieces(form, base, |piece| {
                hashes.push(piece);
                if hashes.len() == BATCH_SIZE {
                    self.fingerprints_mut().add(&hashes);
                    hashes.clear();
                }
            });
        });
        let mut fingerprints = self.fingerprints_mut();
        fingerprints.add(&hashes);
        // Concurrent calls for the same secret repeat the work, so that each returns only once all pieces are
        // added.
        fingerprints.add_secret(secret.as_bytes());
        self.0.any.store(true, Ordering::Release);
        true
    }

    /// Hides the passwords of the URLs in a text, as in `https://me:hunter2@host/`.
    ///
    /// A password that a template gives is not known here.
    #[doc(hidden)]
    pub fn hide_credentials(&self, text: &str) {
        for (at, separator) in text.match_indices("://") {
            let rest = &text[at + separator.len()..];
            let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(rest.len());
            let Some((user, _)) = rest[..end].rsplit_once('@') else { continue };
            let Some((_, password)) = user.split_once(':') else { continue };
            if !password.contains("{{") && !password.contains("${") && !self.hide(password) {
                // A short password is found with what is around it.
                self.hide(&format!(":{password}@"));
            }
        }
    }

    /// Returns a text in which the passwords of URLs are replaced by `(sensitive)`.
    #[doc(hidden)]
    pub fn without_passwords(text: &str) -> String {
        let redactor = Self::new();
        redactor.hide_credentials(text);
        redactor.redact(text).into_owned()
    }

    /// Lets a name be shown although it contains a secret, such as `file.content.root`.
    ///
    /// Returns whether it is shown: a secret with a digit or a space is no ordinary word, and stays hidden.
    #[doc(hidden)]
    pub fn keep_name(&self, name: &str) -> bool {
        let is_ordinary =
            |word: &str| word.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_".contains(&byte));
        let is_shown = self.find(name).into_iter().all(|range| is_ordinary(&name[range]));
        if is_shown {
            self.0.names.write().unwrap_or_else(PoisonError::into_inner).insert(name.into());
        }
        is_shown
    }

    /// Calls the notice for a secret, even one that is too short to be hidden.
    pub(crate) fn announce(&self) {
        if let Some(first) = self.0.first.as_ref().filter(|_| self.is_empty()) {
            first();
        }
    }

    /// Returns whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        !self.0.any.load(Ordering::Acquire)
    }

    /// Returns the text with each secret replaced by `(sensitive)`.
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let hidden = self.find(text);
        if hidden.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut output = String::with_capacity(text.len());
        let mut end = 0;
        for range in hidden {
            output.push_str(&text[end..range.start]);
            output.push_str(REDACTED);
            end = range.end;
        }
        output.push_str(&text[end..]);
        Cow::Owned(output)
    }

    /// Like [`redact`](Self::redact), in place.
    pub fn redact_in_place(&self, text: &mut String) {
        if let Cow::Owned(shown) = self.redact(text) {
            *text = shown;
        }
    }

    /// Returns whether the text contains a secret.
    pub fn is_in(&self, text: &str) -> bool {
        !self.is_empty() && self.fingerprints().is_in(text.as_bytes())
    }

    /// Returns the ranges of secrets in a text, sorted, on character boundaries, and never adjacent.
    pub(crate) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let hidden = self.find_bytes(text.as_bytes());
        // Windows of a long secret may begin or end inside a character.
        let widen =
            |range: Range<usize>| text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end);
        let mut ranges: Vec<Range<usize>> = Vec::with_capacity(hidden.len());
        if hidden.is_empty() {
            return ranges;
        }
        let names = self.0.names.read().unwrap_or_else(PoisonError::into_inner);
        let is_shown = |range: &Range<usize>| !names.is_empty() && is_in_name(text, range, &names);
        for range in hidden.into_iter().map(widen).filter(|range| !is_shown(range)) {
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

/// Returns whether a range of a text is a part of one of the names.
///
/// A name ends at a dot, because a field may follow: `file.content.root.destination`.
fn is_in_name(text: &str, range: &Range<usize>, names: &HashSet<Box<str>>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    let before = text[..range.start].trim_end_matches(is_part).len();
    let after = &text[range.end..];
    let end = text.len() - after.trim_start_matches(is_part).len();
    let (word, behind) = (&text[before..end], &text[end..]);
    let name_ends = word.match_indices('.').map(|(at, _)| before + at).chain([end]);
    if name_ends.filter(|end| *end >= range.end).any(|end| names.contains(&text[before..end])) {
        return true;
    }
    // The name of the root module, a parameter in a message, and the key of an instance.
    let front = &text[..before];
    (word == ROOT && behind.starts_with('/') && !front.ends_with('/'))
        || (front.ends_with("parameter `") && names.contains(&*format!("param.{word}")))
        || front.strip_suffix("[\"").is_some_and(|front| {
            let base = &front[front.trim_end_matches(is_part).len()..];
            behind.starts_with("\"]") && names.contains(&*format!("{base}[\"{word}\"]"))
        })
}

/// Returns whether a text can be hidden; parts of the replacement text reveal nothing and are not.
fn can_be_hidden(secret: &str) -> bool {
    let trimmed_secret = secret.trim();
    trimmed_secret.chars().nth(SHORTEST - 1).is_some()
        && !REDACTED.contains(trimmed_secret)
        && !COMMON.contains(&trimmed_secret)
}
