//! Tests of archives that are refused without writing anything.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System, SystemErrorKind};
use proptest::prelude::*;

use super::*;
use crate::net::unarchive::UnarchivePreparer;
use crate::testing::{Written, apply};

/// Applies an archive that is refused, checks that nothing changed, and returns the error.
async fn refused(archive: Vec<u8>, extra: Written<'_>) -> String {
    let model = Arc::new(ModelSystem::new().with_file("/a", archive).with_dir("/srv"));
    let system: Arc<dyn System> = model.clone();
    let mut fields = vec![("source", Value::from("/a")), ("destination", "/srv".into())];
    fields.extend(extra.iter().cloned());
    let output = apply::<UnarchivePreparer>(&system, &fields).await;
    assert_eq!(model.effects(), [], "{output}");
    output.strip_prefix("error: cannot unpack /a: ").map_or_else(|| panic!("{output}"), str::to_owned)
}

#[tokio::test]
async fn entries_that_mean_harm() {
    let check = async |entries: &[Made], expect: &str| {
        // A valid entry comes first, and is not written either.
        let mut all_entries = vec![file("harmless", "x")];
        all_entries.extend(entries.iter().cloned());
        assert_eq!(refused(tar(&all_entries), &[]).await, expect);
        assert_eq!(refused(zstd(&tar(&all_entries)), &[]).await, expect);
    };
    check(&[file("/etc/passwd", "x")], "\"/etc/passwd\" is an absolute path").await;
    check(&[file("../x", "x")], "\"../x\" leads out of the destination through `..`").await;
    check(&[file("a/../../x", "x")], "\"a/../../x\" leads out of the destination through `..`").await;
    check(&[directory("..")], "\"..\" leads out of the destination through `..`").await;
    check(&[file("", "x")], "\"\" has no name").await;
    check(&[file(".", "x")], "\".\" has no name").await;
    check(&[file(b"caf\xe9", "x")], "\"caf\u{fffd}\" is not UTF-8").await;
    check(&[file("a", "1"), file("./a", "2")], "\"./a\" is there twice").await;
    // The library's directory of the archive keeps only one of two entries with the same name.
    let mut twice = zip(&[file("name-1", "x"), file("other", "y"), file("name-2", "z")]);
    while let Some(position) = twice.windows(6).position(|name| name == b"name-2") {
        twice[position + 5] = b'1';
    }
    assert_eq!(refused(twice, &[]).await, "it is damaged: two entries have one name");
    check(&[file("a", "1"), directory("a")], "\"a\" is there twice").await;
    check(&[directory("a"), symlink("a", "b")], "\"a\" is there twice").await;
    check(&[file("a", "1"), file("a/b", "2")], "\"a/b\" is below \"a\", which is not a directory").await;
    check(&[file("a/b", "1"), file("a", "2")], "\"a\" is there twice").await;
    let kinds = [
        (EntryType::Char, "character device"),
        (EntryType::Block, "block device"),
        (EntryType::Fifo, "pipe"),
        (EntryType::GNUSparse, "sparse file"),
    ];
    for (kind, name) in kinds {
        check(&[made("a", kind, "", "")], &format!("\"a\" is a {name}")).await;
    }
}

#[tokio::test]
async fn links_that_mean_harm() {
    let check = async |entries: &[Made], expect: &str| {
        assert_eq!(refused(tar(entries), &[]).await, expect, "{entries:?}");
        if entries.iter().all(|entry| entry.kind != EntryType::Link) {
            assert_eq!(refused(zip(entries), &[]).await, expect, "{entries:?}");
        }
    };
    check(
        &[symlink("etc", "/etc"), file("etc/passwd", "x")],
        "\"etc\" is a symbolic link to \"/etc\", which is outside of the destination",
    )
    .await;
    check(&[symlink("a", "..")], "\"a\" is a symbolic link to \"..\", which is outside of the destination")
        .await;
    check(
        &[symlink("a/b", "../../x")],
        "\"a/b\" is a symbolic link to \"../../x\", which is outside of the destination",
    )
    .await;
    check(
        &[directory("d"), symlink("a", "d"), file("a/x", "x")],
        "\"a/x\" would be written through the symbolic link \"a\"",
    )
    .await;
    // The first link leads to the destination, so the second leads out of it.
    check(
        &[symlink("a/b/top", "../.."), symlink("out", "a/b/top/..")],
        "\"out\" is a symbolic link to \"a/b/top/..\": only the beginning of where it leads may be `..`",
    )
    .await;
    check(&[symlink("a", "")], "\"a\" is a symbolic link to nowhere").await;
    check(&[hard_link("a", "/etc/passwd")], "\"a\" is an absolute path").await;
    check(
        &[hard_link("a", "b")],
        "\"a\" is a hard link to \"b\", which is not a file before it in the archive",
    )
    .await;
    check(
        &[symlink("l", "x"), hard_link("a", "l")],
        "\"a\" is a hard link to \"l\", which is not a file before it in the archive",
    )
    .await;
}

#[tokio::test]
async fn limits() {
    let check = async |archive: Vec<u8>, more: Written<'_>, expect: &str| {
        assert_eq!(refused(archive, more).await, expect, "{more:?}");
    };
    let three = [file("a", "1"), file("b/c", "2")];
    let entries = [("max_entries", Value::from(2))];
    check(tar(&three), &entries, "it has more than 2 entries: `max_entries` allows more").await;
    check(zip(&three), &entries, "it has more than 2 entries: `max_entries` allows more").await;
    let size = [("max_size", Value::from(10_000))];
    let large = [file("a", vec![0; 10_001])];
    for archive in [tar(&large), gzip(&tar(&large)), zip(&large)] {
        check(archive, &size, "it expands to more than 10000 bytes: `max_size` allows more").await;
    }
    // Zeros compress to almost nothing.
    let trap = [file("a", vec![0; 40 << 20])];
    let dense =
        "it expands to more than 500 times its size, which looks like a trap: `max_ratio` allows more";
    for archive in [gzip(&tar(&trap)), bzip2(&tar(&trap)), xz(&tar(&trap)), zstd(&tar(&trap)), zip(&trap)] {
        check(archive, &[], dense).await;
    }
    let name = made("././@LongLink", EntryType::GNULongName, "", vec![b'x'; (1 << 20) + 1]);
    check(tar(&[name]), &[], "it is damaged: a header has 1048577 bytes").await;
    let long = file("x".repeat(100), "");
    let long = Made { name: long.name, ..made("", EntryType::Regular, "", "") };
    let long_name = made("././@LongLink", EntryType::GNULongName, "", "x".repeat(256));
    check(tar(&[long_name, long]), &[], &format!("{:?} has a name that is too long", "x".repeat(256))).await;
}

#[tokio::test]
async fn what_is_no_archive() {
    let unknown = "it is not an archive in a known format: tar, gzip, bzip2, xz, zstd or zip";
    for content in [b"".as_slice(), b"hello", &[b'x'; 2000]] {
        assert_eq!(refused(content.to_vec(), &[]).await, unknown);
    }
    assert_eq!(
        refused(gzip(b"hello"), &[]).await,
        "it is compressed with gzip, and there is no tar archive in it"
    );
    let archives = [gzip(&tar(&[file("a", "x")])), xz(&tar(&[file("a", "x")])), zip(&[file("a", "x")])];
    for archive in archives {
        let message = refused(archive[..archive.len() - 10].to_vec(), &[]).await;
        assert!(message.starts_with("it is damaged: "), "{message}");
    }
    let cut = tar(&[file("a", [b'x'; 2000])])[..1500].to_vec();
    assert_eq!(refused(cut, &[]).await, "it is damaged: it ends too early");
    let mut damaged = tar(&[file("a", "x"), file("b", "y")]);
    damaged[1024] ^= 1;
    assert_eq!(refused(damaged, &[]).await, "it is damaged: the checksum of an entry is wrong");
}

/// Generates names, some of which lead to another directory.
fn names() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&["a", "b", "..", ".", ""][..]), 1..4)
        .prop_map(|steps| steps.join("/"))
}

fn entries() -> impl Strategy<Value = Vec<Made>> {
    let entry = prop_oneof![
        4 => names().prop_map(|name| file(name, "x")),
        2 => names().prop_map(directory),
        4 => (names(), names()).prop_map(|(name, target)| symlink(name, target)),
        1 => (names(), names()).prop_map(|(name, target)| hard_link(name, target)),
    ];
    prop::collection::vec(entry, 1..6)
}

fn on_a_machine(archive: Vec<u8>, before: &[(String, String)]) -> (Arc<ModelSystem>, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut model = ModelSystem::new().with_file("/a", archive).with_dir("/srv/a").with_dir("/a2");
    for (name, target) in before {
        model = model.with_symlink(format!("/srv/{name}"), target);
    }
    let model = Arc::new(model);
    let system: Arc<dyn System> = model.clone();
    let fields = [("source", Value::from("/a")), ("destination", "/srv".into()), ("force", true.into())];
    let output = runtime.block_on(apply::<UnarchivePreparer>(&system, &fields));
    (model, output)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Files outside the destination stay as they are, and no new path leads outside, for any archive.
    #[test]
    fn nothing_is_written_outside(
        entries in entries(),
        before in prop::collection::vec(
            (prop::sample::select(&["b", "a/b"][..]), prop::sample::select(&["/a2", "/srv/a", "..", "a", "../b"][..])),
            0..2,
        ),
    ) {
        let before: Vec<_> = before.iter().map(|(name, target)| ((*name).to_owned(), (*target).to_owned())).collect();
        let (model, output) = on_a_machine(tar(&entries), &before);
        let machine = model.snapshot();
        let outside = |path: &std::path::Path| !path.starts_with("/srv");
        let others: Vec<_> = machine.keys().filter(|path| outside(path)).collect();
        let expect: Vec<std::path::PathBuf> = ["/", "/a", "/a2"].map(Into::into).into();
        prop_assert_eq!(others, expect.iter().collect::<Vec<_>>(), "{}", output);
        // Links of the archive lead inside, unless through a link that existed before.
        if before.is_empty() && !output.contains("error") {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let files = model.files();
            let root = runtime.block_on(files.open_dir("/srv".as_ref())).unwrap().unwrap();
            for entry in &entries {
                let path = std::path::PathBuf::from(String::from_utf8_lossy(&entry.name).into_owned());
                let opened = runtime.block_on(root.open_below(&path)).map_err(|error| error.kind);
                prop_assert_ne!(opened.err(), Some(SystemErrorKind::Outside), "{}", path.display());
                // The only file outside is the archive.
                let read = runtime.block_on(files.read(&root.path().join(&path)));
                if let Ok(Some(read)) = read {
                    prop_assert_eq!(read.bytes, b"x", "{}", path.display());
                }
            }
        }
    }

    /// Noise, and archives with noise in them, give errors or entries, and never a panic.
    #[test]
    fn noise(
        entries in entries(),
        format in 0..6_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        noise in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        let files: Vec<_> = entries.into_iter().filter(|entry| entry.kind != EntryType::Link).collect();
        let mut archive = match format {
            0 => gzip(&tar(&files)),
            1 => bzip2(&tar(&files)),
            2 => xz(&tar(&files)),
            3 => zstd(&tar(&files)),
            4 => tar(&files),
            _ => noise,
        };
        for (position, byte) in changes {
            if !archive.is_empty() {
                let offset = position.index(archive.len());
                archive[offset] = byte;
            }
        }
        if let Some(cut) = cut {
            archive.truncate(cut.index(archive.len() + 1));
        }
        on_a_machine(archive, &[]);
    }
}
