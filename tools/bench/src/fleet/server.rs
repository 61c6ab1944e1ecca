//! The server process and its cost.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};
use tempfile::TempDir;

use crate::error::{BenchError, at};

/// A server that stops when the measurement ends.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) address: String,
    process: Child,
    // The folder is dropped after the process has ended.
    _folder: TempDir,
}

/// The cost of the process so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    pub(super) processor: Duration,
    /// The peak memory in KiB.
    pub(super) peak_memory: u64,
}

impl Server {
    pub(super) fn start(program: &Path) -> Result<Self, BenchError> {
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        let mut command = Command::new(program);
        command.args([
            "server",
            "--http",
            "127.0.0.1:0",
            "--grpc",
            "127.0.0.1:0",
            "--open-on-loopback",
            "--data",
        ]);
        command.arg(folder.path().join("data")).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(at(program))?;
        let mut url = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut url).map_err(at(program))?;
        }
        let address = url.trim_end().trim_start_matches("http://").to_owned();
        Ok(Self { address, process, _folder: folder })
    }

    /// Returns the cost of the process, as the kernel counts it.
    pub(super) fn spent(&self) -> Result<Spent, BenchError> {
        let read = |name: &str| {
            let path = format!("/proc/{}/{name}", self.process.id());
            std::fs::read_to_string(&path).map_err(at(Path::new(&path)))
        };
        // The program name may hold any character, so fields are counted after it. The 12th and 13th are
        // times in ticks.
        let stat = read("stat")?;
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        let in_second = sysconf(SysconfVar::CLK_TCK)?.and_then(|ticks| u64::try_from(ticks).ok());
        let processor = Duration::from_millis(ticks * 1000 / in_second.unwrap_or(100));
        let status = read("status")?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak_memory = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        Ok(Spent { processor, peak_memory })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
