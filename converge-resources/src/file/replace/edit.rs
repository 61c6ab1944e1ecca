//! The edit that replaces all matches in a text.

use crate::file::edit::pattern::Pattern;
use crate::file::edit::replacement::Replacement;
use crate::file::edit::{Edit, Edited, TEXT_BYTES};

#[derive(Debug)]
pub(super) struct ReplaceEdit {
    pub(super) pattern: Pattern,
    pub(super) replacement: Replacement,
    /// The maximum number of matches.
    pub(super) count: Option<u32>,
    pub(super) secret: bool,
}

impl Edit for ReplaceEdit {
    fn edit(&self, text: &str) -> Result<Edited, String> {
        let mut edited = String::with_capacity(text.len());
        let mut offset = 0;
        for (number, captures) in self.pattern.regex().captures_iter(text).enumerate() {
            if self.count.is_some_and(|count| number >= count as usize) {
                return Err(format!(
                    "{:?} matches more often than `count` allows, and the next run would replace the rest",
                    self.pattern.shown()
                ));
            }
            let Some(hit) = captures.get(0) else { continue };
            edited.push_str(text.get(offset..hit.start()).unwrap_or_default());
            self.replacement.expand(&captures, &mut edited);
            offset = hit.end();
            // Many matches can turn a small text into a large one.
            if edited.len() as u64 > TEXT_BYTES {
                return Err(format!("after the replacement it would have more than {TEXT_BYTES} bytes"));
            }
        }
        edited.push_str(text.get(offset..).unwrap_or_default());
        Ok(Edited::new(edited))
    }

    fn needs_file(&self) -> bool {
        true
    }

    fn is_secret(&self) -> bool {
        self.secret
    }

    fn unsettled(&self) -> &'static str {
        "it matches what it puts there, so each run would replace that again"
    }
}
