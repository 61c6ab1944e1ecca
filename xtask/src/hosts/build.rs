//! The image of the hosts: Debian from its archive, with nothing that a test does not need.

use std::fs;
use std::io;
use std::path::Path;

use converge_tests::docker::{self, docker};
use converge_tests::host::{image as recipe, registry};

use super::{install, shell};
use crate::cargo;
use crate::error::Error;

/// Builds the image unless it is there.
pub(super) fn image() -> Result<(), Error> {
    let image = recipe::image();
    if docker(&["image", "inspect", &image]).is_ok() {
        return Ok(());
    }
    install("debootstrap", "debootstrap")?;
    let folder = cargo::workspace()?.target_directory.join("hosts");
    let root = folder.join(recipe::RELEASE);
    remove(&root)?;
    fs::create_dir_all(&folder).map_err(|source| file_error(&folder, source))?;
    let shown = root.display().to_string();
    let packages = format!("--include={}", recipe::PACKAGES.join(","));
    shell("debootstrap", &["--variant=minbase", &packages, recipe::RELEASE, &shown])?;
    shell("chroot", &[&shown, "sh", "-e", "-c", recipe::SETUP])?;
    let settings = root.join("etc/converge-test");
    fs::create_dir_all(&settings).map_err(|source| file_error(&settings, source))?;
    for (name, text) in [("registry.yml", registry::CONFIG), ("htpasswd", registry::HTPASSWD)] {
        let path = settings.join(name);
        fs::write(&path, text).map_err(|source| file_error(&path, source))?;
    }
    println!("importing {image}");
    docker::shell(
        "the import",
        "tar --create --directory \"$1\" . | docker import - \"$2\"",
        &[&shown, &image],
    )?;
    remove(&root)
}

/// Removes a folder, if there is one.
pub(super) fn remove(folder: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(file_error(folder, source)),
        _ => Ok(()),
    }
}

fn file_error(path: &Path, source: io::Error) -> Error {
    Error::File { path: path.display().to_string(), source }
}
