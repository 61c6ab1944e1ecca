//! The search for files that match a pattern, through open directories, without following links.

use std::path::PathBuf;

use converge_sdk::prelude::*;
use converge_sdk::system::{FileKind, Metadata, SystemErrorKind};

use super::filter::{FileFilter, ReadBudget};
use crate::file::descent::Descent;
use crate::file::glob::Glob;

/// The maximum number of matches.
const FOUND: usize = 10_000;

/// The maximum number of directory entries that are looked at.
const SEEN: usize = 1_000_000;

/// The matches in order of their paths, and the number of names left out because they are not UTF-8.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) found: Vec<(String, Metadata)>,
    pub(super) unreadable: usize,
    /// The paths that could not be read, so that they, or everything in them, are left out.
    pub(super) denied: Vec<PathBuf>,
}

fn is_denied(error: &Error) -> bool {
    matches!(error, Error::System(error) if error.kind == SystemErrorKind::PermissionDenied)
}

/// Finds everything that matches a pattern and meets the conditions.
pub(super) async fn search(cx: &Context, glob: &Glob, criteria: &FileFilter) -> Result<Hits> {
    let mut hits = Hits::default();
    let root = match cx.system().files().open_dir(glob.root()).await {
        Ok(Some(root)) => root,
        Ok(None) => return Ok(hits),
        Err(error) if error.kind == SystemErrorKind::NotADirectory => return Ok(hits),
        Err(error) => return Err(error.into()),
    };
    let mut descent = Descent::new(root);
    let mut folders = vec![(PathBuf::new(), glob.pattern.start())];
    let (mut count, now) = (0, cx.system().clock().now());
    let mut budget = ReadBudget::default();
    while let Some((path, states)) = folders.pop() {
        cx.check_cancelled()?;
        let folder = match descent.to(&path).await {
            Err(error) if !path.as_os_str().is_empty() && is_denied(&error) => {
                hits.denied.push(glob.root().join(path));
                continue;
            }
            folder => folder?,
        };
        let Some(folder) = folder else { continue };
        let entries = match folder.entries().await {
            Err(error) if !path.as_os_str().is_empty() && error.kind == SystemErrorKind::PermissionDenied => {
                hits.denied.push(glob.root().join(path));
                continue;
            }
            entries => entries?,
        };
        for entry in entries {
            count += 1;
            if count > SEEN {
                return Err(Error::msg(format!("the pattern leads to more than {SEEN} paths")));
            }
            let Some(name) = entry.name.to_str() else {
                hits.unreadable += 1;
                continue;
            };
            let next = glob.pattern.step(&states, name);
            let child = path.join(name);
            if entry.kind == FileKind::Directory && glob.pattern.goes_on(&next) {
                folders.push((child.clone(), next.clone()));
            }
            if !glob.pattern.is_match(&next) {
                continue;
            }
            let Some(metadata) = folder.metadata(&entry.name).await? else { continue };
            if !criteria.fits(&metadata, now) {
                continue;
            }
            match criteria.holds(cx, folder, &entry.name, &mut budget).await {
                Err(error) if is_denied(&error) => {
                    hits.denied.push(glob.root().join(child));
                    continue;
                }
                holds => {
                    if !holds? {
                        continue;
                    }
                }
            }
            if hits.found.len() == FOUND {
                return Err(Error::msg(format!("the pattern finds more than {FOUND} paths")));
            }
            hits.found.push((glob.root().join(child).to_string_lossy().into_owned(), metadata));
        }
    }
    hits.found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(hits)
}
