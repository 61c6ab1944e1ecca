//! The page of a server in a terminal: nodes, modules, rollouts and events, live.
//!
//! One task for each type hears of changes (`feed`) as `facts`, which keep only what is shown. The `board` is all that is known and what somebody
//! looks at: keys and changes go in, and nothing else is done there. `rows` and `detail` say it in words, `draw` puts them on the
//! screen, and `terminal` is the one that touches it. Where there is no terminal, `once` prints a table.

mod detail;
mod draw;
mod feed;
mod natural_order;
mod records;
mod rows;
mod screen_state;
mod single_table;
mod snapshot;
mod status_text;
mod terminal;
#[cfg(test)]
mod tests;

use crate::client::{AskError, Asking, HttpError};

pub(crate) use rows::View;
pub(crate) use single_table::once;
pub(crate) use terminal::live;

/// Which servers are asked, and how.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// URLs with commas between them.
    pub(crate) urls: String,
    pub(crate) asking: Asking,
}

/// Why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TopError {
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] std::io::Error),
}
