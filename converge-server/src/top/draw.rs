//! The layout of the screen.

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::rows::{Column, Row, View, summary};
use super::screen_state::ScreenState;
use super::snapshot::Connection;
use super::status_text::{StyledText, Tone, count, span};

const HELP: [&str; 10] = [
    "1 2 3 4, Tab   nodes, modules, rollouts, events",
    "arrows, j k    choose a line, or scroll",
    "PgUp PgDn      a page up or down",
    "Home End       the first or the last",
    "Enter          show only the selected one",
    "Esc            back; no filter",
    "/              filter by words",
    "?              this help",
    "q, Ctrl-C      end",
    "Any key goes back.",
];
/// The number of columns between two table columns.
const GAP: usize = 2;

/// Draws the whole screen, with or without colours.
pub(super) fn draw(frame: &mut Frame<'_>, board: &ScreenState, now: Timestamp, colours: bool) {
    let area = frame.area();
    let paint = Paint { colours };
    let width = usize::from(area.width);
    let mut lines = vec![paint.head(board, now, width), paint.tabs(board.view, width)];
    if board.help {
        lines.push(Line::default());
        lines.extend(HELP.map(Line::from));
    } else if let Some(key) = &board.open {
        let name = key.rsplit('/').next().unwrap_or_default();
        lines.push(paint.line(&StyledText::new(Tone::Title, format!("{} {name}", board.view.what()))));
        lines.extend(board.detail(now).iter().map(|line| paint.line(line)));
    } else {
        lines.extend(paint.table(board, now, width));
    }
    let last = area.bottom().saturating_sub(1);
    for (line, y) in lines.into_iter().zip(area.top()..last) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    if area.height > 0 {
        frame.render_widget(paint.foot(board), Rect { y: last, height: 1, ..area });
    }
}

/// The styles of the screen.
struct Paint {
    colours: bool,
}

impl Paint {
    fn style(&self, tone: Tone) -> Style {
        let colour = |colour| if self.colours { Style::new().fg(colour) } else { Style::new() };
        match tone {
            Tone::Plain => Style::new(),
            Tone::Good => colour(Color::Green),
            Tone::Bad => colour(Color::Red).add_modifier(Modifier::BOLD),
            Tone::Busy => colour(Color::Yellow),
            Tone::Unknown => Style::new().add_modifier(Modifier::DIM),
            Tone::Title => Style::new().add_modifier(Modifier::BOLD),
        }
    }

    fn line(&self, message: &StyledText) -> Line<'static> {
        Line::from(Span::styled(message.text.clone(), self.style(message.tone)))
    }

    /// Returns the title with the server and the state of the connection.
    fn head(&self, board: &ScreenState, now: Timestamp, width: usize) -> Line<'static> {
        let link = match board.known.link() {
            Connection::Asking => StyledText::new(Tone::Busy, "asks the server"),
            Connection::Live => StyledText::new(Tone::Good, "live"),
            Connection::Away(since, why) => {
                let (clock, time) = (since.strftime("%H:%M:%S"), span(*since, now));
                StyledText::new(Tone::Bad, format!("server away since {clock} UTC ({time}): {why}"))
            }
            Connection::Refused(why) => StyledText::new(Tone::Bad, format!("the server refuses: {why}")),
        };
        // On a narrow screen, an unreachable server is more important than its address.
        let title = format!("converge top  {}  ", board.server);
        let title = if title.width() + link.text.width() > width { String::new() } else { title };
        Line::from(vec![Span::raw(title), Span::styled(link.text, self.style(link.tone))])
    }

    fn tabs(&self, view: View, width: usize) -> Line<'static> {
        /// The width with full titles.
        const WHOLE: usize = 42;
        let tab = |(at, one): (usize, View)| {
            // The current tab is marked without relying on a style.
            let (text, tone) = if one == view {
                (format!("[{} {}]", at + 1, one.title()), Tone::Title)
            } else if width < WHOLE {
                (format!(" {} ", at + 1), Tone::Plain)
            } else {
                (format!(" {} {} ", at + 1, one.title()), Tone::Plain)
            };
            Span::styled(text, self.style(tone))
        };
        Line::from(View::ALL.into_iter().enumerate().map(tab).collect::<Vec<_>>())
    }

    fn foot(&self, board: &ScreenState) -> Line<'static> {
        if board.typing {
            return Line::from(format!("/{}_  (Enter: keep it, Esc: no filter)", board.filter));
        }
        let text = if board.open.is_some() {
            "Esc back  j/k scroll  ? help  q end"
        } else {
            "Enter look  / filter  ? help  q end"
        };
        Line::from(Span::styled(text, self.style(Tone::Unknown)))
    }

    /// Returns the visible part of the table.
    fn table(&self, board: &ScreenState, now: Timestamp, width: usize) -> Vec<Line<'static>> {
        let all_rows = board.view.rows(&board.known, now);
        let mut summary = summary(board.view, &board.known, &all_rows);
        let rows = board.rows(now);
        if !board.filter.is_empty() {
            let match_count = count(rows.len(), "line");
            summary = format!("{match_count} with \"{}\" of {summary}", board.filter);
        }
        let selected = board.selected(&rows);
        let height = board.height();
        // The selected row stays in the middle if possible.
        let top = selected.unwrap_or_default().saturating_sub(height / 2);
        let top = top.min(rows.len().saturating_sub(height));
        let visible = &rows[top..rows.len().min(top + height)];
        // Two columns are for the mark of the selected row.
        let columns = fitted(&board.view.columns(), visible, width.saturating_sub(GAP));
        let titles = columns.iter().map(|(at, wide)| padded(board.view.columns()[*at].title, *wide));
        let head = format!("  {}", titles.collect::<Vec<_>>().join("  "));
        let mut lines = vec![Line::from(summary), self.line(&StyledText::new(Tone::Title, head))];
        for (index, row) in visible.iter().enumerate() {
            let is_selected = selected == Some(top + index);
            let mut spans = vec![Span::raw(if is_selected { "> " } else { "  " })];
            for (column, wide) in &columns {
                let cell = &row.cells[*column];
                spans.push(Span::styled(padded(&cell.text, *wide), self.style(cell.tone)));
                spans.push(Span::raw("  "));
            }
            let line = Line::from(spans);
            lines.push(if is_selected { line.style(Modifier::REVERSED) } else { line });
        }
        lines
    }
}

/// Selects the columns that fit, with their positions and widths.
///
/// The first column that has to be truncated is the last one taken, so that the most important columns are
/// complete.
fn fitted(columns: &[Column], rows: &[Row], width: usize) -> Vec<(usize, usize)> {
    /// The minimum width at which a column is useful.
    const LEAST: usize = 8;
    let natural = |at: usize| {
        let texts = rows.iter().map(|row| row.cells[at].text.width());
        texts.chain([columns[at].title.width()]).max().unwrap_or_default()
    };
    let mut order: Vec<_> = (0..columns.len()).collect();
    order.sort_by_key(|index| columns[*index].rank);
    let (mut selection, mut left) = (Vec::new(), width);
    for index in order {
        let wide = natural(index).min(left);
        if wide < natural(index).min(LEAST) {
            break;
        }
        selection.push((index, wide));
        left = left.saturating_sub(wide + GAP);
    }
    selection.sort_unstable();
    selection
}

/// Truncates or pads a text to a width.
fn padded(text: &str, width: usize) -> String {
    let wide = text.width();
    if wide <= width {
        return format!("{text}{}", " ".repeat(width - wide));
    }
    let (mut cut, mut left) = (String::new(), width.saturating_sub(1));
    for character in text.chars() {
        let next = character.width().unwrap_or_default();
        if next > left {
            break;
        }
        cut.push(character);
        left -= next;
    }
    format!("{cut}…{}", " ".repeat(left))
}
