use std::path::Path;
use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{HttpResponse, ReadAt, SystemError, Url};

use super::super::date;
use super::super::download::{BodyReader, RequestOptions, with_retries};
use super::super::source::Source;

/// The number of bytes that are compared at once.
const PIECE: usize = 64 * 1024;

pub(super) async fn differs_from_url(
    cx: &Context,
    options: &RequestOptions,
    source: &Source,
    url: &Url,
    have: &Arc<dyn ReadAt>,
) -> Result<bool> {
    with_retries(cx, || differs_from_answer(cx, options, source, url, &**have)).await
}

async fn differs_from_answer(
    cx: &Context,
    options: &RequestOptions,
    source: &Source,
    url: &Url,
    have: &dyn ReadAt,
) -> Result<bool> {
    let modified = have.metadata().modified;
    let modified_date = modified.and_then(date::write);
    let response = options.once(cx, source, url, modified_date).await?;
    let theirs = response.header("last-modified").and_then(date::parse);
    if response.status == 304 {
        // The source is not newer. If the server reports an older time, the file was not fetched from this
        // content.
        return Ok(theirs.is_some_and(|theirs| Some(theirs) != modified));
    }
    if response.content_length().is_some_and(|length| length != have.metadata().len) {
        return Ok(true);
    }
    // Some servers ignore the condition and send the content anyway.
    if theirs.is_some() && theirs == modified && response.content_length().is_some() {
        return Ok(false);
    }
    differs_from_body(cx, source, response, have).await
}

/// Compares the body with the file up to the first difference.
async fn differs_from_body(
    cx: &Context,
    source: &Source,
    response: HttpResponse,
    have: &dyn ReadAt,
) -> Result<bool> {
    let mut body = BodyReader::new(cx, source, response);
    let mut offset = 0;
    let mut buffer = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        buffer.resize(chunk.len(), 0);
        if fill(have, offset, &mut buffer).await? != chunk.len() || buffer != chunk {
            return Ok(true);
        }
        offset += chunk.len() as u64;
    }
    Ok(fill(have, offset, &mut [0]).await? != 0)
}

pub(super) async fn differs_from_file(
    cx: &Context,
    source: &Source,
    path: &Path,
    have: &Arc<dyn ReadAt>,
) -> Result<bool> {
    let theirs = source.open(cx, path).await?;
    if theirs.metadata().len != have.metadata().len {
        return Ok(true);
    }
    let (mut ours, mut other_piece) = (vec![0; PIECE], vec![0; PIECE]);
    let mut offset = 0;
    loop {
        cx.check_cancelled()?;
        let count = fill(&*theirs, offset, &mut other_piece).await?;
        if fill(&**have, offset, &mut ours).await? != count || ours[..count] != other_piece[..count] {
            return Ok(true);
        }
        if count == 0 {
            return Ok(false);
        }
        offset += count as u64;
        // A large file takes a while, and other tasks wait for this thread.
        tokio::task::yield_now().await;
    }
}

/// Reads until the buffer is full or the file ends.
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
