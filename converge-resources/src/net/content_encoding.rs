//! Decoding of response bodies that a server has compressed.

use std::io::Write;

use converge_sdk::prelude::*;
use converge_sdk::system::{HttpBody, HttpError, HttpResponse};
use flate2::write::{MultiGzDecoder, ZlibDecoder};

/// Returns the response with a decoded body.
///
/// The length that the server announces is that of the encoded body, so it is removed.
///
/// # Errors
///
/// The body has an encoding other than gzip and deflate.
pub(crate) fn decoded(mut response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let encoding = response.header("content-encoding").unwrap_or_default().trim().to_ascii_lowercase();
    let decoder: Box<dyn Decoder> = match encoding.as_str() {
        "" | "identity" => return Ok(response),
        "gzip" | "x-gzip" => Box::new(MultiGzDecoder::new(Vec::new())),
        "deflate" => Box::new(ZlibDecoder::new(Vec::new())),
        _ => {
            return Err(HttpError::Encoding(format!("its Content-Encoding is {encoding}")));
        }
    };
    response.headers.retain(|(name, _)| name != "content-encoding" && name != "content-length");
    response.body = Box::new(DecodedBody { encoded: response.body, decoder: Some(decoder), is_empty: true });
    Ok(response)
}

trait Decoder: Write + Send {
    fn take(&mut self) -> Vec<u8>;
    fn end(self: Box<Self>) -> std::io::Result<Vec<u8>>;
}

impl Decoder for MultiGzDecoder<Vec<u8>> {
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.get_mut())
    }

    fn end(self: Box<Self>) -> std::io::Result<Vec<u8>> {
        self.finish()
    }
}

impl Decoder for ZlibDecoder<Vec<u8>> {
    fn take(&mut self) -> Vec<u8> {
        std::mem::take(self.get_mut())
    }

    fn end(self: Box<Self>) -> std::io::Result<Vec<u8>> {
        self.finish()
    }
}

/// A body that is decoded while it arrives.
struct DecodedBody {
    encoded: Box<dyn HttpBody>,
    /// The decoder, until the end of the body.
    decoder: Option<Box<dyn Decoder>>,
    is_empty: bool,
}

#[async_trait]
impl HttpBody for DecodedBody {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        let broken = |error: std::io::Error| HttpError::Encoding(error.to_string());
        loop {
            let Some(decoder) = &mut self.decoder else { return Ok(None) };
            let bytes = if let Some(chunk) = self.encoded.chunk().await? {
                self.is_empty &= chunk.is_empty();
                decoder.write_all(&chunk).map_err(broken)?;
                decoder.take()
            } else {
                match self.decoder.take() {
                    // An answer without a body may name the encoding that the body would have.
                    Some(decoder) if !self.is_empty => decoder.end().map_err(broken)?,
                    _ => return Ok(None),
                }
            };
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
    }
}
