//! The live view of a server in a terminal: nodes, modules, rollouts and events.
//!
//! One task for each type watches the server (`feed`) and keeps the shown parts of resources (`facts`). The
//! `board` has these resources and the state of the screen. It takes keys and changes, and has no other input
//! or output. `rows` and `detail` format resources, `draw` lays out the screen, and `terminal` writes it.
//! Without a terminal, `once` prints a table.

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

use converge_client::ClientError;

pub(crate) use rows::View;
pub(crate) use single_table::once;
pub(crate) use terminal::live;

/// A reason why nothing can be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TopError {
    #[error("{error}{}", .error.hint())]
    Client {
        #[from]
        error: ClientError,
    },
    #[error("cannot use the terminal: {0}")]
    Terminal(#[from] std::io::Error),
}
