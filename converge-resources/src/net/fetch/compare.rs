//! Whether a file is what its source has now.

use std::path::Path;
use std::sync::Arc;

use converge_core::prelude::*;
use converge_core::system::{HttpResponse, ReadAt, SystemError, Url};

use super::super::date;
use super::super::download::{Arriving, Asking, Failure, Retries};
use super::super::source::Source;

/// How many bytes are compared at once.
const PIECE: usize = 64 * 1024;

/// What the comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Same,
    Differs,
}

impl Comparison {
    fn of(same: bool) -> Self {
        if same { Self::Same } else { Self::Differs }
    }
}

/// Compares with what a server has.
pub(super) async fn with_url(
    cx: &Context,
    asking: &Asking,
    source: &Source,
    url: &Url,
    have: &Arc<dyn ReadAt>,
) -> Result<Comparison> {
    let mut retries = Retries::new(cx);
    loop {
        match with_answer(cx, asking, source, url, &**have).await {
            Ok(comparison) => return Ok(comparison),
            Err(failure) => retries.after(failure).await?,
        }
    }
}

async fn with_answer(
    cx: &Context,
    asking: &Asking,
    source: &Source,
    url: &Url,
    have: &dyn ReadAt,
) -> Result<Comparison, Failure> {
    let modified = have.metadata().modified;
    let since = modified.and_then(date::write);
    let response = asking.once(cx, source, url, since).await?;
    let theirs = response.header("last-modified").and_then(date::parse);
    if response.status == 304 {
        // It is not newer; where it says that it is older, it is not what was fetched.
        return Ok(Comparison::of(theirs.is_none_or(|theirs| Some(theirs) == modified)));
    }
    if response.content_length().is_some_and(|length| length != have.metadata().len) {
        return Ok(Comparison::Differs);
    }
    // Some servers do not understand the question, but answer it all the same.
    if theirs.is_some() && theirs == modified && response.content_length().is_some() {
        return Ok(Comparison::Same);
    }
    with_body(cx, source, response, have).await
}

/// Reads the body until it differs.
async fn with_body(
    cx: &Context,
    source: &Source,
    response: HttpResponse,
    have: &dyn ReadAt,
) -> Result<Comparison, Failure> {
    let mut arriving = Arriving::new(cx, source, response);
    let mut offset = 0;
    let mut buffer = Vec::new();
    while let Some(chunk) = arriving.chunk().await? {
        buffer.resize(chunk.len(), 0);
        if fill(have, offset, &mut buffer).await? != chunk.len() || buffer != chunk {
            return Ok(Comparison::Differs);
        }
        offset += chunk.len() as u64;
    }
    Ok(Comparison::of(fill(have, offset, &mut [0]).await? == 0))
}

/// Compares with another file; `None` when there is none.
pub(super) async fn with_file(
    cx: &Context,
    source: &Path,
    have: &Arc<dyn ReadAt>,
) -> Result<Option<Comparison>> {
    let Some(theirs) = cx.system().files().open(source).await? else { return Ok(None) };
    if theirs.metadata().len != have.metadata().len {
        return Ok(Some(Comparison::Differs));
    }
    let (mut ours, mut other) = (vec![0; PIECE], vec![0; PIECE]);
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = fill(&*theirs, offset, &mut other).await?;
        if fill(&**have, offset, &mut ours).await? != count || ours[..count] != other[..count] {
            return Ok(Some(Comparison::Differs));
        }
        if count == 0 {
            return Ok(Some(Comparison::Same));
        }
        offset += count as u64;
        // A large file takes a while, and others wait for this thread.
        tokio::task::yield_now().await;
    }
}

/// Reads until the buffer is full or the file at its end.
async fn fill(file: &dyn ReadAt, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(offset + filled as u64, &mut buffer[filled..]).await? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}
