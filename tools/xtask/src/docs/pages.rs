//! The generated pages of `docs`.

use std::fs;
use std::path::Path;

use converge_tests::pages::{self, Pages, Stale};

use crate::cargo;
use crate::error::Error;

/// Writes the pages, or fails with the names of the outdated ones.
pub(super) fn run(check: bool) -> Result<(), Error> {
    cargo::build_programs()?;
    let programs = cargo::workspace()?.target_directory.join("debug");
    let pages = Pages::generate(&programs).map_err(Error::at(&programs))?;
    let stale = pages.stale(&cargo::root()).map_err(Error::at(Path::new(pages::FOLDER)))?;
    if check {
        let pages: Vec<String> = stale.iter().map(ToString::to_string).collect();
        return if pages.is_empty() { Ok(()) } else { Err(Error::StalePages { pages }) };
    }
    for page in &stale {
        println!("{page}");
        let path = cargo::root().join(page.path());
        match page {
            Stale::Extra(_) => fs::remove_file(&path).map_err(Error::at(&path))?,
            Stale::Missing(_) | Stale::Differs(_) => {
                fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(Error::at(&path))?;
                fs::write(&path, pages.text(page.path())).map_err(Error::at(&path))?;
            }
        }
    }
    Ok(())
}
