//! The disks and the kernel of guests: a minimal Debian from its archive, like the image of the hosts.

use std::fs::{self, File};
use std::path::Path;

use converge_tests::guest::EMULATOR;
use converge_tests::guest::recipe::{self, Files};
use converge_tests::host::image::RELEASE;

use super::tools::{install, shell};
use crate::cargo;
use crate::error::Error;

/// Creates the files of guests unless they exist.
///
/// If that is impossible, prints the reason, and tests with guests are skipped.
pub(super) fn make() {
    if let Err(error) = make_files() {
        println!("there are no guests: {error}");
    }
}

fn make_files() -> Result<(), Error> {
    install(EMULATOR, "qemu-system-x86")?;
    install("mke2fs", "e2fsprogs")?;
    let files = Files::new(&cargo::workspace()?.target_directory);
    if files.folder().is_dir() {
        return Ok(());
    }
    install("debootstrap", "debootstrap")?;
    // An unfinished folder of an interrupted run has another name.
    let unfinished = files.folder().with_extension("unfinished");
    crate::files::remove(&unfinished)?;
    let root = unfinished.join("root");
    fs::create_dir_all(&root).map_err(Error::at(&root))?;
    let root_text = root.display().to_string();
    let packages = format!("--include={}", recipe::PACKAGES.join(","));
    shell("debootstrap", &["--variant=minbase", &packages, RELEASE, &root_text])?;
    for (path, text) in [recipe::AGENT, recipe::UNIT] {
        let path = root.join(path);
        fs::write(&path, text).map_err(Error::at(&path))?;
    }
    shell("chroot", &[&root_text, "sh", "-e", "-c", recipe::SETUP])?;
    let finished = |path: std::path::PathBuf| unfinished.join(path.file_name().unwrap_or_default());
    rename(&root.join("vmlinuz"), &finished(files.kernel()))?;
    let disk = finished(files.root()).display().to_string();
    shell("mke2fs", &["-q", "-t", "ext4", "-d", &root_text, &disk, recipe::ROOT_SIZE])?;
    let blank = finished(files.blank());
    let result = File::create(&blank).and_then(|file| file.set_len(recipe::DISK_SIZE));
    result.map_err(Error::at(&blank))?;
    crate::files::remove(&root)?;
    rename(&unfinished, files.folder())
}

/// Removes the files of guests.
pub(super) fn remove() -> Result<(), Error> {
    crate::files::remove(Files::new(&cargo::workspace()?.target_directory).folder())
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    fs::rename(from, to).map_err(Error::at(to))
}
