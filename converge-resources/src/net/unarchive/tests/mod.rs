//! Test archives, built entry by entry.

mod declarations;
mod hostile_input;
#[cfg(target_os = "linux")]
mod other_users;
mod paths;
mod valid_archives;

use std::io::{Cursor, Write as _};

use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;

/// An entry of a test archive.
#[derive(Clone, Debug)]
struct Made {
    name: Vec<u8>,
    kind: EntryType,
    link: Vec<u8>,
    mode: u32,
    content: Vec<u8>,
}

fn made(name: impl AsRef<[u8]>, kind: EntryType, link: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Made {
    let mode = if kind == EntryType::Directory { 0o755 } else { 0o644 };
    Made {
        name: name.as_ref().into(),
        kind,
        link: link.as_ref().into(),
        mode,
        content: content.as_ref().into(),
    }
}

fn file(name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> Made {
    made(name, EntryType::Regular, "", content)
}

fn directory(name: impl AsRef<[u8]>) -> Made {
    made(name, EntryType::Directory, "", "")
}

fn symlink(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Made {
    made(name, EntryType::Symlink, target, "")
}

fn hard_link(name: impl AsRef<[u8]>, target: impl AsRef<[u8]>) -> Made {
    made(name, EntryType::Link, target, "")
}

impl Made {
    fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }
}

/// Returns a tar archive, with any name.
fn tar(entries: &[Made]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..entry.name.len()].copy_from_slice(&entry.name);
        header.as_old_mut().linkname[..entry.link.len()].copy_from_slice(&entry.link);
        header.set_entry_type(entry.kind);
        header.set_mode(entry.mode);
        header.set_mtime(784_111_777);
        header.set_size(entry.content.len() as u64);
        header.set_cksum();
        bytes.extend(header.as_bytes());
        bytes.extend(&entry.content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Returns a zip archive. An entry other than a file, directory or symbolic link becomes a pipe.
fn zip(entries: &[Made]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let name = String::from_utf8(entry.name.clone()).unwrap();
        let options = SimpleFileOptions::default().unix_permissions(entry.mode);
        match entry.kind {
            EntryType::Directory => writer.add_directory(name, options).unwrap(),
            EntryType::Symlink => {
                let target = String::from_utf8(entry.link.clone()).unwrap();
                writer.add_symlink(name, target, options).unwrap();
            }
            _ => {
                writer.start_file(name, options).unwrap();
                writer.write_all(&entry.content).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}
