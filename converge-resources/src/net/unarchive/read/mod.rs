//! Readers of archives: format detection, decompression, and limits.

mod bytes;
mod meter;
mod tar;
mod zip;

use std::io::{BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use converge_sdk::system::ReadAt;

use bytes::ArchiveBytes;
use meter::{Meter, Metered, fill};

use super::error::ArchiveError;
use super::manifest::{Limits, Visitor};

/// The number of bytes that determine the format: one block of tar.
const BEGINNING: usize = 512;

/// The maximum memory of a decoder in bytes.
///
/// It is enough for `xz -9` and `zstd -19 --long=27`, with a margin.
const DECODER_MEMORY: u64 = 192 << 20;
const ZSTD_WINDOW_LOG: u32 = 27;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Tar,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
    Zip,
}

impl Format {
    /// Detects the format from the first bytes.
    pub(super) fn detect(beginning: &[u8]) -> Option<Self> {
        Some(match beginning {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [b'B', b'Z', b'h', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // The signatures are those of a first entry, and of the end of an empty archive.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Self::Zip,
            block if tar::is_beginning(block) => Self::Tar,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Tar => "tar",
            Self::Gzip => "gzip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Zip => "zip",
        }
    }
}

/// Reads a whole archive. This blocks for a while, so it needs a blocking thread.
pub(super) fn read(
    file: &Arc<dyn ReadAt>,
    cancelled: &Arc<AtomicBool>,
    limits: Limits,
    visitor: &mut dyn Visitor,
) -> Result<(), ArchiveError> {
    let mut bytes = ArchiveBytes::new(Arc::clone(file), Arc::clone(cancelled));
    let mut meter = Meter::new(limits, file.metadata().len);
    let mut beginning = [0; BEGINNING];
    let filled = fill(&mut bytes, &mut beginning)?;
    bytes.rewind();
    match Format::detect(&beginning[..filled]).ok_or(ArchiveError::Unknown)? {
        Format::Zip => zip::read(bytes, limits, &mut meter, visitor),
        Format::Tar => tar::read(Metered { inner: bytes, meter }, visitor),
        compressed => {
            let decoder = decoder(compressed, BufReader::with_capacity(64 * 1024, bytes))?;
            let mut content = Metered { inner: BufReader::with_capacity(64 * 1024, decoder), meter };
            let mut first = [0; BEGINNING];
            let filled = fill(&mut content, &mut first)?;
            if !tar::is_beginning(&first[..filled]) {
                return Err(ArchiveError::NoTar(compressed.name()));
            }
            tar::read(first.chain(content), visitor)
        }
    }
}

fn decoder<'a>(format: Format, bytes: BufReader<ArchiveBytes>) -> Result<Box<dyn Read + 'a>, ArchiveError> {
    Ok(match format {
        Format::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(bytes)),
        Format::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(bytes)),
        Format::Xz => {
            let stream =
                liblzma::stream::Stream::new_stream_decoder(DECODER_MEMORY, liblzma::stream::CONCATENATED);
            let stream = stream.map_err(|error| ArchiveError::Unsupported(error.to_string()))?;
            Box::new(liblzma::bufread::XzDecoder::new_stream(bytes, stream))
        }
        Format::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Format::Tar | Format::Zip => Box::new(bytes),
    })
}

/// Stops the reading thread when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Canceller(Arc<AtomicBool>);

impl Canceller {
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Canceller {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
