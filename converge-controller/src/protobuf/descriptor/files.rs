//! The `.proto` files of a set of types.

use std::collections::{BTreeMap, BTreeSet};

use super::error::DescriptorError;
use super::names;
use super::{Declaration, FieldType, Link};

/// The path of the file that every resource imports.
pub(super) const ANNOTATIONS: &str = "converge/resource/annotations.proto";
/// The package of the well-known types of protobuf.
const WELL_KNOWN: &str = "google.protobuf";

/// The `.proto` files of a set of types and of all types that these contain.
///
/// Each message or enum has its own file, named after it. Messages that contain each other share the file of
/// the first name. The file of a type therefore does not depend on the other described types.
///
/// ```
/// use converge_controller::StoredMessage;
/// use converge_controller::protobuf::{Declaration, Files};
///
/// /// The length of a track.
/// #[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
/// #[stored(group = "demo", version = "v1")]
/// struct Length {
///     /// In seconds.
///     #[stored(tag = 1)]
///     seconds: u32,
/// }
///
/// let files = Files::from_types([Declaration::for_message::<Length>()])?;
/// let file = files.iter().next().expect("a file");
/// assert_eq!(file.path, "converge/demo/v1/length.proto");
/// assert!(file.to_string().contains("uint32 seconds = 1;"));
/// # Ok::<(), converge_controller::protobuf::DescriptorError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Files {
    files: BTreeMap<String, File>,
}

/// A `.proto` file.
///
/// Its `Display` form can be read by every protobuf compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path below the root, with `/` between folders.
    pub path: String,
    /// The package.
    pub package: &'static str,
    /// The paths of the imported files.
    pub imports: BTreeSet<String>,
    /// The messages and enums, by name.
    pub declarations: Vec<Declaration>,
}

/// The package and name of a type.
type FullName = (&'static str, &'static str);
type Declarations = BTreeMap<FullName, Declaration>;

impl Files {
    /// Creates the files of these types and of all types that these contain.
    ///
    /// # Errors
    ///
    /// Fails if two types have the same name or file, or if types of different packages contain each other.
    pub fn from_types(types: impl IntoIterator<Item = Declaration>) -> Result<Self, DescriptorError> {
        let mut declarations = Declarations::new();
        for declaration in types {
            collect(&mut declarations, declaration)?;
        }
        unique_values(&declarations)?;
        let paths = paths(&declarations)?;
        let mut files: BTreeMap<String, File> = BTreeMap::new();
        for (full_name, declaration) in &declarations {
            let path = &paths[full_name];
            let file = files.entry(path.clone()).or_insert_with(|| File {
                path: path.clone(),
                package: full_name.0,
                imports: BTreeSet::new(),
                declarations: Vec::new(),
            });
            for link in links(declaration) {
                let name = (link.package, link.name);
                let import = paths.get(&name).cloned();
                file.imports.insert(import.unwrap_or_else(|| names::path(link.package, link.name)));
            }
            if is_annotated(declaration) {
                file.imports.insert(ANNOTATIONS.to_owned());
            }
            file.imports.remove(path);
            file.declarations.push(declaration.clone());
        }
        Ok(Self { files })
    }

    /// Iterates over the files, by path.
    pub fn iter(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }

    /// Returns the file with this path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }
}

impl Declaration {
    pub(super) fn full_name(&self) -> FullName {
        match self {
            Self::Message(message) => (message.package, message.name),
            Self::Enum(it) => (it.package, it.name),
        }
    }
}

/// Adds a type and all types that it contains.
fn collect(declarations: &mut Declarations, declaration: Declaration) -> Result<(), DescriptorError> {
    let mut waiting = vec![declaration];
    while let Some(declaration) = waiting.pop() {
        let full_name = declaration.full_name();
        let Some(known_declaration) = declarations.get(&full_name) else {
            let linked_names = links(&declaration).into_iter().filter(|link| link.package != WELL_KNOWN);
            waiting.extend(linked_names.map(|link| (link.declaration)()));
            declarations.insert(full_name, declaration);
            continue;
        };
        if known_declaration.rust_name() != declaration.rust_name() {
            return Err(DescriptorError::NameTaken {
                full_name: format!("{}.{}", full_name.0, full_name.1),
                first: known_declaration.rust_name(),
                second: declaration.rust_name(),
            });
        }
    }
    Ok(())
}

/// Returns the messages and enums that a type names.
fn links(declaration: &Declaration) -> Vec<Link> {
    let Declaration::Message(message) = declaration else { return Vec::new() };
    let of_field = |ty| match ty {
        FieldType::Scalar(_) => None,
        FieldType::Message(link) | FieldType::Enum(link) | FieldType::Reference(link, _) => Some(link),
    };
    message.fields.iter().filter_map(|field| of_field(field.shape.ty)).collect()
}

fn is_annotated(declaration: &Declaration) -> bool {
    let Declaration::Message(message) = declaration else { return false };
    let refers = message.fields.iter().any(|field| matches!(field.shape.ty, FieldType::Reference(..)));
    message.resource.is_some() || refers
}

/// Checks that no enum value has the name of another item.
fn unique_values(declarations: &Declarations) -> Result<(), DescriptorError> {
    let mut owners: BTreeMap<FullName, &'static str> =
        declarations.iter().map(|(name, declaration)| (*name, declaration.rust_name())).collect();
    for declaration in declarations.values() {
        let Declaration::Enum(it) = declaration else { continue };
        for value in &it.values {
            if let Some(second) = owners.insert((it.package, value.name), it.rust_name) {
                let full_name = format!("{}.{}", it.package, value.name);
                return Err(DescriptorError::ValueNameTaken { full_name, first: it.rust_name, second });
            }
        }
    }
    Ok(())
}

/// Returns the path of the file of each type.
fn paths(declarations: &Declarations) -> Result<BTreeMap<FullName, String>, DescriptorError> {
    let reached: BTreeMap<FullName, BTreeSet<FullName>> =
        declarations.keys().map(|name| (*name, reachable(declarations, *name))).collect();
    let mut owners: BTreeMap<String, FullName> = BTreeMap::new();
    let mut paths = BTreeMap::new();
    for (name, declaration) in declarations {
        // These types reach each other. A type without a cycle does not reach itself.
        let ring = reached[name].iter().filter(|other| reached[*other].contains(name));
        let first = ring.min().copied().unwrap_or(*name).min(*name);
        if first.0 != name.0 {
            let (first, second) = (declarations[&first].rust_name(), declaration.rust_name());
            return Err(DescriptorError::RingOfPackages { first, second });
        }
        let path = names::path(first.0, first.1);
        let owner = owners.entry(path.clone()).or_insert(first);
        if *owner != first {
            let (first, second) = (declarations[owner].rust_name(), declaration.rust_name());
            return Err(DescriptorError::PathTaken { path, first, second });
        }
        paths.insert(*name, path);
    }
    Ok(paths)
}

/// Returns all types that a type contains, directly or indirectly.
fn reachable(declarations: &Declarations, from: FullName) -> BTreeSet<FullName> {
    let linked_names = |name: &FullName| {
        let links = declarations.get(name).map(links).unwrap_or_default();
        links.into_iter().map(|link| (link.package, link.name)).filter(|name| declarations.contains_key(name))
    };
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<_> = linked_names(&from).collect();
    while let Some(name) = waiting.pop() {
        if reached.insert(name) {
            waiting.extend(linked_names(&name));
        }
    }
    reached
}
