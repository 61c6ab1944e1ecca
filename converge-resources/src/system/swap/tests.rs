use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, ModelSystem, System};

use super::SwapPreparer;
use super::model::{SWAPS, model};
use super::size::Size;
use crate::testing::{Written, apply, assert_refused, context, plan, plan_pending, prepare, show};

const FSTAB: &str = "/etc/fstab";

/// Lines that belong to somebody else.
const FOUND: &str = "# mine\n/dev/old  none\tswap sw 0 0\n";

fn written(source: &str, extra: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    [&[("source", Value::from(source))], extra].concat()
}

fn size(size: &str) -> (&'static str, Value) {
    ("size", size.into())
}

fn absent() -> (&'static str, Value) {
    ("state", "absent".into())
}

#[test]
fn sizes() {
    let check = |text: &str, expect: Result<u64, &str>| {
        let actual = text.parse::<Size>().map(|size| size.bytes);
        match (&actual, expect) {
            (Ok(found), Ok(expect)) => assert_eq!(*found, expect, "{text}"),
            (Err(found), Err(expect)) => assert!(found.contains(expect), "{text}: {found}"),
            _ => panic!("{text}: {actual:?}"),
        }
    };
    check("512M", Ok(512 << 20));
    check("2 GiB", Ok(2 << 30));
    check("40kb", Ok(40 << 10));
    check("39K", Err("is too small"));
    check("9999999999T", Err("is larger than any file"));
    for text in ["", "M", "512", "1.5G", "-1M", "1Mx", "1E", "50%"] {
        check(text, Err("is not a size"));
    }
}

#[tokio::test]
async fn files() {
    let model = Arc::new(model().with_file(FSTAB, FOUND));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |written: Written<'_>, said: &str, line: &str, used: &str, bytes: Option<usize>| {
        assert_eq!(apply::<SwapPreparer>(&system, written).await, said, "{written:?}");
        assert_eq!(plan::<SwapPreparer>(&system, written).await, "no change", "{written:?}");
        let machine = model.machine();
        let text = |path: &str| String::from_utf8_lossy(machine.file(path).unwrap()).into_owned();
        assert_eq!(text(FSTAB).strip_prefix(FOUND), Some(line), "{written:?}");
        assert_eq!(text(SWAPS).split_once('\n').map(|(_, lines)| lines), Some(used), "{written:?}");
        assert_eq!(machine.file("/swapfile").map(<[u8]>::len), bytes);
        assert!(machine.entry("/swapfile").is_none_or(|entry| entry.mode == 0o600), "{written:?}");
    };
    check(
        &written("/swapfile", &[size("64K")]),
        "will change\nfile: \"absent\" => \"64 KiB\"\n/etc/fstab: \"absent\" => \"/swapfile none swap sw 0 0\"",
        "/swapfile none swap sw 0 0\n",
        "/swapfile\tfile\t36\t0\t-2\n",
        Some(64 << 10),
    )
    .await;
    check(
        &written("/swapfile", &[size("64K"), ("priority", 5.into())]),
        "will change\npriority: \"-2\" => \"5\"\n\
         /etc/fstab: \"/swapfile none swap sw 0 0\" => \"/swapfile none swap sw,pri=5 0 0\"",
        "/swapfile none swap sw,pri=5 0 0\n",
        "/swapfile\tfile\t36\t0\t5\n",
        Some(64 << 10),
    )
    .await;
    model.alter(|machine| machine.put_mode("/swapfile", 0o644));
    check(
        &written("/swapfile", &[("priority", 5.into())]),
        "will change\nmode: \"0644\" => \"0600\"",
        "/swapfile none swap sw,pri=5 0 0\n",
        "/swapfile\tfile\t36\t0\t5\n",
        Some(64 << 10),
    )
    .await;
    check(
        &written("/swapfile", &[size("80K"), ("priority", 5.into())]),
        "will change\nfile: \"64 KiB\" => \"80 KiB\"",
        "/swapfile none swap sw,pri=5 0 0\n",
        "/swapfile\tfile\t36\t0\t5\n",
        Some(80 << 10),
    )
    .await;
    check(
        &written("/swapfile", &[absent()]),
        "will change\nused: \"true\" => \"false\"\n\
         /etc/fstab: \"/swapfile none swap sw,pri=5 0 0\" => \"absent\"\nfile: \"80 KiB\" => \"absent\"",
        "",
        "",
        None,
    )
    .await;
    // A file of zeros has not been prepared yet.
    model.alter(|machine| machine.put_file("/swapfile", vec![0; 70 << 10]));
    check(
        &written("/swapfile", &[size("64K")]),
        "will change\nfile: \"70 KiB of zeros\" => \"64 KiB\"\n/etc/fstab: \"absent\" => \"/swapfile none swap sw 0 0\"",
        "/swapfile none swap sw 0 0\n",
        "/swapfile\tfile\t36\t0\t-2\n",
        Some(64 << 10),
    )
    .await;
}

#[tokio::test]
async fn devices() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let actual = apply::<SwapPreparer>(&system, &written("UUID=1-2", &[])).await;
    let expect = "will change\ndevice: \"(empty)\" => \"swap\"\n/etc/fstab: \"absent\" => \"UUID=1-2 none swap sw 0 0\"";
    assert_eq!(actual, expect);
    let used =
        |model: &ModelSystem| String::from_utf8(model.machine().file(SWAPS).unwrap().to_vec()).unwrap();
    assert!(used(&model).ends_with("/dev/sdb\tfile\t36\t0\t-2\n"));
    let output = apply::<SwapPreparer>(&system, &written("UUID=1-2", &[absent()])).await;
    let expect =
        "will change\nused: \"true\" => \"false\"\n/etc/fstab: \"UUID=1-2 none swap sw 0 0\" => \"absent\"";
    assert_eq!(output, expect);
    // The device stays prepared.
    let output = plan::<SwapPreparer>(&system, &written("/dev/sdb", &[])).await;
    let expect =
        "will change\nused: \"false\" => \"true\"\n/etc/fstab: \"absent\" => \"/dev/sdb none swap sw 0 0\"";
    assert_eq!(output, expect);
}

#[tokio::test]
async fn mistakes() {
    let check = assert_refused::<SwapPreparer>;
    for source in ["swapfile", "UUID=", "/a/../b", "/a\n"] {
        check(model(), &written(source, &[]), "source: it is an absolute path").await;
    }
    check(model(), &written("/dev/sdb", &[size("64K")]), "size: a device has its own").await;
    let message = "/dev/disk/by-id/second is not empty: it holds xfs \"precious\"";
    check(model(), &written("/dev/disk/by-id/second", &[]), message).await;
    check(model(), &written("/dev/none", &[]), "device \"/dev/none\" does not exist").await;
    check(model(), &written("/none/swap", &[size("64K")]), "directory \"/none\" does not exist").await;
    let system: Arc<dyn System> = Arc::new(model());
    for (fields, expect) in [
        (written("/dev/none", &[]), "/dev/none does not exist yet"),
        (written("/none/swap", &[size("64K")]), "/none does not exist yet"),
    ] {
        assert_eq!(plan_pending::<SwapPreparer>(&system, &fields).await, format!("may change\n# {expect}"));
    }
    let fast = "/fast/swap is on btrfs, and the kernel swaps to no file there";
    check(model(), &written("/fast/swap", &[size("64K")]), fast).await;
    let data = || model().with_file("/swapfile", "somebody's data");
    check(
        data(),
        &written("/swapfile", &[size("64K")]),
        "/swapfile is not empty: it holds 15 B of something else",
    )
    .await;
    check(
        data(),
        &written("/swapfile", &[absent()]),
        "/swapfile is not empty: it holds 15 B of something else",
    )
    .await;
    let small = model().with_file("/swapfile", "");
    check(
        small,
        &written("/swapfile", &[]),
        "/swapfile has 0 B, which is too small to swap to: write its `size`",
    )
    .await;
    let link = model().with_file("/secret", vec![0; 64 << 10]).with_symlink("/swapfile", "/secret");
    check(link, &written("/swapfile", &[size("64K")]), "/swapfile is a link, and no file to swap to").await;
    let foreign = model()
        .with_file("/swapfile", vec![0; 64 << 10])
        .with(|machine| machine.put_owner("/swapfile", 65534, 65534));
    check(foreign, &written("/swapfile", &[size("64K")]), "/swapfile is a file of the user 65534").await;
    let full_disk = model().with(|machine| machine.put_disk("/srv", Disk::Full));
    check(full_disk, &written("/srv/swap", &[size("64K")]), "cannot ").await;
    let no_tools = ModelSystem::new().with_file("/dev/sdb", "");
    check(no_tools, &written("/dev/sdb", &[]), "there is no `wipefs`: install the package `util-linux`")
        .await;
}

/// A file that appears between check and apply is not overwritten.
#[tokio::test]
async fn what_comes_meanwhile_is_not_overwritten() {
    let model = Arc::new(model());
    let cx = context(Arc::clone(&model) as _, RunMode::Apply);
    let mut task = prepare::<SwapPreparer>(&cx, &written("/swapfile", &[size("64K")])).await.unwrap();
    task.check(&cx, &FakeRenderer::new()).await.unwrap();
    model.alter(|machine| machine.put_file("/swapfile", "somebody's data"));
    let output = show(&task.apply(&cx).await);
    assert!(output.starts_with("error: /swapfile is not empty: it holds 15 B of something else"), "{output}");
    assert_eq!(model.machine().file("/swapfile"), Some(&b"somebody's data"[..]));
}

laws!(
    SwapPreparer,
    start = model,
    values = ("source", ["/swapfile", "/srv/swap"]),
    values = ("size", ["40K", "64K"]),
    values = ("priority", [5])
);
