//! Tests of files that are not stores, and of files in use.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use ::redb::{Database, TableDefinition};

use super::{CHILD, block_on, child, resource, store};
use crate::storage::{Backend as _, OpenError, Redb};

/// Returns the error for a file, with `PATH` in place of its path.
async fn refused(path: &Path) -> String {
    let error = Redb::open(path).await.expect_err("it cannot be opened");
    error.to_string().replace(&path.display().to_string(), "PATH")
}

#[tokio::test]
async fn a_new_store_is_for_its_user_alone() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("new").join("folder");
    let path = folder.join("resources.redb");
    drop(Redb::open(&path).await.unwrap());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&folder), mode(folder.parent().unwrap())), (0o600, 0o700, 0o700));
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [path]);
}

#[tokio::test]
async fn a_store_is_refused_while_it_is_in_use() {
    let (folder, store) = store().await;
    let path = folder.path().join("resources.redb");
    assert_eq!(
        refused(&path).await,
        "PATH is in use by this process: a store in a file is for one process at a time. Stop that process, or give this one another file"
    );
    drop(store);
    // The drop closes the file immediately.
    drop(Redb::open(&path).await.unwrap());
}

#[test]
fn the_process_that_uses_a_store_is_named() {
    if let Some(path) = std::env::var_os(CHILD) {
        block_on(async {
            let _store = Redb::open(path).await.unwrap();
            writeln!(std::io::stdout(), "open").unwrap();
            // Waits until the other process has tried to open the file.
            std::io::stdin().read_line(&mut String::new()).unwrap();
        });
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("resources.redb");
    let mut child_process = child("files::the_process_that_uses_a_store_is_named", &path);
    let mut lines = BufReader::new(child_process.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().ends_with("open")));
    let error = block_on(Redb::open(&path)).expect_err("it is in use");
    assert!(
        matches!(error, OpenError::InUse { process: Some(process), .. } if process == child_process.id()),
        "{error:?}"
    );
    assert!(error.to_string().contains(&format!("is in use by process {}: ", child_process.id())), "{error}");
    child_process.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(child_process.wait().unwrap().success());
    drop(lines);
    drop(block_on(Redb::open(&path)).unwrap());
}

#[tokio::test]
async fn what_is_no_store_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        Redb::open(folder.path()).await.unwrap_err().to_string(),
        format!(
            "{} is a folder: give a file in it, such as {}",
            folder.path().display(),
            folder.path().join("resources.redb").display()
        )
    );

    let path = folder.path().join("file");
    let big_text = "not a store\n".repeat(10_000);
    for text in ["not a store", &big_text] {
        fs::write(&path, text).unwrap();
        assert_eq!(
            refused(&path).await,
            "PATH is not a store of resources (it is another kind of file): give another file, or move this one away"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    fs::write(&path, "").unwrap();
    assert_eq!(
        refused(&path).await,
        "PATH is damaged (it is empty): put a copy of it in its place, or move it away to begin with an empty store"
    );

    fs::remove_file(&path).unwrap();
    let database = Database::create(&path).unwrap();
    let write = database.begin_write().unwrap();
    drop(write.open_table(TableDefinition::<u64, u64>::new("numbers")).unwrap());
    write.commit().unwrap();
    drop(database);
    assert_eq!(
        refused(&path).await,
        "PATH is not a store of resources (it is a database of another program): give another file, or move this one away"
    );

    let nested_path = path.join("resources.redb");
    assert_eq!(refused(&nested_path).await, "cannot open PATH: Not a directory (os error 20)");
}

#[tokio::test]
async fn a_store_of_another_format_is_left_to_others() {
    let (folder, store) = store().await;
    drop(store);
    let path = folder.path().join("resources.redb");
    let file = Database::open(&path).unwrap();
    let write = file.begin_write().unwrap();
    write.open_table(TableDefinition::<&str, u64>::new("numbers")).unwrap().insert("format", 2).unwrap();
    write.commit().unwrap();
    drop(file);
    assert_eq!(
        refused(&path).await,
        "PATH is a store of format 2, and this program knows only format 1: open it with the program that wrote it, or a newer one"
    );
}

#[tokio::test]
async fn a_store_that_was_cut_off_is_said_to_be_damaged() {
    let (folder, store) = store().await;
    for number in 0..100 {
        store.write(resource(&format!("a{number}"), number, vec![7; 4_096])).await.unwrap();
    }
    drop(store);
    let path = folder.path().join("resources.redb");
    let bytes = fs::read(&path).unwrap();
    for length in [1, 100, 4_096, 10_000, bytes.len() / 4] {
        fs::write(&path, &bytes[..length]).unwrap();
        let message = refused(&path).await;
        assert!(
            message.starts_with("PATH is damaged (") || message.starts_with("PATH is not a store"),
            "of {length} bytes: {message}"
        );
        assert!(message.contains("move"), "of {length} bytes: {message}");
    }
}
