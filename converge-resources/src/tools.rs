//! Runs of the machine's tools.

#[cfg(any(feature = "lvm", feature = "system", feature = "systemd"))]
use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit, Output, SystemErrorKind};
#[cfg(any(feature = "lvm", feature = "system", feature = "systemd"))]
use converge_sdk::system::{FileKind, Follow};

use crate::output_progress::OutputProgress;

/// The search path of administrative programs if `PATH` is not set.
#[cfg(any(feature = "lvm", feature = "system", feature = "systemd"))]
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ToolError {
    #[error("there is no `{program}`: {}", how_to_get(.program))]
    Missing { program: String },
    #[error("`{command}` {}{}", ending(*.exit), said(.stderr))]
    Failed { command: String, exit: Exit, stderr: String },
    #[cfg(any(feature = "lvm", feature = "system"))]
    #[error("`{command}` printed something unexpected: {reason}")]
    Unreadable { command: String, reason: String },
}

/// Returns the package of a program, by its name in the large distributions.
fn package(program: &str) -> Option<&'static str> {
    Some(match program {
        "pvs" | "vgs" | "lvs" | "vgcreate" | "vgextend" | "vgreduce" | "pvremove" | "lvcreate"
        | "lvextend" | "lvchange" => "lvm2",
        "mkfs.ext2" | "mkfs.ext3" | "mkfs.ext4" | "dumpe2fs" | "e2fsck" | "resize2fs" => "e2fsprogs",
        "mkfs.xfs" | "xfs_info" | "xfs_growfs" => "xfsprogs",
        "mkfs.btrfs" | "btrfs" => "btrfs-progs",
        "mkfs.vfat" | "mkfs.fat" | "mkfs.msdos" => "dosfstools",
        "mkfs.f2fs" => "f2fs-tools",
        "mkfs.exfat" => "exfatprogs",
        "mkfs.ntfs" => "ntfs-3g",
        "mkfs.jfs" => "jfsutils",
        "lsblk" | "wipefs" | "mount" | "umount" | "findfs" | "mkswap" | "swapon" | "swapoff" => "util-linux",
        "mount.nfs" | "mount.nfs4" => "nfs-common",
        "mount.cifs" | "mount.smb3" => "cifs-utils",
        "mount.fuse" => "fuse3",
        "systemctl" | "systemd-analyze" => "systemd",
        "crontab" => "cron",
        "sysctl" => "procps",
        "modprobe" | "modinfo" => "kmod",
        "ufw" => "ufw",
        "firewall-cmd" | "firewall-offline-cmd" => "firewalld",
        "shutdown" => "systemd-sysv",
        "getcap" | "setcap" => "libcap2-bin",
        "update-alternatives" => "dpkg",
        "locale-gen" => "locales",
        "locale" => "libc-bin",
        _ => return None,
    })
}

fn how_to_get(program: &str) -> String {
    match package(program) {
        Some(package) => format!("install the package `{package}`"),
        None => "install the package that has it".to_owned(),
    }
}

fn ending(exit: Exit) -> String {
    match exit {
        Exit::Code(code) => format!("ended with exit code {code}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
        Exit::TimedOut => "did not end in time".to_owned(),
    }
}

fn said(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}

/// Runs a tool, and returns its output whatever the exit code.
///
/// The tool has no standard input, so any question stays unanswered, and the tool stops there.
#[cfg(any(feature = "file", feature = "firewall", feature = "lvm", feature = "system", feature = "systemd"))]
async fn start<S: Into<String>>(
    cx: &Context,
    program: &str,
    args: impl IntoIterator<Item = S>,
    told: OutputProgress,
) -> Result<(String, Output)> {
    start_command(cx, Command::new(program).args(args), told).await
}

/// Like [`start`], for a command that has more than arguments.
async fn start_command(
    cx: &Context,
    mut command: Command,
    output_mode: OutputProgress,
) -> Result<(String, Output)> {
    let program = command.program.clone();
    command.env.insert("LC_ALL".to_owned(), "C".to_owned());
    // LVM warns about open files of this process, which are closed in a child. The warning would only hide
    // relevant output.
    command.env.insert("LVM_SUPPRESS_FD_WARNINGS".to_owned(), "1".to_owned());
    command.timeout = cx.remaining();
    let words: Vec<&str> =
        std::iter::once(&command.program).chain(&command.args).map(String::as_str).collect();
    let line = words.join(" ");
    match output_mode.run(cx, command).await {
        Ok(output) => Ok((line, output)),
        Err(error) if error.kind == SystemErrorKind::NotFound => {
            Err(Error::other(ToolError::Missing { program }))
        }
        Err(error) => Err(error.into()),
    }
}

/// Runs a read-only tool that must succeed, and returns its output.
#[cfg(any(feature = "file", feature = "lvm", feature = "system", feature = "systemd"))]
pub(crate) async fn look<S: Into<String>>(
    cx: &Context,
    program: &str,
    args: impl IntoIterator<Item = S>,
) -> Result<String> {
    let (command, output) = start(cx, program, args, OutputProgress::Nothing).await?;
    if !output.exit.success() {
        return Err(failed(command, &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a read-only tool, and returns the command line and the output, whatever the exit code.
#[cfg(any(feature = "firewall", feature = "system", feature = "systemd"))]
pub(crate) async fn try_look(cx: &Context, command: Command) -> Result<(String, Output)> {
    start_command(cx, command, OutputProgress::Nothing).await
}

/// Like [`change`], with standard input, and without progress events.
#[cfg(feature = "system")]
pub(crate) async fn feed(cx: &Context, command: Command) -> Result<()> {
    let (command, output) = start_command(cx, command, OutputProgress::Nothing).await?;
    if output.exit.success() { Ok(()) } else { Err(failed(command, &output)) }
}

/// Runs a tool that changes something and must succeed.
///
/// The lines of its output are sent as progress events, because some tools, such as `mkfs`, take minutes.
#[cfg(any(feature = "file", feature = "firewall", feature = "lvm", feature = "system", feature = "systemd"))]
pub(crate) async fn change<S: Into<String>>(
    cx: &Context,
    program: &str,
    args: impl IntoIterator<Item = S>,
) -> Result<()> {
    let (command, output) = try_change(cx, program, args).await?;
    if output.exit.success() { Ok(()) } else { Err(failed(command, &output)) }
}

/// Like [`change`], but returns the command line and the output, whatever the exit code.
#[cfg(any(feature = "file", feature = "firewall", feature = "lvm", feature = "system", feature = "systemd"))]
pub(crate) async fn try_change<S: Into<String>>(
    cx: &Context,
    program: &str,
    args: impl IntoIterator<Item = S>,
) -> Result<(String, Output)> {
    start(cx, program, args, OutputProgress::Lines).await
}

pub(crate) fn failed(command: String, output: &Output) -> Error {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Error::other(ToolError::Failed { command, exit: output.exit, stderr })
}

#[cfg(any(feature = "lvm", feature = "system"))]
pub(crate) fn unreadable(command: &str, reason: &dyn std::fmt::Display) -> Error {
    Error::other(ToolError::Unreadable { command: command.to_owned(), reason: reason.to_string() })
}

/// Returns an error unless the program exists. The program is not run.
#[cfg(any(feature = "lvm", feature = "system", feature = "systemd"))]
pub(crate) async fn require(cx: &Context, program: &str) -> Result<()> {
    let path = cx.system().env("PATH").filter(|path| !path.is_empty());
    for directory in path.as_deref().unwrap_or(DEFAULT_PATH).split(':') {
        let lookup = cx.system().files().metadata(&Path::new(directory).join(program), Follow::Links).await;
        // A directory that cannot be searched is skipped.
        if let Ok(Some(metadata)) = lookup
            && metadata.kind == FileKind::File
        {
            return Ok(());
        }
    }
    Err(Error::other(ToolError::Missing { program: program.to_owned() }))
}

/// Returns a message about the missing program in an error, if a pending change may install it.
pub(crate) fn may_come(cx: &Context, error: &Error) -> Option<String> {
    let Error::Other(other) = error else { return None };
    match other.downcast_ref::<ToolError>() {
        Some(ToolError::Missing { program }) if !cx.pending().is_empty() => {
            Some(format!("there is no `{program}` yet"))
        }
        _ => None,
    }
}
