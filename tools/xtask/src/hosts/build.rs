//! The image of the hosts: a minimal Debian from its archive.

use std::fs;

use converge_tests::docker::{self, docker};
use converge_tests::host::image as recipe;

use super::tools::{install, shell};
use crate::cargo;
use crate::error::Error;
use crate::files;

/// Builds the image unless it exists.
pub(super) fn image() -> Result<(), Error> {
    let image = recipe::image();
    if docker(&["image", "inspect", &image]).is_ok() {
        return Ok(());
    }
    install("debootstrap", "debootstrap")?;
    let folder = cargo::workspace()?.target_directory.join("hosts");
    let root = folder.join(recipe::RELEASE);
    files::remove(&root)?;
    fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
    let root_text = root.display().to_string();
    let packages = format!("--include={}", recipe::PACKAGES.join(","));
    shell("debootstrap", &["--variant=minbase", &packages, recipe::RELEASE, &root_text])?;
    shell("chroot", &[&root_text, "sh", "-e", "-c", recipe::SETUP])?;
    let settings = root.join("etc/converge-test");
    fs::create_dir_all(&settings).map_err(Error::at(&settings))?;
    for (name, text) in [("registry.yml", recipe::REGISTRY_CONFIG), ("htpasswd", recipe::REGISTRY_USERS)] {
        let path = settings.join(name);
        fs::write(&path, text).map_err(Error::at(&path))?;
    }
    println!("importing {image}");
    docker::shell(
        "the import",
        "tar --create --directory \"$1\" . | docker import - \"$2\"",
        &[&root_text, &image],
    )?;
    files::remove(&root)
}
