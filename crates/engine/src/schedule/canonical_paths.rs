//! Canonical names of paths: without links in the folders above them.

use std::collections::HashMap;
use std::path::Path;

use crate::system::System;
use crate::types::footprint::{Footprint, Thing};

/// The maximum number of links that are followed for one folder, as in the kernel.
const MAX_LINKS: usize = 40;

/// Resolves the folders of paths on the machine, each once.
///
/// The path itself may be a link: its existence is that of the name.
pub(super) struct CanonicalPaths<'a> {
    system: &'a dyn System,
    /// The canonical names of the folders that were resolved.
    folders: HashMap<String, String>,
}

impl<'a> CanonicalPaths<'a> {
    pub(super) fn new(system: &'a dyn System) -> Self {
        Self { system, folders: HashMap::new() }
    }

    /// Gives all absolute paths of a footprint their canonical names.
    pub(super) async fn resolve(&mut self, footprint: &mut Footprint) {
        for claim in footprint.claims.iter_mut().filter(|claim| claim.thing.is_path()) {
            if let Some((folder, name)) = split(claim.thing.name()) {
                let canonical = self.folder(folder).await;
                if canonical != folder {
                    claim.thing = Thing::path(&join(&canonical, name));
                }
            }
        }
    }

    /// Returns the canonical name of a folder.
    ///
    /// Names that are missing or cannot be read stay as they are.
    async fn folder(&mut self, folder: &str) -> String {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        let mut canonical = String::from("/");
        // The names that are left, the next one last.
        let mut names: Vec<String> = folder.rsplit('/').map(str::to_owned).collect();
        let mut links = 0;
        while let Some(name) = names.pop() {
            match &*name {
                "" | "." => {}
                ".." => canonical = split(&canonical).map_or("/", |(folder, _)| folder).to_owned(),
                _ => {
                    let next = join(&canonical, &name);
                    let target = match self.system.files().read_link(Path::new(&next)).await {
                        Ok(Some(target)) if links < MAX_LINKS => target.to_str().map(str::to_owned),
                        _ => None,
                    };
                    match target {
                        Some(target) => {
                            links += 1;
                            if target.starts_with('/') {
                                canonical = String::from("/");
                            }
                            names.extend(target.rsplit('/').map(str::to_owned));
                        }
                        None => canonical = next,
                    }
                }
            }
        }
        self.folders.insert(folder.to_owned(), canonical.clone());
        canonical
    }
}

/// Splits an absolute path into its folder and its name.
fn split(path: &str) -> Option<(&str, &str)> {
    let (folder, name) = path.rsplit_once('/').filter(|_| path.starts_with('/'))?;
    let folder = if folder.is_empty() { "/" } else { folder };
    (!name.is_empty()).then_some((folder, name))
}

fn join(folder: &str, name: &str) -> String {
    let slash = if folder.ends_with('/') { "" } else { "/" };
    [folder, slash, name].concat()
}
