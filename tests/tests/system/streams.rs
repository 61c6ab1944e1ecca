//! Tests that large data need little memory.

use std::fs::{self, File};
use std::path::Path;

use converge_core::testing::server::{Reply, Server};
use converge_tests::converge;

use crate::run::module;

/// The memory limit: far below the size of each input, and far above a run without them.
const MOST_KIB: u64 = 120 * 1024;

/// Asserts that the peak memory of a run, which its last script has written to a file, is small.
pub(crate) fn assert_little_memory(peak: &Path, output: &str) {
    let peak = fs::read_to_string(peak).unwrap_or_default();
    let kib: Option<u64> = peak.split_whitespace().nth(1).and_then(|number| number.parse().ok());
    assert!(kib.is_some_and(|kib| kib < MOST_KIB), "{peak}\n{output}");
}

/// The apply downloads the file, and the next plan compares it.
#[test]
fn a_huge_download_costs_a_bounded_amount_of_memory() {
    const SIZE: u64 = 256 << 20;

    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {SIZE}\r\n\r\n");
    let server = Server::new(move |_, _| Reply::Endless(head.clone().into_bytes()));
    let folder = tempfile::tempdir().unwrap();
    let (huge, peak) = (folder.path().join("huge"), folder.path().join("peak"));
    let path = module(
        folder.path(),
        &format!(
            r#"
file.fetch "huge" {{
  source      = "{}"
  destination = "{}"
  force       = true
}}

task.query "peak" {{
  query   = "grep VmHWM /proc/$PPID/status > {}"
  depends = ["file.fetch.huge"]
}}
"#,
            server.url("/huge"),
            huge.display(),
            peak.display(),
        ),
    );
    for (command, outcome) in [("apply", "changed"), ("plan", "unchanged")] {
        let output: converge_tests::Said =
            converge(&[command, "--format", "json", &path]).output().unwrap().into();
        assert_eq!(output.report("file.fetch.huge")["outcome"], outcome, "{}", output.everything());
        assert_little_memory(&peak, &output.everything());
        assert_eq!(fs::metadata(&huge).unwrap().len(), SIZE);
        fs::remove_file(&peak).unwrap();
    }
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn large_files_and_endless_output_cost_a_bounded_amount_of_memory() {
    let folder = tempfile::tempdir().unwrap();
    let huge = |name: &str| {
        let path = folder.path().join(name);
        File::create(&path).unwrap().set_len(16 << 30).unwrap();
        path
    };
    let (replaced, peak) = (huge("replaced"), folder.path().join("peak"));
    let path = module(
        folder.path(),
        &format!(
            r#"
file.content "replaced" {{
  destination = "{}"
  content     = "small"
}}

task.query "endless" {{
  query = "head -c 400000000 /dev/zero; echo the end"
}}

file.content "end" {{
  destination = "{}/end"
  content     = "{{{{lookup `task.query.endless.status.stdout`}}}}"
  depends     = ["file.content.replaced"]
}}

task.query "peak" {{
  query   = "grep VmHWM /proc/$PPID/status > {}"
  depends = ["file.content.end"]
}}
"#,
            replaced.display(),
            folder.path().display(),
            peak.display(),
        ),
    );
    for command in ["plan", "apply"] {
        let output: converge_tests::Said = converge(&[command, &path]).output().unwrap().into();
        let output = output.everything();
        assert!(output.contains("17179869184 bytes"), "{output}");
        assert_little_memory(&peak, &output);
    }
    let end = fs::read(folder.path().join("end")).unwrap();
    let left_out = 400_000_000 + "the end\n".len() - (2 << 20);
    let line = format!("\n[.. {left_out} bytes are left out here ..]\n");
    assert_eq!(end.len(), (2 << 20) + line.len());
    assert!(end.ends_with(b"the end\n") && String::from_utf8_lossy(&end).contains(&line));
}
