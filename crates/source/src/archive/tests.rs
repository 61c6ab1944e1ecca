//! Tests of archives from untrusted senders.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::types::limits::Limits;
use converge_core::Registry;
use converge_core::load::{Loader, ModulesIn, Sources};

/// A member: its name, its kind and its content.
type Made<'a> = (&'a [u8], EntryType, &'a [u8]);

const FILE: EntryType = EntryType::Regular;

fn tar(members: &[Made<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, kind, content) in members {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        bytes.extend(header.as_bytes());
        bytes.extend(*content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip(members: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, kind, content) in members {
        let options = SimpleFileOptions::default();
        match kind {
            EntryType::Directory => writer.add_directory(*name, options).unwrap(),
            EntryType::Symlink => writer.add_symlink(*name, "/etc/passwd", options).unwrap(),
            _ => {
                writer.start_file(*name, options).unwrap();
                writer.write_all(content).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}

/// Replaces all occurrences of some bytes by others of the same length.
fn replaced(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> = (0..bytes.len()).filter(|offset| bytes[*offset..].starts_with(from)).collect();
    assert!(!places.is_empty());
    for offset in places {
        bytes[offset..offset + to.len()].copy_from_slice(to);
    }
    bytes
}

fn from_tar(bytes: &[u8]) -> Result<ModulesIn, String> {
    ModulesIn::tar(bytes, Limits::default()).map_err(|error| error.to_string())
}

fn from_zip(bytes: &[u8]) -> Result<ModulesIn, String> {
    ModulesIn::zip(Cursor::new(bytes), Limits::default()).map_err(|error| error.to_string())
}

#[test]
fn a_module_names_others_of_the_archive() {
    let main = b"module \"../web.hcl\" \"web\" {}\nparam \"motd\" { default = file(\"motd\") }\n";
    let web = b"param \"port\" { default = 80 }\n";
    let members: [(&str, EntryType, &[u8]); 4] = [
        ("./site/", EntryType::Directory, b""),
        ("./site/main.hcl", FILE, main),
        ("./web.hcl", FILE, web),
        ("site/motd", FILE, b"hello"),
    ];
    let bytes = tar(&members.map(|(name, kind, content)| (name.as_bytes(), kind, content)));
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&zip(&members)).unwrap();
    let sources = [
        ModulesIn::tar(&*bytes, Limits::default()),
        ModulesIn::tar_gz(&*gzip(&bytes), Limits::default()),
        ModulesIn::zip(&file, Limits::default()),
    ];
    let registry = Registry::new();
    for modules in sources {
        let modules = modules.unwrap();
        assert_eq!(modules.names().collect::<Vec<_>>(), ["site/main.hcl", "site/motd", "web.hcl"]);
        let load = |written: &str| {
            let sources = Sources::only(modules.clone()).with_files(modules.clone());
            Loader::new(&registry).with_sources(sources).load(written).into_graph()
        };
        let graph = load("site/main.hcl").unwrap();
        assert!(graph.find("root/module.web/param.port").is_some());
        let missing = load("none.hcl").unwrap_err();
        assert!(
            missing.to_string().contains("cannot read none.hcl: there is no such file in the archive"),
            "{missing}"
        );
    }
}

#[test]
fn members_that_an_archive_may_not_have() {
    let check = |name: &[u8], kind: EntryType, expect: &str| {
        let bytes = tar(&[(b"main.hcl", FILE, b""), (name, kind, b"")]);
        assert_eq!(from_tar(&bytes).unwrap_err(), expect);
        let compressed = ModulesIn::tar_gz(&*gzip(&bytes), Limits::default());
        assert_eq!(compressed.unwrap_err().to_string(), expect);
    };
    check(b"../a.hcl", FILE, "\"../a.hcl\" in the archive leads out of its folder");
    check(b"a/../../b", EntryType::Directory, "\"a/../../b\" in the archive leads out of its folder");
    check(b"/etc/a.hcl", FILE, "\"/etc/a.hcl\" in the archive is an absolute path");
    check(b"a\xff.hcl", FILE, "\"a\u{fffd}.hcl\" in the archive has a name that is not UTF-8");
    check(b"main.hcl", FILE, "\"main.hcl\" in the archive is there twice");
    check(b"./main.hcl", FILE, "\"./main.hcl\" in the archive is there twice");
    for (kind, description) in [
        (EntryType::Symlink, "a symbolic link"),
        (EntryType::Link, "a hard link"),
        (EntryType::Char, "a character device"),
        (EntryType::Block, "a block device"),
        (EntryType::Fifo, "a named pipe"),
        (EntryType::new(b'V'), "of an unknown kind"),
    ] {
        check(b"a.hcl", kind, &format!("\"a.hcl\" in the archive is {description}, not a regular file"));
    }
    // An extended header may say more than a plain header can.
    let pax = |record: &[u8]| tar(&[(b"pax", EntryType::XHeader, record), (b"a.hcl", FILE, b"")]);
    for (record, expect) in [
        (&b"17 path=../b.hcl\n"[..], "\"../b.hcl\" in the archive leads out of its folder"),
        (b"12 path=a\0b\n", "\"a\\0b\" in the archive has a NUL in its name"),
        (b"22 GNU.sparse.major=1\n", "\"a.hcl\" in the archive is a sparse file, not a regular file"),
    ] {
        assert_eq!(from_tar(&pax(record)).unwrap_err(), expect);
    }
}

#[test]
fn members_that_a_zip_may_not_have() {
    let check = |bytes: Vec<u8>, expect: &str| assert_eq!(from_zip(&bytes).unwrap_err(), expect);
    let archive_with = |name: &str| zip(&[("main.hcl", FILE, b""), (name, FILE, b"")]);
    check(archive_with("../a.hcl"), "\"../a.hcl\" in the archive leads out of its folder");
    check(archive_with("/etc/a.hcl"), "\"/etc/a.hcl\" in the archive is an absolute path");
    check(archive_with("./main.hcl"), "\"./main.hcl\" in the archive is there twice");
    check(
        replaced(archive_with("some.hcl"), b"some.hcl", b"main.hcl"),
        "\"main.hcl\" in the archive is there twice",
    );
    check(
        replaced(archive_with("some.hcl"), b"some.hcl", b"so\xffe.hcl"),
        "\"so\u{fffd}e.hcl\" in the archive has a name that is not UTF-8",
    );
    check(
        zip(&[("a.hcl", EntryType::Symlink, b"")]),
        "\"a.hcl\" in the archive is a symbolic link, not a regular file",
    );
    // The upper half of a member's system attributes is its mode, here that of a pipe.
    let link = zip(&[("a.hcl", EntryType::Symlink, b"")]);
    check(
        replaced(link, &(0o120_777_u32 << 16).to_le_bytes(), &(0o010_777_u32 << 16).to_le_bytes()),
        "\"a.hcl\" in the archive is a device, a pipe or a socket, not a regular file",
    );
}

/// Some kilobytes that unpack to a hundred megabytes are refused before they are in memory.
#[test]
fn bombs() {
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    let content = vec![b' '; 100 << 20];
    let expect = "the archive has more than 1048576 bytes when it is unpacked";
    let gz = gzip(&tar(&[(b"a.hcl", FILE, &content)]));
    let packed = zip(&[("a.hcl", FILE, &content)]);
    assert!(gz.len() < 1 << 20 && packed.len() < 1 << 20);
    assert_eq!(ModulesIn::tar_gz(&*gz, limits).unwrap_err().to_string(), expect);
    assert_eq!(ModulesIn::zip(Cursor::new(packed), limits).unwrap_err().to_string(), expect);
    // The limit is exceeded by several members together, after the end, in a name, or by very many empty
    // members.
    let content_half = &content[..600 << 10];
    let twice = tar(&[(b"a.hcl", FILE, content_half), (b"b.hcl", FILE, content_half)]);
    assert_eq!(ModulesIn::tar(&*twice, limits).unwrap_err().to_string(), expect);
    let twice = zip(&[("a.hcl", FILE, content_half), ("b.hcl", FILE, content_half)]);
    assert_eq!(ModulesIn::zip(Cursor::new(twice), limits).unwrap_err().to_string(), expect);
    let mut after = tar(&[]);
    after.resize(2 << 20, 0);
    assert_eq!(ModulesIn::tar_gz(&*gzip(&after), limits).unwrap_err().to_string(), expect);
    let name = tar(&[(b"long", EntryType::GNULongName, &content), (b"a.hcl", FILE, b"")]);
    assert_eq!(ModulesIn::tar(&*name, limits).unwrap_err().to_string(), expect);
    let names: Vec<String> = (0..2049).map(|index| index.to_string()).collect();
    let many: Vec<_> = names.iter().map(|name| (name.as_str(), FILE, &b""[..])).collect();
    assert_eq!(ModulesIn::zip(Cursor::new(zip(&many)), limits).unwrap_err().to_string(), expect);
    // An archive that just fits is accepted.
    let fits = tar(&[(b"a.hcl", FILE, content_half)]);
    let exact = |bytes: u64| ModulesIn::tar(&*fits, Limits { bytes, ..limits });
    assert!(exact(fits.len() as u64).is_ok());
    assert!(exact(fits.len() as u64 - 1).is_err());
}

#[test]
fn what_is_damaged() {
    let archive = tar(&[(b"a.hcl", FILE, &[b'x'; 2000])]);
    assert_eq!(from_tar(&archive[..1024]).unwrap_err(), "\"a.hcl\" in the archive is not there to its end");
    let prefix = "the archive cannot be read: ";
    let check = |found: Result<ModulesIn, String>| {
        let error = found.unwrap_err();
        assert!(error.starts_with(prefix), "{error}");
    };
    check(from_tar(&[b'x'; 1024]));
    check(from_zip(b"no archive at all, and so no zip"));
    check(from_zip(&archive));
    let mut compressed = gzip(&archive);
    let checksum = compressed.len() - 8;
    compressed[checksum] ^= 1;
    check(ModulesIn::tar_gz(&*compressed, Limits::default()).map_err(|error| error.to_string()));
    let mut sum = flate2::Crc::new();
    sum.update(b"text");
    let (right, invalid_sum) = (sum.sum().to_le_bytes(), (!sum.sum()).to_le_bytes());
    check(from_zip(&replaced(zip(&[("a.hcl", FILE, b"text")]), &right, &invalid_sum)));
}

#[test]
fn a_member_that_is_no_text_is_only_one_when_it_is_used() {
    let large = vec![b' '; (16 << 20) + 1];
    let modules = from_tar(&tar(&[(b"logo", FILE, b"x\xff"), (b"large.hcl", FILE, &large)])).unwrap();
    let message_of = |name: &str| {
        let sources = Sources::only(modules.clone());
        let source = sources.resolve(None, name).unwrap();
        sources.read(&source).unwrap_err().to_string()
    };
    assert_eq!(message_of("logo"), "logo is not UTF-8: byte 1 begins no character");
    assert_eq!(
        message_of("large.hcl"),
        "large.hcl has more than 16777216 bytes, which is too much to be loaded"
    );
    assert_eq!(format!("{modules:?}"), r#"{"large.hcl", "logo"}"#);
}
