//! Block devices: resolves their paths, reads their signatures, and finds their users.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Follow, SystemError, SystemErrorKind};
use serde::Deserialize;

use crate::tools;

/// The maximum number of symbolic links to follow, the same as in Linux.
const MAX_LINKS: usize = 40;

/// Resolves the links that lead to a device, such as those in `/dev/disk` and `/dev/mapper`.
///
/// Returns `None` if the device does not exist. Links to directories along the path are not resolved: `/dev`
/// has none.
pub(crate) async fn resolve(cx: &Context, path: &Path) -> Result<Option<PathBuf>> {
    let files = cx.system().files();
    let mut path = plain(path);
    for _ in 0..MAX_LINKS {
        match files.metadata(&path, Follow::Never).await? {
            None => return Ok(None),
            Some(metadata) if metadata.kind != FileKind::Symlink => return Ok(Some(path)),
            Some(_) => {}
        }
        let Some(target) = files.read_link(&path).await? else { return Ok(None) };
        path.pop();
        path = plain(&path.join(target));
    }
    Err(SystemError::file("follow", path, SystemErrorKind::LinkLoop).into())
}

/// Removes `.`, `..` and double slashes from a path.
fn plain(path: &Path) -> PathBuf {
    let mut output = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                output.pop();
            }
            other => output.push(other),
        }
    }
    output
}

/// A signature found on a device: a file system, a partition table, or a member of a RAID.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Signature {
    /// The kind of signature: `ext4`, `gpt`, `LVM2_member` and so on.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    /// The label that somebody gave it.
    label: Option<String>,
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.label {
            Some(label) => write!(f, "{} {label:?}", self.kind),
            None => f.write_str(&self.kind),
        }
    }
}

/// Formats signatures for people, each once.
pub(crate) fn shown(signatures: &[Signature]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for signature in signatures.iter().map(ToString::to_string) {
        if !texts.contains(&signature) {
            texts.push(signature);
        }
    }
    texts.join(", ")
}

pub(crate) async fn signatures(cx: &Context, device: &Path) -> Result<Vec<Signature>> {
    #[derive(Deserialize)]
    struct Report {
        signatures: Vec<Signature>,
    }
    let args = ["--json", "--no-act", &*device.to_string_lossy()];
    let printed = tools::look(cx, "wipefs", args).await?;
    // Some versions print nothing for an empty device.
    if printed.trim().is_empty() {
        return Ok(Vec::new());
    }
    let report: Report =
        serde_json::from_str(&printed).map_err(|reason| tools::unreadable("wipefs --json", &reason))?;
    Ok(report.signatures)
}

/// Formats the reason why a device that is in use cannot be taken.
pub(crate) fn in_use(device: &str, users: &[String]) -> String {
    format!("{device} is in use: {}", users.join("; "))
}

/// Returns the current users of a device.
///
/// They are its mount points, and the devices built on it or on its partitions.
pub(crate) async fn users(cx: &Context, device: &Path) -> Result<Vec<String>> {
    let args = ["--json", "--paths", "--output", "NAME,TYPE,MOUNTPOINT", &*device.to_string_lossy()];
    let printed = tools::look(cx, "lsblk", args).await?;
    let tree: Tree =
        serde_json::from_str(&printed).map_err(|reason| tools::unreadable("lsblk --json", &reason))?;
    let mut users = Vec::new();
    for node in &tree.blockdevices {
        node.add_users(&mut users);
    }
    Ok(users)
}

#[derive(Deserialize)]
struct Tree {
    blockdevices: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    mountpoint: Option<String>,
    /// The devices built on this one. `lsblk` limits the depth itself.
    #[serde(default)]
    children: Vec<Node>,
}

impl Node {
    fn add_users(&self, users: &mut Vec<String>) {
        if let Some(target) = &self.mountpoint {
            users.push(match target.as_str() {
                "[SWAP]" => format!("{} is used for swap", self.name),
                target => format!("{} is mounted at {target}", self.name),
            });
        }
        for child in &self.children {
            // A partition alone does not use the device.
            if child.kind != "part" {
                users.push(format!("{} ({}) is made of it", child.name, child.kind));
            }
            child.add_users(users);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths() {
        let check = |path: &str, expect: &str| assert_eq!(plain(Path::new(path)), Path::new(expect));
        check("/dev/mapper/../dm-0", "/dev/dm-0");
        check("/dev//./sda", "/dev/sda");
        check("/../dev/sda", "/dev/sda");
    }

    /// Uses output recorded from util-linux 2.38.
    #[test]
    fn who_uses_a_device() {
        let check = |printed: &str, expect: &[&str]| {
            let tree: Tree = serde_json::from_str(printed).unwrap();
            let mut users = Vec::new();
            tree.blockdevices.iter().for_each(|node| node.add_users(&mut users));
            assert_eq!(users, expect);
        };
        check(r#"{"blockdevices": [{"name": "/dev/sdb", "type": "disk", "mountpoint": null}]}"#, &[]);
        check(
            r#"{"blockdevices": [{"name": "/dev/sdb", "type": "disk", "mountpoint": null, "children": [
                {"name": "/dev/sdb1", "type": "part", "mountpoint": null},
                {"name": "/dev/sdb2", "type": "part", "mountpoint": "/boot"},
                {"name": "/dev/sdb3", "type": "part", "mountpoint": "[SWAP]"}]}]}"#,
            &["/dev/sdb2 is mounted at /boot", "/dev/sdb3 is used for swap"],
        );
        check(
            r#"{"blockdevices": [{"name": "/dev/nvme0n2", "type": "disk", "mountpoint": null, "children": [
                {"name": "/dev/mapper/data-web", "type": "lvm", "mountpoint": null},
                {"name": "/dev/mapper/data-rest", "type": "lvm", "mountpoint": "/srv/x"}]}]}"#,
            &[
                "/dev/mapper/data-web (lvm) is made of it",
                "/dev/mapper/data-rest (lvm) is made of it",
                "/dev/mapper/data-rest is mounted at /srv/x",
            ],
        );
    }

    #[test]
    fn each_signature_is_shown_once() {
        let signature = |kind: &str, label: Option<&str>| Signature {
            kind: kind.to_owned(),
            label: label.map(str::to_owned),
        };
        let gpt = [signature("gpt", None), signature("gpt", None), signature("PMBR", None)];
        assert_eq!(shown(&gpt), "gpt, PMBR");
        assert_eq!(shown(&[signature("ext4", Some("root"))]), "ext4 \"root\"");
    }
}
