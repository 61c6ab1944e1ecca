//! The process that holds the lock of RPM.
//!
//! RPM and the programs that use it wait for the lock without a limit, so the lock is checked before they are
//! started.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldLock {
    pub(super) path: String,
    /// The process that holds the lock: `process 4711 (dnf)`.
    pub(super) holder: String,
}

/// The kernel's table of file locks.
const LOCKS: &str = "/proc/locks";

/// Returns the present holder of the lock, or `None` if that cannot be found out.
pub(super) async fn held(cx: &Context) -> Result<Option<HeldLock>> {
    let Some(locks) = cx.system().files().read(Path::new(LOCKS)).await? else { return Ok(None) };
    let Some(path) = printed(cx, Command::new("rpm").args(["--eval", "%{_rpmlock_path}"])).await? else {
        return Ok(None);
    };
    let Some(inode) = printed(cx, Command::new("stat").args(["--format", "%i", "--", &path])).await? else {
        return Ok(None);
    };
    let Some(id) = holder(&String::from_utf8_lossy(&locks.bytes), &inode) else { return Ok(None) };
    let name = cx.system().files().read(&Path::new("/proc").join(&id).join("comm")).await.ok().flatten();
    let name = name.map(|name| format!(" ({})", String::from_utf8_lossy(&name.bytes).trim()));
    Ok(Some(HeldLock { path, holder: format!("process {id}{}", name.unwrap_or_default()) }))
}

/// Returns the single line that a program prints, or `None` if it fails.
///
/// `stat` fails for a missing file.
async fn printed(cx: &Context, mut command: Command) -> Result<Option<String>> {
    command.timeout = cx.remaining();
    let output = cx.system().processes().run(command).await?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(Some(text).filter(|text| output.exit.success() && !text.is_empty()))
}

/// Returns the process that holds a lock on the file.
///
/// A line is `13: POSIX  ADVISORY  WRITE 479 00:44:950456 0 EOF`. A line with `->` is about a waiting
/// process.
fn holder(locks: &str, inode: &str) -> Option<String> {
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, "POSIX" | "OFDLCK", _, "WRITE", id, file, ..] = words.as_slice() else { return None };
        (file.rsplit(':').next() == Some(inode)).then(|| (*id).to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_kernel() {
        let locks = "1: FLOCK  ADVISORY  WRITE 5 00:44:77 0 EOF\n\
                     2: POSIX  ADVISORY  READ 6 00:44:77 0 EOF\n\
                     3: POSIX  ADVISORY  WRITE 479 00:44:950456 0 EOF\n\
                     3: -> POSIX  ADVISORY  WRITE 480 00:44:950456 0 EOF\n";
        assert_eq!(holder(locks, "950456").as_deref(), Some("479"));
        assert_eq!(holder(locks, "77"), None);
        assert_eq!(holder(locks, "9504"), None);
        assert_eq!(holder("", "1"), None);
    }
}
