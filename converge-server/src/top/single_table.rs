//! A table that is printed once.

use jiff::Timestamp;
use serde::Deserialize;

use super::feed::TYPES;
use super::records::{Raw, Record};
use super::rows::View;
use super::snapshot::{Change, Snapshot, Update};
use super::{Servers, TopError};
use crate::client::{AskError, ServerClient};
use crate::output::{Side, table};

#[derive(Deserialize)]
struct Listed {
    resources: Vec<Raw>,
}

/// Returns the current table of a view.
///
/// # Errors
///
/// No server answers, or a server refuses.
pub(crate) fn once(servers: &Servers, view: View) -> Result<String, TopError> {
    let clients = servers.clients()?;
    let mut snapshot = Snapshot::default();
    let target = &mut snapshot;
    match view {
        View::Nodes => {
            read(&clients, Change::Nodes, target)?;
            read(&clients, Change::Reports, target)?;
            read(&clients, Change::Assignments, target)?;
        }
        View::Modules => read(&clients, Change::Modules, target)?,
        View::Rollouts => read(&clients, Change::Rollouts, target)?,
        View::Events => read(&clients, Change::Events, target)?,
    }
    let head: Vec<_> = view.columns().iter().map(|column| (column.title, Side::Left)).collect();
    let rows = view.rows(&snapshot, Timestamp::now());
    let rows: Vec<Vec<_>> =
        rows.into_iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect();
    Ok(table(&head, &rows))
}

impl Servers {
    pub(super) fn clients(&self) -> Result<Vec<ServerClient>, AskError> {
        self.urls.split(',').map(|url| ServerClient::new(url, self.asking.clone())).collect()
    }
}

/// Reads all resources of a type from the first server that answers.
fn read<T: Record>(
    clients: &[ServerClient],
    wrap: fn(Update<T>) -> Change,
    known: &mut Snapshot,
) -> Result<(), AskError> {
    let path = format!("{TYPES}{}", T::PATH);
    let mut answers = clients.iter().map(|client| client.json::<Listed>(&path));
    let mut answer = answers.next().unwrap_or(Ok(Listed { resources: Vec::new() }));
    while let Err(AskError::Unreachable { .. }) = &answer {
        let Some(next) = answers.next() else { break };
        answer = next;
    }
    for raw in answer?.resources {
        known.take(wrap(Update::There(raw.id.key(), T::read(&raw))), Timestamp::UNIX_EPOCH);
    }
    Ok(())
}
