//! The search for plugins in folders.

use std::path::{Path, PathBuf};

use super::super::PREFIX;
use super::error::{PluginError, Problem};
use super::file::{PluginFile, PluginOrigin};
use super::image::entries;

/// The folders that are searched for plugins: files whose names begin with `converge-plugin-`.
///
/// ```
/// use converge_core::plugin::PluginSearch;
///
/// let (found, problems) = PluginSearch::new().folder("/does/not/exist").find();
/// assert!(found.is_empty());
/// assert_eq!(problems[0].to_string(), "the plugin `*` (/does/not/exist) cannot be looked for: there is no such folder");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSearch {
    folders: Vec<PathBuf>,
}

impl PluginSearch {
    /// Creates a search of no folders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a folder to the search.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Returns the plugins found, ordered by folder and name, and the problems.
    ///
    /// If several plugins have the same name, the first is returned. No plugin is started.
    pub fn find(&self) -> (Vec<PluginFile>, Vec<PluginError>) {
        let (mut plugin_files, mut problems) = (Vec::<PluginFile>::new(), Vec::new());
        for folder in &self.folders {
            let files = match entries(folder) {
                Ok(files) => files,
                Err(error) => {
                    problems.push(PluginError {
                        name: "*".to_owned(),
                        file: folder.clone(),
                        problem: Problem::NotSearched(match error.kind() {
                            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
                            _ => error.to_string(),
                        }),
                    });
                    continue;
                }
            };
            for path in files {
                let Some(name) = name_of(&path) else { continue };
                if !plugin_files.iter().any(|have| have.name == name) {
                    plugin_files.push(PluginFile { name, path, origin: PluginOrigin::Found, version: None });
                }
            }
        }
        (plugin_files, problems)
    }
}

fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // Backup files of editors and package managers have dots and tildes in their names.
    (!name.is_empty() && name.bytes().all(is_part)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(name_of(Path::new(path)).as_deref(), expect, "{path}");
        };
        check("/p/converge-plugin-acme", Some("acme"));
        check("/p/converge-plugin-acme-web_2", Some("acme-web_2"));
        check("/p/converge-plugin-", None);
        check("/p/converge-plugin-acme~", None);
        check("/p/converge-plugin-acme.d", None);
        check("/p/converge", None);
        check("/", None);
    }
}
