//! The host side of plugins: finds, starts and calls them.

mod call;
mod describe;
mod error;
mod file;
mod group;
mod handles;
mod image;
mod limits;
mod process;
mod requests;
mod resource;
mod search;
mod stderr_tail;
mod supervisor;
mod test_clock;

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::image::Image;
use self::resource::{PluginMaker, PluginType};
use self::supervisor::{Handshake, Inner, State, start_process};
use crate::sdk::registry::{PluginProblem, PluginStatus, Registry, RegistryError, ResourceType};
use crate::types::intern;

pub use self::error::{PluginError, Problem};
pub use self::file::{PluginFile, PluginOrigin};
pub use self::limits::PluginLimits;
pub use self::search::PluginSearch;

#[cfg(feature = "testing")]
pub(super) use self::describe::schema;

/// A running plugin.
///
/// Each plugin has one process. A process that has ended is started again once. The process ends with the
/// last clone of this value and of the [types](Self::add_to) that it brings, or with [`end`](Self::end).
///
/// # Guarantees
///
/// The bytes that run are the bytes that were verified at the start: the process is started from a copy that
/// nobody can change.
#[derive(Clone, Debug)]
pub struct Plugin(Arc<Inner>);

impl Plugin {
    /// Starts a plugin and asks it for its types.
    ///
    /// This blocks the thread.
    ///
    /// # Errors
    ///
    /// If the file does not exist, is not trusted or is not the expected one, or if the plugin violates the
    /// protocol.
    pub fn start(file: PluginFile, limits: PluginLimits) -> Result<Self, PluginError> {
        Self::try_start(&file, limits)
            .map(|(image, said)| {
                let state = State { process: said.process, ends: 0, is_over: false };
                Self(Arc::new(Inner {
                    shown: format!("the plugin `{}`", file.name).into(),
                    file: file.clone(),
                    limits,
                    image,
                    version: said.version,
                    types: said.types,
                    next_task: AtomicU64::new(1),
                    state: Mutex::new(state),
                }))
            })
            .map_err(|problem| PluginError { name: file.name, file: file.path, problem })
    }

    /// Starts plugins and adds their types to a registry; blocks until all are started.
    ///
    /// A pinned plugin that is given several times is started once. If it fails to start, loading a module that
    /// names it reports the error. The errors of the other plugins are returned.
    ///
    /// The plugins end when the returned values are dropped, or with [`end`](Self::end).
    pub fn start_all(
        files: impl IntoIterator<Item = PluginFile>,
        mut registry: Registry,
        limits: PluginLimits,
    ) -> (Registry, Vec<Self>, Vec<PluginError>) {
        let (mut started, mut errors) = (Vec::new(), Vec::new());
        for file in files {
            let pin = match &file.origin {
                PluginOrigin::Found => None,
                PluginOrigin::Pinned { sha256 } => Some((file.name.clone(), sha256.clone())),
            };
            let is_known =
                |(name, sha256): &(String, String)| registry.plugin(name, sha256) != PluginStatus::Unknown;
            if pin.as_ref().is_some_and(is_known) {
                continue;
            }
            let added = Self::start(file, limits).and_then(|plugin| {
                let registry = plugin.add_to(registry.clone())?;
                Ok((registry, plugin))
            });
            let error = match added {
                Ok((with_types, plugin)) => {
                    registry = with_types;
                    started.push(plugin);
                    None
                }
                Err(error) => Some(error),
            };
            match pin {
                Some((name, sha256)) => {
                    let problem = error.map(|error| PluginProblem {
                        message: error.to_string(),
                        help: error.problem.help(),
                    });
                    registry = registry.with_plugin(&name, &sha256, problem);
                }
                None => errors.extend(error),
            }
        }
        (registry, started, errors)
    }

    fn try_start(file: &PluginFile, limits: PluginLimits) -> Result<(Image, Handshake), Problem> {
        let image = match &file.origin {
            PluginOrigin::Found => Image::trusted(&file.path)?,
            PluginOrigin::Pinned { sha256 } => Image::pinned(&file.path, sha256)?,
        };
        let reply = start_process(&image, &file.path, limits)?;
        if let Some(expected) = file.version.as_ref().filter(|version| **version != reply.version) {
            reply.process.end(Duration::ZERO);
            return Err(Problem::Version { expected: expected.clone(), found: reply.version });
        }
        Ok((image, reply))
    }

    /// Returns the name of the plugin.
    pub fn name(&self) -> &str {
        &self.0.file.name
    }

    /// Returns the path of the plugin's file.
    pub fn path(&self) -> &Path {
        &self.0.file.path
    }

    /// Returns the SHA-256 of the running image.
    pub fn sha256(&self) -> &str {
        self.0.image.sha256()
    }

    /// Returns the version that the plugin reports.
    pub fn version(&self) -> &str {
        &self.0.version
    }

    /// Returns the names of the plugin's types, in the order of the plugin.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.0.types.iter().map(|wire_type| wire_type.name.as_str())
    }

    /// Adds the types of the plugin to a registry.
    ///
    /// # Errors
    ///
    /// If the description of a type is invalid, or if a type of that name already exists.
    pub fn add_to(&self, mut registry: Registry) -> Result<Registry, PluginError> {
        let file = &self.0.file;
        let refuse = |problem| PluginError { name: file.name.clone(), file: file.path.clone(), problem };
        let owner = intern::text(&format!("the plugin `{}` ({})", file.name, file.path.display()));
        let owner = owner.map_err(|error| refuse(Problem::Types(error.to_string())))?;
        for wire in &self.0.types {
            let type_error = |problem| refuse(Problem::Type { name: wire.name.clone(), problem });
            let described = describe::describe_type(wire, owner, |name, exports| {
                let plugin = Arc::clone(&self.0);
                let refreshes = wire.refreshes;
                Arc::new(PluginMaker(Arc::new(PluginType {
                    plugin,
                    name,
                    exports: exports.into(),
                    refreshes,
                })))
            });
            let described = described.map_err(type_error)?;
            registry.insert(ResourceType::described(described)).map_err(|error| match error {
                RegistryError::Duplicate { name, first, .. } => {
                    refuse(Problem::Taken { name: name.to_owned(), owner: first.to_owned() })
                }
                RegistryError::Reserved { .. } => {
                    type_error("the module language has that name for itself".to_owned())
                }
                RegistryError::Definition { problem, .. } => type_error(problem),
                error => type_error(error.to_string()),
            })?;
        }
        Ok(registry)
    }

    /// Ends the process by closing its standard input.
    ///
    /// If it does not end within the [grace period](PluginLimits::grace), it is killed with all processes
    /// that it started.
    pub fn end(&self) {
        let process = {
            let mut state = self.0.state();
            state.is_over = true;
            Arc::clone(&state.process)
        };
        process.end(self.0.limits.grace);
    }
}
