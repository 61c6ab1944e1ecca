//! Scenarios of files, modes, owners and links.

use std::path::Path;

use converge_core::system::{Acl, AclTag, CommitFile, Files, Follow, Ownership, SystemError, WriteFile};

use super::transcript::Place;

/// Describes the file at a path.
pub(super) async fn known(files: &dyn Files, path: &Path) -> Result<String, SystemError> {
    let Some(metadata) = files.metadata(path, Follow::Never).await? else { return Ok("nothing".to_owned()) };
    Ok(format!("{:?} {:04o} {}:{}", metadata.kind, metadata.mode, metadata.uid, metadata.gid))
}

pub(super) async fn text(files: &dyn Files, path: &Path) -> Result<Option<String>, SystemError> {
    let read = files.read(path).await?;
    Ok(read.map(|file| String::from_utf8_lossy(&file.bytes).into_owned()))
}

/// Describes the mode, the access control list and the other attributes of the file at a path.
async fn attributes_of(files: &dyn Files, path: &Path) -> Result<String, SystemError> {
    let metadata = files.metadata(path, Follow::Never).await?;
    let mut words = vec![format!("{:04o}", metadata.map_or(0, |metadata| metadata.mode))];
    for attribute in files.extended_attributes(path, Follow::Never).await?.unwrap_or_default() {
        match Acl::from_bytes(&attribute.value) {
            Some(acl) => words.extend(acl.entries.iter().map(|(tag, bits)| format!("{tag:?}={bits}"))),
            None => words.push(format!("{}={}", attribute.name, String::from_utf8_lossy(&attribute.value))),
        }
    }
    Ok(words.join(" "))
}

async fn tell_of_attributes(place: &mut Place<'_>) {
    let files = place.system.files();
    let file = place.at("listed");
    place.done("attributes of nothing", files.extended_attributes(&file, Follow::Links).await, "None");
    let write = |mode| WriteFile { mode, ..WriteFile::new(b"x") };
    place.done("write a file for a list", files.write(&file, write(Some(0o640))).await, "()");
    let mut acl = Acl::from_mode(0o640);
    acl.entries.extend([(AclTag::User(1), 6), (AclTag::Mask, 6)]);
    let set = async |name: &str, value: &[u8]| files.set_extended_attribute(&file, name, value).await;
    place.done("give it a list", set(Acl::ACCESS, &acl.to_bytes()).await, "()");
    place.done("give it an attribute", set("user.story", b"mine").await, "()");
    let mut broken = acl.clone();
    broken.entries.remove(&AclTag::Mask);
    place.done(
        "a list without a mask",
        set(Acl::ACCESS, &broken.to_bytes()).await,
        "not possible for this path",
    );
    place.done("a default list of a file", set(Acl::DEFAULT, &acl.to_bytes()).await, "permission denied");
    let both = "\"0660 Owner=6 User(1)=6 Group=4 Mask=6 Other=0 user.story=mine\"";
    place.done("it has both", attributes_of(files, &file).await, both);
    place.done("write it with a list", files.write(&file, write(None)).await, "()");
    place.done("it keeps both", attributes_of(files, &file).await, both);
    place.done("write it with a mode", files.write(&file, write(Some(0o604))).await, "()");
    let masked = "\"0604 Owner=6 User(1)=6 Group=4 Mask=0 Other=4 user.story=mine\"";
    place.done("the mode is the mask", attributes_of(files, &file).await, masked);
    place.done("change that mode", files.set_mode(&file, 0o660).await, "()");
    place.done("that is the mask too", attributes_of(files, &file).await, both);
    let remove = async |name: &str| files.remove_extended_attribute(&file, name).await;
    place.done("remove the list", remove(Acl::ACCESS).await, "()");
    place.done("remove the attribute", remove("user.story").await, "()");
    place.done("remove it again", remove("user.story").await, "()");
    place.done("the mode stays", attributes_of(files, &file).await, "\"0660\"");
    place.done("a list like a mode", set(Acl::ACCESS, &Acl::from_mode(0o751).to_bytes()).await, "()");
    place.done("that is a mode", attributes_of(files, &file).await, "\"0751\"");
}

pub(super) async fn tell(place: &mut Place<'_>) {
    tell_of_attributes(place).await;
    let files = place.system.files();
    let (file, link, dir) = (place.at("file"), place.at("link"), place.at("dir"));
    place.done("read what is not there", text(files, &file).await, "None");
    place.done("write a file", files.write(&file, WriteFile::new(b"one")).await, "()");
    place.done("look at it", known(files, &file).await, "\"File 0600 0:0\"");
    place.done("change its mode", files.set_mode(&file, 0o4755).await, "()");
    let ownership = Ownership { uid: Some(12), gid: Some(34) };
    place.done("change its owner", files.set_ownership(&file, ownership, Follow::Links).await, "()");
    place.done("its set-id bits are gone", known(files, &file).await, "\"File 0755 12:34\"");
    place.done("write it again", files.write(&file, WriteFile::new(b"two")).await, "()");
    place.done("it keeps what it had", known(files, &file).await, "\"File 0755 12:34\"");
    place.done("make a directory", files.create_dir(&dir, 0o2775).await, "()");
    place.done("look at the directory", known(files, &dir).await, "\"Directory 2775 0:0\"");
    place.done("make it again", files.create_dir(&dir, 0o755).await, "it exists already");
    place.done("make a link", files.symlink("file".as_ref(), &link).await, "()");
    place.done("look at the link", known(files, &link).await, "\"Symlink 0777 0:0\"");
    place.done("follow it", text(files, &link).await, "Some(\"two\")");
    place.done("read a directory", text(files, &dir).await, "is a directory");
    place.done("list a file", files.read_dir(&file).await, "not a directory");
    place.done("remove a directory as a file", files.remove_file(&dir).await, "is a directory");
    place.done("rename a file to a directory", files.rename(&file, &dir).await, "is a directory");
    let stage = async {
        let mut staged = files.stage(&file).await?;
        staged.write(b"th").await?;
        staged.write(b"ree").await?;
        staged.commit(CommitFile { mode: Some(0o640), ..CommitFile::default() }).await
    };
    place.done("write it piece by piece", stage.await, "()");
    place.done("it has what was given", known(files, &file).await, "\"File 0640 12:34\"");

    let in_place =
        async |path: &str, content: &[u8]| files.write_in_place(&place.folder.join(path), content).await;
    let answers = [
        ("write into a file", in_place("file", b"longer").await, "()"),
        ("write into it through a link", in_place("link", b"via").await, "()"),
        ("write into what is not there", in_place("none", b"x").await, "it does not exist"),
        ("write into a directory", in_place("dir", b"x").await, "is a directory"),
        ("write below a file", in_place("file/x", b"x").await, "not a directory"),
        ("write into a file with a slash", in_place("file/", b"x").await, "not a directory"),
    ];
    for (story, answer, expect) in answers {
        place.done(story, answer, expect);
    }
    place.done("it has what was written last, and no more", text(files, &file).await, "Some(\"via\")");
    place.done("it has kept its mode and owner", known(files, &file).await, "\"File 0640 12:34\"");
    place.done("the link is one still", known(files, &link).await, "\"Symlink 0777 0:0\"");
    let circle = place.at("circle");
    place.done("make a circle", files.symlink("circle".as_ref(), &circle).await, "()");
    place.done("write into a circle", files.write_in_place(&circle, b"x").await, "too many symbolic links");
    // A symbolic link of another user is only followed to files of that user.
    let (theirs, to) = (place.at("theirs"), place.at("file"));
    let foreign = Ownership { uid: Some(2000), gid: None };
    place.done("somebody makes a link", files.symlink(&to, &theirs).await, "()");
    place.done("it is theirs", files.set_ownership(&theirs, foreign, Follow::Never).await, "()");
    let refused = files.write_in_place(&theirs, b"x").await.map_err(|error| error.kind);
    let is_foreign = matches!(refused, Err(converge_core::system::SystemErrorKind::ForeignLink(_)));
    place.add("write into a file through it", is_foreign.to_string(), "true");
    place.done("the file is as it was", text(files, &file).await, "Some(\"via\")");
    names(place, &file).await;
    for path in ["file", "link", "circle", "theirs"] {
        place.done(&format!("remove the {path}"), files.remove_file(&place.at(path)).await, "()");
    }
    place.done("remove the directory", files.remove_dir(&dir).await, "()");
}

/// Tests several names of one file.
async fn names(place: &mut Place<'_>, file: &Path) {
    let files = place.system.files();
    let (name, link, dir) = (place.at("name"), place.at("link"), place.at("dir"));
    let is_same = async || {
        let (first, second) =
            (files.inode(file, Follow::Never).await?, files.inode(&name, Follow::Never).await?);
        Ok::<_, SystemError>(first.is_some() && first == second)
    };
    let links = async || {
        Ok::<_, SystemError>(files.metadata(file, Follow::Never).await?.map(|metadata| metadata.links))
    };
    place.done("give the file another name", files.hard_link(file, &name).await, "()");
    place.done("both are one file", is_same().await, "true");
    place.done("it has two names", links().await, "Some(2)");
    place.done("write into it by the new one", files.write_in_place(&name, b"by name").await, "()");
    place.done("it is the same by the old one", text(files, file).await, "Some(\"by name\")");
    place.done("rename the one to the other", files.rename(file, &name).await, "()");
    place.done("both are there still", is_same().await, "true");
    place.done("write the new name anew", files.write(&name, WriteFile::new(b"anew")).await, "()");
    place.done("it is another file then", is_same().await, "false");
    place.done("the old one has one name", links().await, "Some(1)");
    place.done("take a name that is there", files.hard_link(file, &name).await, "it exists already");
    place.done(
        "link what is not there",
        files.hard_link(&place.at("none"), &place.at("new")).await,
        "it does not exist",
    );
    place.done("link a directory", files.hard_link(&dir, &place.at("new")).await, "is a directory");
    place.done(
        "link a symbolic link",
        files.hard_link(&link, &place.at("new")).await,
        "not possible for this path",
    );
    place.done("remove the new name", files.remove_file(&name).await, "()");
}
