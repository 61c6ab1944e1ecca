//! The state of the screen.
//!
//! It takes keys and changes, and has no other input or output.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::Timestamp;

use super::detail;
use super::rows::{Row, View};
use super::snapshot::Snapshot;
use super::status_text::StyledText;

/// The number of screen lines outside of a table: title, tabs, table header and keys.
const AROUND: u16 = 5;
/// The maximum length of a filter.
const MOST: usize = 200;

/// The complete state of the screen.
#[derive(Debug)]
pub(super) struct ScreenState {
    pub(super) known: Snapshot,
    /// The address of the server.
    pub(super) server: String,
    pub(super) view: View,
    /// The key of the resource whose details are shown.
    pub(super) open: Option<String>,
    pub(super) filter: String,
    /// Whether the filter is being edited.
    pub(super) typing: bool,
    pub(super) help: bool,
    /// The selected key of each view, and its position in case it disappears.
    chosen: [(Option<String>, usize); View::ALL.len()],
    /// The number of detail lines above the screen.
    scroll: usize,
    /// The width and height of the screen.
    size: (u16, u16),
}

impl ScreenState {
    pub(super) fn new(server: String, view: View, size: (u16, u16)) -> Self {
        Self {
            known: Snapshot::default(),
            server,
            view,
            open: None,
            filter: String::new(),
            typing: false,
            help: false,
            chosen: Default::default(),
            scroll: 0,
            size,
        }
    }

    pub(super) fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
    }

    /// Returns the number of screen lines for the table or the details.
    pub(super) fn height(&self) -> usize {
        self.size.1.saturating_sub(AROUND).max(1).into()
    }

    /// Returns the node whose details are shown.
    pub(super) fn node(&self) -> Option<&str> {
        self.open.as_deref().filter(|_| self.view == View::Nodes)
    }

    /// Clears the history and plans of the node that was shown.
    pub(super) fn forget_node(&mut self) {
        (self.known.history, self.known.plans) = Default::default();
    }

    /// Returns the rows of the view that match the filter.
    pub(super) fn rows(&self, now: Timestamp) -> Vec<Row> {
        let words: Vec<_> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let mut rows = self.view.rows(&self.known, now);
        rows.retain(|row| row.has(&words));
        rows
    }

    /// Returns the index of the selected row.
    pub(super) fn selected(&self, rows: &[Row]) -> Option<usize> {
        let (key, place) = &self.chosen[self.at()];
        let index = key.as_ref().and_then(|key| rows.iter().position(|row| row.key == *key));
        index.or_else(|| Some((*place).min(rows.len().checked_sub(1)?)))
    }

    /// Returns the visible detail lines.
    pub(super) fn detail(&self, now: Timestamp) -> Vec<StyledText> {
        let lines = self.lines(now);
        let top = self.scroll.min(lines.len().saturating_sub(self.height()));
        lines.into_iter().skip(top).take(self.height()).collect()
    }

    fn lines(&self, now: Timestamp) -> Vec<StyledText> {
        let Some(key) = &self.open else { return Vec::new() };
        detail::wrapped(detail::lines(self.view, key, &self.known, now), self.size.0.into())
    }

    fn at(&self) -> usize {
        self.view as usize
    }

    /// Handles a key; returns false to quit.
    pub(super) fn press(&mut self, key: KeyEvent, now: Timestamp) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return !matches!(key.code, KeyCode::Char('c' | 'd'));
        }
        if self.help {
            self.help = false;
        } else if self.typing {
            self.write(key.code);
        } else {
            return self.command(key.code, now);
        }
        true
    }

    fn write(&mut self, key: KeyCode) {
        match key {
            KeyCode::Enter => self.typing = false,
            KeyCode::Esc => (self.typing, self.filter) = (false, String::new()),
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Char(letter) if !letter.is_control() && self.filter.len() < MOST => {
                self.filter.push(letter);
            }
            _ => {}
        }
    }

    fn command(&mut self, key: KeyCode, now: Timestamp) -> bool {
        let page = isize::try_from(self.height()).unwrap_or(isize::MAX);
        match key {
            KeyCode::Char('q') => return false,
            KeyCode::Char('?') => self.help = true,
            KeyCode::Char('/') if self.open.is_none() => self.typing = true,
            KeyCode::Esc if self.open.is_some() => self.open = None,
            KeyCode::Esc => self.filter.clear(),
            KeyCode::Enter if self.open.is_none() => self.open_selected(now),
            KeyCode::Tab => self.look_at(View::ALL[(self.at() + 1) % View::ALL.len()]),
            KeyCode::BackTab => {
                self.look_at(View::ALL[(self.at() + View::ALL.len() - 1) % View::ALL.len()]);
            }
            KeyCode::Char('1') => self.look_at(View::Nodes),
            KeyCode::Char('2') => self.look_at(View::Modules),
            KeyCode::Char('3') => self.look_at(View::Rollouts),
            KeyCode::Char('4') => self.look_at(View::Events),
            KeyCode::Up | KeyCode::Char('k') => self.move_by(-1, now),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(1, now),
            KeyCode::PageUp => self.move_by(-page, now),
            KeyCode::PageDown => self.move_by(page, now),
            KeyCode::Home => self.move_by(isize::MIN, now),
            KeyCode::End => self.move_by(isize::MAX, now),
            _ => {}
        }
        true
    }

    fn look_at(&mut self, view: View) {
        self.view = view;
        self.open = None;
    }

    fn open_selected(&mut self, now: Timestamp) {
        let rows = self.rows(now);
        self.open = self.selected(&rows).map(|index| rows[index].key.clone());
        self.scroll = 0;
    }

    fn move_by(&mut self, lines: isize, now: Timestamp) {
        if self.open.is_some() {
            let maximum = self.lines(now).len().saturating_sub(self.height());
            self.scroll = self.scroll.min(maximum).saturating_add_signed(lines).min(maximum);
            return;
        }
        let rows = self.rows(now);
        let Some(last) = rows.len().checked_sub(1) else { return };
        let place = self.selected(&rows).unwrap_or_default().saturating_add_signed(lines).min(last);
        let index = self.at();
        self.chosen[index] = (Some(rows[place].key.clone()), place);
    }
}
