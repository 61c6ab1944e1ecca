//! A table that is printed once.

use converge_client::{Client, ClientError, Method};
use jiff::Timestamp;
use serde::Deserialize;

use super::TopError;
use super::feed::TYPES;
use super::records::{Fact, Raw};
use super::rows::View;
use super::snapshot::{Change, Known, News};
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
    let mut known = Known::default();
    let all = &mut known;
    match view {
        View::Nodes => {
            read(client, Change::Nodes, all).await?;
            read(client, Change::Reports, all).await?;
            read(client, Change::Assignments, all).await?;
        }
        View::Modules => read(client, Change::Modules, all).await?,
        View::Rollouts => read(client, Change::Rollouts, all).await?,
        View::Events => read(client, Change::Events, all).await?,
    }
    let head: Vec<_> = view.columns().iter().map(|column| (column.title, Side::Left)).collect();
    let rows = view.rows(&known, Timestamp::now());
    let rows: Vec<Vec<_>> =
        rows.into_iter().map(|row| row.cells.into_iter().map(|cell| cell.text).collect()).collect();
    Ok(table(&head, &rows))
}

/// Reads all resources of a type.
async fn read<T: Fact>(
    client: &Client,
    wrap: fn(News<T>) -> Change,
    known: &mut Known,
) -> Result<(), ClientError> {
    let listed: Listed = client.json(Method::GET, &format!("{TYPES}{}", T::PATH), None).await?;
    for raw in listed.resources {
        known.take(wrap(News::There(raw.id.key(), T::read(&raw))), Timestamp::UNIX_EPOCH);
    }
    Ok(())
}
