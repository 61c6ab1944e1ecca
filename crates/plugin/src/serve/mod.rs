//! The plugin side: serves the types of a registry to a host.

mod call;
mod describe;
mod host_link;
mod system;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use self::call::Calls;
use self::host_link::Link;
use super::protocol::{FromHost, FromPlugin, LONGEST_LINE, Method, PROTOCOL, WireType};
use crate::sdk::registry::{Registry, RegistryError};
use converge_value::debug_as_text;

/// The reason why a program cannot serve as a plugin.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Types of the registry contradict each other.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A type needs application state, which no plugin has.
    #[error(
        "`{name}` needs a `{state}` of its program (`#[preparer(needs = ..)]`), and a plugin has none to give"
    )]
    NeedsState {
        /// The name of the type.
        name: &'static str,
        /// The type of the state.
        state: &'static str,
    },
    /// The registry has a function.
    ///
    /// Functions are evaluated by the program that loads a module.
    #[error("the registry has the function `{0}`: a plugin provides resource types, but no functions")]
    Function(&'static str),
    /// The program was started by hand.
    #[error(
        "this is a plugin of converge and cannot be run directly: name its folder with --plugin-dir or CONVERGE_PLUGIN_PATH, or the file in a \
         `plugin` block of a module"
    )]
    ByHand,
    /// The host offers no supported protocol version.
    #[error("the host speaks the versions {offered:?} of the protocol, and this plugin {PROTOCOL}")]
    Protocol {
        /// The protocol versions that the host offers.
        offered: Vec<u32>,
    },
    /// A message of the host cannot be parsed.
    #[error("the host sent an invalid message: {0}")]
    Host(String),
    /// The standard streams or the threads cannot be set up.
    #[error("cannot speak with the host: {0}")]
    Io(#[from] io::Error),
}

debug_as_text!(ServeError);

/// Serves types to the host that started this process, until the host closes the standard input.
///
/// Call it from `main`, outside of any async runtime; [`plugin!`](crate::plugin!) does so. Output that the
/// process prints to its standard output is redirected to standard error, so that it does not corrupt the
/// protocol.
pub fn serve_types(registry: Result<Registry, RegistryError>, version: &str) -> ExitCode {
    let served = registry.map_err(ServeError::from).and_then(|registry| serve(&registry, version));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // An error of writing the error has no one to be reported to.
            drop(writeln!(io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Like [`serve_types`], but returns the error.
///
/// # Errors
///
/// See [`ServeError`].
pub fn serve(registry: &Registry, version: &str) -> Result<(), ServeError> {
    if let Some(function) = registry.functions().iter().next() {
        return Err(ServeError::Function(function.name()));
    }
    let mut types = Vec::new();
    for resource_type in registry.iter() {
        if let Some(need) = resource_type.needs().first() {
            return Err(ServeError::NeedsState { name: resource_type.name(), state: need.type_name() });
        }
        types.push(describe::describe(resource_type));
    }
    if io::stdin().is_terminal() {
        return Err(ServeError::ByHand);
    }
    let link = Arc::new(Link::new(take_stdout()?));
    let mut lines = BufReader::new(io::stdin().lock());
    let protocols = match read(&mut lines)? {
        Some(FromHost::Hello { protocols, .. }) => protocols,
        Some(_) => return Err(ServeError::Host("it did not say hello".to_owned())),
        None => return Ok(()),
    };
    if !protocols.contains(&PROTOCOL) {
        return Err(ServeError::Protocol { offered: protocols });
    }
    link.send(&FromPlugin::Hello { protocol: PROTOCOL, version: version.to_owned() });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut calls = Calls::new(registry.clone(), Arc::clone(&link), runtime.handle().clone());
    let served = listen(&mut lines, &mut calls, &link, &types);
    // Calls that still run have no host to ask.
    runtime.shutdown_background();
    served
}

/// Handles messages of the host until it closes the stream.
fn listen(
    lines: &mut impl io::BufRead,
    calls: &mut Calls,
    link: &Arc<Link>,
    types: &[WireType],
) -> Result<(), ServeError> {
    while let Some(message) = read(lines)? {
        match message {
            FromHost::Hello { .. } => return Err(ServeError::Host("it sent hello twice".to_owned())),
            FromHost::Call { id, method: Method::Schema, .. } => {
                let types = serde_json::json!({ "types": types });
                link.send(&FromPlugin::Result { id, ok: Some(types), error: None });
            }
            FromHost::Call { id, method, task, resource, fields, context } => {
                let (Some(task), Some(context)) = (task, context) else {
                    return Err(ServeError::Host(format!("the call {id} has no task or no context")));
                };
                calls.begin(call::Call { id, method, task, resource, fields, context });
            }
            FromHost::Cancel { id } => calls.cancel(id),
            FromHost::Abandon { id } => calls.abandon(id),
            FromHost::Drop { task } => calls.forget(task),
            FromHost::Answer { ask, ok, error, .. } => link.answer(ask, error.map_or(Ok(ok), Err)),
            FromHost::Printed { ask, stream, bytes, .. } => link.printed(ask, stream, &bytes.0),
        }
    }
    Ok(())
}

/// Reads the next message; `None` at the end of the stream.
///
/// A line is limited in length.
fn read(lines: &mut impl io::BufRead) -> Result<Option<FromHost>, ServeError> {
    let mut line = Vec::new();
    if lines.by_ref().take(LONGEST_LINE as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() >= LONGEST_LINE && line.last() != Some(&b'\n') {
        return Err(ServeError::Host(format!("a line has more than {} MiB", LONGEST_LINE >> 20)));
    }
    serde_json::from_slice(&line).map(Some).map_err(|error| ServeError::Host(error.to_string()))
}

/// Takes the standard output for the protocol, and redirects later prints to standard error.
#[cfg(unix)]
fn take_stdout() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd as _;

    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr().as_fd())?;
    Ok(stdout.into())
}

/// Takes the standard output for the protocol.
///
/// Later prints are not redirected.
///
/// Windows has no safe way to redirect them. The host treats such output as a protocol error.
#[cfg(windows)]
fn take_stdout() -> io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle as _;

    Ok(io::stdout().as_handle().try_clone_to_owned()?.into())
}
