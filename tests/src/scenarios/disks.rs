//! Scenarios of full and read-only disks, and of files that cannot be replaced.

use std::path::Path;

use converge_core::system::{CommitFile, Disk, Follow, ModelSystem, Ownership, WriteFile};

use super::files::{known, text};
use super::transcript::Place;

/// The script that creates the disks.
///
/// Both have a file and a directory. The full disk has no space for bytes or names.
pub(super) const SCRIPT: &str = r#"set -eu
mkdir full ro
mount -t tmpfs -o size=64k,nr_inodes=12 stories full
mount -t tmpfs stories ro
for disk in full ro; do
  printf content > $disk/file
  chmod 0644 $disk/file
  mkdir $disk/dir
done
dd if=/dev/zero of=full/filler bs=1024 2> /dev/null || true
number=0
while sh -c ': > "$1"' sh full/more$number 2> /dev/null; do number=$((number + 1)); done
mount -o remount,ro ro
printf content > mounted
printf content > behind
chmod 0644 mounted behind
mount --bind behind mounted
"#;

pub(super) fn model(model: ModelSystem, folder: &Path) -> ModelSystem {
    let model = model.with_mounted_file(folder.join("mounted"), "content");
    [("full", Disk::Full), ("ro", Disk::ReadOnly)].into_iter().fold(model, |model, (name, disk)| {
        let disk_root = folder.join(name);
        model
            .with_file(disk_root.join("file"), "content")
            .with_dir(disk_root.join("dir"))
            .with_disk(disk_root, disk)
    })
}

const BUSY: &str = "Device or resource busy (os error 16)";
const ELSEWHERE: &str = "Invalid cross-device link (os error 18)";

pub(super) async fn tell(place: &mut Place<'_>) {
    full(place).await;
    read_only(place).await;
    mounted(place).await;
}

async fn full(place: &mut Place<'_>) {
    let files = place.system.files();
    let path_at = |name: &str| place.folder.join("full").join(name);
    let (file, new, dir, moved) = (path_at("file"), path_at("new"), path_at("dir"), path_at("moved"));
    place.done(
        "full: write a file anew",
        files.write(&file, WriteFile::new(b"longer than it was")).await,
        "no space left on device",
    );
    place.done(
        "full: give a file another name",
        files.hard_link(&file, &new).await,
        "no space left on device",
    );
    let other_disk = place.at("other-disk");
    place.done(
        "full: give it one on another disk",
        files.hard_link(&file, &other_disk).await,
        "the file is on another file system, and a hard link is on the same one",
    );
    place.done(
        "full: write a new file",
        files.write(&new, WriteFile::new(b"x")).await,
        "no space left on device",
    );
    place.done(
        "full: write an empty file",
        files.write(&new, WriteFile::new(b"")).await,
        "no space left on device",
    );
    place.done("full: stage a file", files.stage(&new).await.map(|_| ()), "no space left on device");
    place.done(
        "full: write a file over a directory",
        files.write(&dir, WriteFile::new(b"x")).await,
        "is a directory",
    );
    place.done("full: make a directory", files.create_dir(&new, 0o755).await, "no space left on device");
    place.done("full: make one that is there", files.create_dir(&dir, 0o755).await, "it exists already");
    place.done("full: make a link", files.symlink("file".as_ref(), &new).await, "no space left on device");
    place.done("full: nothing is left of all that", known(files, &new).await, "\"nothing\"");
    place.done("full: the file is as it was", text(files, &file).await, "Some(\"content\")");
    place.done("full: write into it as much as it has", files.write_in_place(&file, b"CONTENT").await, "()");
    place.done("full: write into it less than it has", files.write_in_place(&file, b"less").await, "()");
    place.done("full: it has that", text(files, &file).await, "Some(\"less\")");
    place.done(
        "full: write into it more than there is room",
        files.write_in_place(&file, &vec![b'x'; 200_000]).await,
        "no space left on device",
    );
    place.done("full: change its mode", files.set_mode(&file, 0o600).await, "()");
    place.done("full: rename it", files.rename(&file, &moved).await, "()");
    place.done(
        "full: take it to another disk",
        files.rename(&moved, &place.folder.join("moved")).await,
        ELSEWHERE,
    );
    place.done("full: remove it", files.remove_file(&moved).await, "()");
    place.done("full: remove the directory", files.remove_dir(&dir).await, "()");
}

async fn read_only(place: &mut Place<'_>) {
    let files = place.system.files();
    let path_at = |name: &str| place.folder.join("ro").join(name);
    let (file, missing_file, dir) = (path_at("file"), path_at("none"), path_at("dir"));
    place.done("read-only: read a file", text(files, &file).await, "Some(\"content\")");
    for (story, path) in [("a file anew", &file), ("a new file", &missing_file)] {
        place.done(
            &format!("read-only: write {story}"),
            files.write(path, WriteFile::new(b"x")).await,
            "the file system is read-only",
        );
        place.done(
            &format!("read-only: stage {story}"),
            files.stage(path).await.map(|_| ()),
            "the file system is read-only",
        );
    }
    place.done(
        "read-only: write into a file",
        files.write_in_place(&file, b"x").await,
        "the file system is read-only",
    );
    place.done(
        "read-only: write into what is not there",
        files.write_in_place(&missing_file, b"x").await,
        "it does not exist",
    );
    place.done("read-only: write into a directory", files.write_in_place(&dir, b"x").await, "is a directory");
    place.done(
        "read-only: make a directory",
        files.create_dir(&missing_file, 0o755).await,
        "the file system is read-only",
    );
    place.done("read-only: make one that is there", files.create_dir(&dir, 0o755).await, "it exists already");
    place.done(
        "read-only: make a link",
        files.symlink("file".as_ref(), &missing_file).await,
        "the file system is read-only",
    );
    place.done(
        "read-only: change a mode",
        files.set_mode(&file, 0o600).await,
        "the file system is read-only",
    );
    place.done(
        "read-only: change the mode of nothing",
        files.set_mode(&missing_file, 0o600).await,
        "it does not exist",
    );
    let root = Ownership { uid: Some(1), gid: None };
    place.done(
        "read-only: change an owner",
        files.set_ownership(&file, root, Follow::Links).await,
        "the file system is read-only",
    );
    place.done("read-only: rename", files.rename(&file, &missing_file).await, "the file system is read-only");
    place.done(
        "read-only: rename what is not there",
        files.rename(&missing_file, &path_at("other")).await,
        "the file system is read-only",
    );
    place.done(
        "read-only: take a file to another disk",
        files.rename(&file, &place.folder.join("taken")).await,
        ELSEWHERE,
    );
    place.done("read-only: remove a file", files.remove_file(&file).await, "the file system is read-only");
    place.done(
        "read-only: remove what is not there",
        files.remove_file(&missing_file).await,
        "the file system is read-only",
    );
    place.done(
        "read-only: remove a directory as a file",
        files.remove_file(&dir).await,
        "the file system is read-only",
    );
    place.done("read-only: remove a directory", files.remove_dir(&dir).await, "the file system is read-only");
    place.done("read-only: it is as it was", text(files, &file).await, "Some(\"content\")");
    place.done(
        "read-only: remove where it is mounted",
        files.remove_dir(&place.folder.join("ro")).await,
        BUSY,
    );
}

async fn mounted(place: &mut Place<'_>) {
    let files = place.system.files();
    let (file, new) = (place.at("mounted"), place.at("new"));
    let write = WriteFile { mode: Some(0o600), ..WriteFile::new(b"longer than it was") };
    place.done("mounted: write it", files.write(&file, write).await, "()");
    place.done("mounted: it has that", text(files, &file).await, "Some(\"longer than it was\")");
    place.done("mounted: look at it", known(files, &file).await, "\"File 0600 0:0\"");
    let stage = async {
        let mut staged = files.stage(&file).await?;
        staged.write(b"content").await?;
        staged.commit(CommitFile { mode: Some(0o644), ..CommitFile::default() }).await
    };
    place.done("mounted: write it piece by piece", stage.await, "()");
    place.done("mounted: remove it", files.remove_file(&file).await, BUSY);
    place.done("mounted: rename it", files.rename(&file, &new).await, BUSY);
    place.done("mounted: write another file", files.write(&new, WriteFile::new(b"x")).await, "()");
    place.done("mounted: put that in its place", files.rename(&new, &file).await, BUSY);
    place.done("mounted: remove that", files.remove_file(&new).await, "()");
    place.done("mounted: it is as it was", text(files, &file).await, "Some(\"content\")");
    place.done("mounted: write into it", files.write_in_place(&file, b"written in place").await, "()");
    place.done("mounted: it has that", text(files, &file).await, "Some(\"written in place\")");
    place.done("mounted: change its mode", files.set_mode(&file, 0o640).await, "()");
    place.done("mounted: look at it", known(files, &file).await, "\"File 0640 0:0\"");
}
