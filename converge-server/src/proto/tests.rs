use converge_controller::StoredMessage;
use converge_controller::protobuf::Declaration;
use tempfile::TempDir;

use super::*;

/// A length.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v1")]
struct Length {
    #[stored(tag = 1)]
    seconds: u32,
}

/// The same type with another meaning of a field number.
mod later {
    use super::StoredMessage;

    /// A length.
    #[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
    #[stored(group = "demo", version = "v1")]
    pub(super) struct Length {
        #[stored(tag = 1)]
        minutes: u32,
    }
}

fn export<T: StoredMessage>() -> Export {
    Export::new(Files::from_types([Declaration::for_message::<T>()]).unwrap())
}

const FILE: &str = "converge/demo/v1/length.proto";

/// Returns a folder with an export.
fn exported() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let written_files = export::<Length>().write(folder.path(), false).unwrap();
    let changed = [SET, FILE].map(|name| folder.path().join(name)).to_vec();
    assert_eq!(written_files, Written { changed, unchanged: 0 });
    folder
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, ExportError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_second_time_there_is_nothing_to_write() {
    let folder = exported();
    assert_eq!(export::<Length>().write(folder.path(), false).unwrap().unchanged, 2);
    assert_eq!(export::<Length>().check(folder.path()).unwrap().unchanged, 2);
    fs::remove_file(folder.path().join(FILE)).unwrap();
    let outdated = refused(export::<Length>().check(folder.path()));
    assert!(outdated.contains("length.proto does not match the current types"), "{outdated}");
    assert_eq!(export::<Length>().write(folder.path(), false).unwrap().unchanged, 1);
}

#[test]
fn what_breaks_stored_data_is_refused_unless_it_is_accepted() {
    let folder = exported();
    let before = fs::read_to_string(folder.path().join(FILE)).unwrap();
    for result in [
        export::<later::Length>().write(folder.path(), false),
        export::<later::Length>().check(folder.path()),
    ] {
        let breaking = refused(result);
        let expect = "number 1 of converge.demo.v1.Length was called seconds and is called minutes";
        assert!(breaking.contains(expect), "{breaking}");
    }
    assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap(), before);
    export::<later::Length>().write(folder.path(), true).unwrap();
    assert!(fs::read_to_string(folder.path().join(FILE)).unwrap().contains("minutes"));
}

#[test]
fn what_is_not_of_this_making_stays() {
    for (name, content) in [(FILE, "syntax = \"proto3\";\n"), (SET, "no descriptors")] {
        let folder = exported();
        fs::write(folder.path().join(name), content).unwrap();
        // The other file is missing, so an export would have something to write, but is refused.
        let remaining_file = if name == SET { FILE } else { SET };
        fs::remove_file(folder.path().join(remaining_file)).unwrap();
        let foreign = refused(export::<Length>().write(folder.path(), true));
        assert!(foreign.contains("was not written by this command"), "{foreign}");
        assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), content);
        assert!(!folder.path().join(remaining_file).exists());
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = refused(export::<Length>().write(&file.path().join("below"), false));
    assert!(error.contains("below") && error.contains("Not a directory"), "{error}");
}
