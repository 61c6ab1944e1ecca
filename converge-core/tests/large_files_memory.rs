//! A test that a large file needs the memory of one piece only.
//!
//! The test measures the whole process, so it is alone in its binary.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test, which asks the kernel about this process"
)]

use std::fs;

use converge_core::system::{LocalSystem, System as _, WriteFile};

const MIB: u64 = 1 << 20;

/// Returns the peak memory of this process in bytes since the last call.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    fs::write("/proc/self/clear_refs", "5").unwrap();
    kibibytes * 1024
}

#[tokio::test]
async fn the_memory_for_a_large_file_is_bounded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let local = LocalSystem::new();
    let content = vec![b'x'; 200 << 20];
    peak();
    let before = peak();
    for content in [&content[..], &content[1..]] {
        local.files().write(&path, WriteFile::new(content)).await.unwrap();
        let open = local.files().open(&path).await.unwrap().unwrap();
        let mut piece = vec![0; 64 * 1024];
        let mut offset = 0;
        while let count @ 1.. = open.read_at(offset as u64, &mut piece).await.unwrap() {
            assert!(piece[..count] == content[offset..offset + count], "what was written");
            offset += count;
        }
        assert_eq!(offset, content.len());
    }
    let increase = peak().saturating_sub(before);
    assert!(increase < 16 * MIB, "it took {increase} bytes");
}
