//! A table that is printed once.

use converge_client::{Client, ClientError, Method};
use jiff::Timestamp;
use serde::Deserialize;

use super::TopError;
use super::feed::TYPES;
use super::records::{Raw, Record};
use super::rows::View;
use super::snapshot::{Change, Snapshot, Update};
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
pub(crate) async fn once(client: &Client, view: View) -> Result<String, TopError> {
    let mut snapshot = Snapshot::default();
    let target = &mut snapshot;
    match view {
        View::Nodes => {
            read(client, Change::Nodes, target).await?;
            read(client, Change::Reports, target).await?;
            read(client, Change::Assignments, target).await?;
        }
        View::Modules => read(client, Change::Modules, target).await?,
        View::Rollouts => read(client, Change::Rollouts, target).await?,
        View::Events => read(client, Change::Events, target).await?,
    }
    let head: Vec<_> = view.columns().iter().map(|column| (column.title, Side::Left)).collect();
    let rows = view.rows(&snapshot, Timestamp::now());
    let rows: Vec<Vec<_>> =
        rows.into_iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect();
    Ok(table(&head, &rows))
}

/// Reads all resources of a type.
async fn read<T: Record>(
    client: &Client,
    wrap: fn(Update<T>) -> Change,
    known: &mut Snapshot,
) -> Result<(), ClientError> {
    let listed: Listed = client.json(Method::GET, &format!("{TYPES}{}", T::PATH), None).await?;
    for raw in listed.resources {
        known.take(wrap(Update::There(raw.id.key(), T::read(&raw))), Timestamp::UNIX_EPOCH);
    }
    Ok(())
}
