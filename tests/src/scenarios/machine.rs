//! Scenarios of users, groups, temporary folders and random numbers.

use std::num::NonZeroU64;

use converge_core::system::WriteFile;

use super::files::known;
use super::transcript::Place;

pub(super) async fn tell(place: &mut Place<'_>) {
    let users = place.system.users();
    let name = |found: Option<converge_core::system::User>| found.map(|user| (user.name, user.uid));
    place.done("a user by name", users.user_by_name("daemon").await.map(name), "Some((\"daemon\", 1))");
    place.done("a user by id", users.user_by_uid(0).await.map(name), "Some((\"root\", 0))");
    place.done("no user", users.user_by_name("nobody-has-this").await.map(name), "None");
    let group = users.group_by_name("nogroup").await.map(|lookup| lookup.map(|group| group.gid));
    place.done("a group", group, "Some(65534)");
    place.done("the groups of a user", users.groups_of("daemon").await, "Some([1])");
    place.done("the groups of nobody", users.groups_of("nobody-has-this").await, "None");
    let listed = users.local_users().await.map(|users| {
        let names = users.iter().filter(|user| ["root", "daemon", "nobody"].contains(&&*user.name));
        (names.map(|user| user.name.clone()).collect::<Vec<_>>(), users.is_sorted_by(|a, b| a.name <= b.name))
    });
    place.done("all users", listed, "([\"daemon\", \"nobody\", \"root\"], true)");
    let listed = users.local_groups().await.map(|groups| groups.iter().any(|group| group.name == "root"));
    place.done("all groups", listed, "true");

    let files = place.system.files();
    let folder = files.temp_dir().await.expect("there is a place for it");
    let other_folder = files.temp_dir().await.expect("there is a place for it");
    place.add("two folders for a while", (folder.path() != other_folder.path()).to_string(), "true");
    place.done("who may use one", known(files, folder.path()).await, "\"Directory 0700 0:0\"");
    let path = folder.path().to_owned();
    place.done("write in it", files.write(&path.join("file"), WriteFile::new(b"x")).await, "()");
    place.done("make a directory in it", files.create_dir(&path.join("dir"), 0o000).await, "()");
    place.done("write in that", files.write(&path.join("dir/file"), WriteFile::new(b"x")).await, "()");
    place.done("make a link in it", files.symlink(place.folder, &path.join("link")).await, "()");
    drop(folder);
    place.done("it is gone", known(files, &path).await, "\"nothing\"");
    let path = other_folder.path().to_owned();
    place.done("remove the other", other_folder.remove().await, "()");
    place.done("it is gone, too", known(files, &path).await, "\"nothing\"");
    place.done(
        "what a link led to is there",
        known(files, place.folder).await.map(|description| description.starts_with("Directory")),
        "true",
    );

    let random = place.system.random();
    let bytes = random.bytes(33).await.map(|bytes| bytes.len());
    place.done("random bytes", bytes, "33");
    let [one, two] = [random.bytes(16).await, random.bytes(16).await];
    place.add("they are others each time", (one != two).to_string(), "true");
    place.add("far too many", random.bytes(1 << 30).await.is_err().to_string(), "true");
    let bound = NonZeroU64::MIN;
    place.done("a number of one", random.below(bound).await, "0");
}
