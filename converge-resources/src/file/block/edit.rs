//! The edit that puts a block into a text, or removes it.

use crate::file::edit::insertion_point::{Place, Which};
use crate::file::edit::lines::{self, Line};
use crate::file::edit::{Edit, Edited};
use crate::text::Text;

/// The two lines around a block.
#[derive(Debug)]
pub(super) struct Markers {
    pub(super) begin: Text,
    pub(super) end: Text,
}

/// A block that is to be present or absent.
#[derive(Debug)]
pub(super) struct BlockEdit {
    pub(super) markers: Markers,
    /// The contents of the block, or `None` if it is to be removed.
    pub(super) content: Option<Text>,
    pub(super) secret: bool,
    pub(super) place: Place,
}

impl Markers {
    pub(super) fn are_in(&self, text: &str) -> bool {
        text.lines().any(|line| line == &*self.begin || line == &*self.end)
    }

    /// Returns the lines of the block, markers included, or `None` if there is no block.
    ///
    /// # Errors
    ///
    /// Returns an error if the markers are damaged.
    fn find(&self, lines: &[Line<'_>]) -> Result<Option<std::ops::RangeInclusive<usize>>, String> {
        let positions = |marker: &str| -> Vec<usize> {
            let hits = lines.iter().enumerate().filter(|(_, line)| line.body == marker);
            hits.map(|(at, _)| at).collect()
        };
        let (first_of, last_of) = (positions(&self.begin), positions(&self.end));
        let (begin, end) = (self.begin.shown(), self.end.shown());
        let damaged = |what: String| format!("the markers of the block are damaged: {what}");
        match (&*first_of, &*last_of) {
            ([], []) => Ok(None),
            ([first], [last]) if first < last => Ok(Some(*first..=*last)),
            ([first], [last]) => {
                Err(damaged(format!("line {} is {end:?}, and line {} is {begin:?}", last + 1, first + 1)))
            }
            ([first], []) => Err(damaged(format!("line {} is {begin:?}, and no line is {end:?}", first + 1))),
            ([], [last]) => Err(damaged(format!("line {} is {end:?}, and no line is {begin:?}", last + 1))),
            ([first, second, ..], _) => {
                Err(damaged(format!("lines {} and {} are {begin:?}", first + 1, second + 1)))
            }
            (_, [first, second, ..]) => {
                Err(damaged(format!("lines {} and {} are {end:?}", first + 1, second + 1)))
            }
        }
    }
}

impl Edit for BlockEdit {
    fn edit(&self, text: &str) -> Result<Edited, String> {
        let mut lines = lines::lines(text);
        let range = self.markers.find(&lines)?;
        let ending = lines::ending(&lines);
        let Some(content) = &self.content else {
            if let Some(range) = range {
                lines.drain(range);
            }
            return Ok(Edited::new(lines::text(lines)));
        };
        let body = content.strip_suffix('\n').unwrap_or(content);
        let inner = (!content.is_empty()).then(|| body.split('\n'));
        let inner = inner.into_iter().flatten().map(|line| line.strip_suffix('\r').unwrap_or(line));
        let block = std::iter::once(&*self.markers.begin).chain(inner).chain([&*self.markers.end]);
        let (position, note) = match range {
            Some(range) => {
                let (position, last) = (*range.start(), *range.end());
                let of_last = lines.get(last).map_or(ending, |line| line.ending);
                let mut block: Vec<Line<'_>> = block.map(|body| Line { body, ending }).collect();
                if let Some(line) = block.last_mut() {
                    line.ending = of_last;
                }
                lines.splice(position..=last, block);
                return Ok(Edited::new(lines::text(lines)));
            }
            None => self.place.find(&lines, Which::Last),
        };
        lines::insert(&mut lines, position, block, ending);
        let edited = Edited::new(lines::text(lines));
        Ok(match note {
            Some(note) => edited.noting(note),
            None => edited,
        })
    }

    fn is_secret(&self) -> bool {
        self.secret
    }

    fn unsettled(&self) -> &'static str {
        "each run would change the block again"
    }
}
