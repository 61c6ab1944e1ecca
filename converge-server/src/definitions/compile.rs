//! The compiler from definition files to types.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use converge_controller::registry::Registration;
use converge_controller::{Id, Scope, Type};
use miette::Diagnostic;
use prost_reflect::prost::{DecodeError, Message as _};
use prost_reflect::prost_types::FileDescriptorProto;
use prost_reflect::{DescriptorPool, DynamicMessage, FileDescriptor, ReflectMessage as _, Value};
use protox::Compiler;
use protox::file::File;

use super::compile_error::CompileError;
use super::definition_files::{Texts, is_builtin};
use super::hooks::Described;
use super::rules;

/// The folder prefix of definition files in the list of all files.
pub(crate) const FOLDER: &str = "definitions/";
/// The stack size of the compiler, which recurses for each nested bracket.
///
/// Only the used part takes memory.
const STACK: usize = 128 * 1024 * 1024;
/// The maximum number of reported mistakes.
const MISTAKES: usize = 100;

/// The compiled types of a definition.
pub(crate) struct Compiled {
    /// The types, each with the scope of its resources and the description of their data.
    types: Vec<(Type, Scope, Described)>,
    /// The file descriptors with all imports, each after the files that it imports.
    ///
    /// The files of the definition are in a folder of their own.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The descriptors of the definition's files alone, under their original paths.
    own: Vec<u8>,
    pool: DescriptorPool,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.types()).finish()
    }
}

impl Compiled {
    /// Compiles the files of a group and reports all mistakes.
    ///
    /// Compilation takes a while and runs on a thread of its own. Callers must not block others with it.
    pub(crate) fn new(group: &str, files: &BTreeMap<String, String>) -> Result<Self, Vec<CompileError>> {
        let (group, files) = (group.to_owned(), Arc::new(files.clone()));
        run_with_large_stack(move || compile(&group, &files))
    }

    /// Returns the names of the types.
    pub(crate) fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.iter().map(|(resource_type, ..)| resource_type)
    }

    /// Returns the registrations of the types, which name this definition as their origin.
    pub(super) fn registrations(&self, definition: &Id) -> impl Iterator<Item = Registration> {
        self.types.iter().map(move |(resource_type, scope, data)| {
            let data = Described(data.0.clone());
            Registration::new(
                resource_type.clone(),
                *scope,
                definition.clone().without_uid().to_string(),
                data,
            )
            .defined_by(definition.clone())
        })
    }

    /// Returns the incompatible changes to the earlier files.
    pub(crate) fn breaks(&self, earlier: &BTreeMap<String, String>) -> Vec<CompileError> {
        // Files that no longer compile have no types that could be broken.
        let earlier = earlier.clone();
        let earlier = run_with_large_stack(move || descriptions(&Arc::new(earlier)).map(|(_, own)| own));
        earlier.map(|earlier| rules::breaks(&earlier, &self.own, &self.pool)).unwrap_or_default()
    }
}

/// Runs deeply recursive work on a thread with a large stack.
fn run_with_large_stack<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Vec<CompileError>> + Send + 'static,
) -> Result<T, Vec<CompileError>> {
    let thread = std::thread::Builder::new().name("definitions".to_owned()).stack_size(STACK);
    let working = thread.spawn(work).map_err(|error| failed(&error))?;
    working.join().unwrap_or_else(|_| Err(failed(&"it panicked")))
}

fn failed(error: &dyn fmt::Display) -> Vec<CompileError> {
    vec![CompileError::whole(format!("the compiler has failed: {error}"))]
}

/// Returns the descriptor pool of the files and their imports, and a descriptor set of the files alone.
fn descriptions(
    files: &Arc<BTreeMap<String, String>>,
) -> Result<(DescriptorPool, Vec<u8>), Vec<CompileError>> {
    // An unreadable file does not hide the mistakes in the others.
    let mut mistakes = BTreeSet::new();
    for (path, text) in &**files {
        if let Err(error) = File::from_source(path, text) {
            mistakes.extend(to_mistakes(path, &error, files));
        }
    }
    finish(&mistakes)?;
    let mut compiler = Compiler::with_file_resolver(Texts(Arc::clone(files)));
    compiler.include_imports(true).include_source_info(true);
    for path in files.keys() {
        if let Err(error) = compiler.open_file(path) {
            mistakes.extend(to_mistakes(path, &error, files));
        }
    }
    finish(&mistakes)?;
    let pool = compiler.descriptor_pool();
    let descriptors: Vec<Vec<u8>> = pool
        .files()
        .filter(|file| files.contains_key(file.name()))
        .map(|file| file.encode_to_vec())
        .collect();
    Ok((pool, as_set(&descriptors)))
}

fn compile(group: &str, files: &Arc<BTreeMap<String, String>>) -> Result<Compiled, Vec<CompileError>> {
    let (pool, set) = descriptions(files)?;
    let is_own = |file: &FileDescriptor| files.contains_key(file.name());
    let mut checked = rules::Checked::default();
    rules::check(group, pool.files().filter(is_own), &mut checked);
    finish(&checked.mistakes.into_iter().collect())?;
    let types = checked.types.into_iter();
    let types = types.map(|(resource_type, scope, data)| (resource_type, scope, Described(data))).collect();
    let described = pool.files().map(|file| described(group, &file)).collect::<Result<_, _>>();
    let described = described.map_err(|error: DecodeError| failed(&error))?;
    Ok(Compiled { types, files: described, own: set, pool })
}

fn finish(mistakes: &BTreeSet<CompileError>) -> Result<(), Vec<CompileError>> {
    if mistakes.is_empty() {
        return Ok(());
    }
    let mut excerpt: Vec<CompileError> = mistakes.iter().take(MISTAKES).cloned().collect();
    if mistakes.len() > MISTAKES {
        excerpt
            .push(CompileError::whole(format!("{} more mistakes are not shown", mistakes.len() - MISTAKES)));
    }
    Err(excerpt)
}

/// Encodes file descriptors as a `FileDescriptorSet` that keeps the options of Converge.
fn as_set(files: &[Vec<u8>]) -> Vec<u8> {
    let mut set = Vec::new();
    for file in files {
        prost_reflect::prost::encoding::bytes::encode(1, file, &mut set);
    }
    set
}

/// Returns a file descriptor with its path and imports as they are in the list of all files.
fn described(group: &str, file: &FileDescriptor) -> Result<(String, Vec<u8>), DecodeError> {
    let path =
        |path: &str| if is_builtin(path) { path.to_owned() } else { format!("{FOLDER}{group}/{path}") };
    let name = path(file.name());
    // A dynamic message keeps options that are unknown here.
    let mut message =
        DynamicMessage::decode(FileDescriptorProto::default().descriptor(), file.encode_to_vec().as_slice())?;
    let imports = file.dependencies().map(|import| Value::String(path(import.name()))).collect();
    message.set_field_by_name("name", Value::String(name.clone()));
    message.set_field_by_name("dependency", Value::List(imports));
    Ok((name, message.encode_to_vec()))
}

/// Converts an error of the compiler to mistakes with their places.
fn to_mistakes(name: &str, error: &protox::Error, files: &BTreeMap<String, String>) -> Vec<CompileError> {
    let path = error.file().unwrap_or(name);
    let text = files.get(path).map(String::as_str).unwrap_or_default();
    let mut mistakes = vec![mistake(path, error, text)];
    for other in error.related().into_iter().flatten() {
        mistakes.push(mistake(path, other, text));
    }
    mistakes
}

fn mistake(path: &str, diagnostic: &dyn Diagnostic, text: &str) -> CompileError {
    let place = diagnostic.labels().and_then(|labels| labels.map(|label| label.offset()).max());
    let message = diagnostic.to_string();
    let help = if message.starts_with("import '") && message.ends_with("not found") {
        Some(
            "a definition has all files that it imports, but those of converge/resource and google/protobuf"
                .to_owned(),
        )
    } else if message.contains("'converge.resource.Spec'") {
        Some("it is { scope: SCOPE_NAMESPACE }, SCOPE_PARTITION or SCOPE_CLUSTER".to_owned())
    } else {
        diagnostic.help().map(|help| help.to_string())
    };
    let message = help.map_or_else(|| message.clone(), |help| format!("{message}: {help}"));
    CompileError::at(path, place.map(|offset| line_and_column(text, offset)), message)
}

/// Returns the line and column of a byte offset, both from 1.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
