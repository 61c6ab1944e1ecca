//! The programs under test, as `cargo xtask test` has built them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Returns the folder with the programs of the workspace and with `examples/`.
///
/// `cargo xtask test` builds them before the tests.
///
/// # Panics
///
/// A program is missing, or `converge` or `converge-server` is older than one of its source files.
pub fn programs() -> &'static Path {
    static CHECKED: OnceLock<PathBuf> = OnceLock::new();
    CHECKED.get_or_init(|| {
        // A test is in the folder `deps` inside the profile folder; a program is in the profile folder.
        let executable = std::env::current_exe().expect("a program knows where it is");
        let folder = executable.parent().expect("it is in a folder");
        let folder =
            if folder.ends_with("deps") { folder.parent().expect("it is in a folder") } else { folder };
        let programs = ["converge", "converge-server"].map(|program| folder.join(program));
        if let Some(problem) = programs.iter().find_map(|program| outdated(program)) {
            panic!("{problem}: `cargo xtask test -- -p converge-tests` builds it before the tests run");
        }
        folder.to_owned()
    })
}

/// Returns the reason why a program is out of date, by the list of its source files in `PROGRAM.d`.
fn outdated(program: &Path) -> Option<String> {
    let modified = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified());
    let Ok(built) = modified(program) else { return Some(format!("there is no {}", program.display())) };
    let list = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    let (_, files) = list.split_once(": ")?;
    let newer = |file: &&str| modified(Path::new(file)).is_ok_and(|changed| changed > built);
    let newer = files.split_whitespace().find(newer)?;
    Some(format!("{} is older than {newer}", program.display()))
}
