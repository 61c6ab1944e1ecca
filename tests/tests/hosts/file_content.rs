//! Tests of `file.content` on a full disk.

use converge_tests::host::{Host, Kind};

const MODULE: &str = r#"
param "pages" {
  type = "number"
}

file.content "book" {
  destination = "/small/book"
  content     = join("\n", [for page in range(param.pages): format("page %d, and what is on it", page)])
}

file.content "title" {
  destination = "/small/title"
  content     = format("A book of %d pages\n", param.pages)
  depends     = ["file.content.book"]
}
"#;

#[test]
fn a_full_disk_leaves_the_old_file_and_a_later_apply_completes() {
    let name = "a_full_disk_leaves_the_old_file";
    let Some(host) = Host::with(name, Kind::Plain, &["--tmpfs", "/small:size=64k"]) else { return };
    host.story(MODULE, &["-p", "pages=2"]);
    let before = host.get("/small/book");

    host.run("cat /dev/zero > /small/filler");
    let outcome = host.converge("apply", MODULE, &["-p", "pages=400"]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.everything());
    assert_eq!(outcome.with_outcome("failed"), ["file.content.book"]);
    assert_eq!(outcome.with_outcome("skipped"), ["file.content.title"]);
    let failure = outcome.failure("file.content.book");
    assert_eq!(failure, "cannot write /small/book: no space left on device");
    assert_eq!(host.get("/small/book"), before);
    assert_eq!(host.ok("ls -A /small").stdout, "book\nfiller\ntitle\n");

    host.ok("rm /small/filler");
    host.story(MODULE, &["-p", "pages=400"]);
    assert!(host.get("/small/book").len() > 10_000);
}
