//! The module files that an editor works on, with their current text.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::index::{Declared, ModuleIndex};
use crate::sdk::registry::Registry;
use crate::syntax::ByteRange;
use converge_load::TypeTable;
use converge_source::{Reading, Source, Sources};

/// A set of module files: those open in an editor, and others as read from their source.
///
/// A workspace answers questions about positions: completions, declarations, uses and renames. It works on
/// incomplete and invalid text and never runs anything. All knowledge comes from the texts and the schemas of
/// the types. Parameters have no values, and environment variables are not read.
///
/// Positions are byte offsets. An offset beyond the text or inside a character means the nearest valid one
/// before it.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::assist::Workspace;
/// use converge_core::load::{Source, Sources};
///
/// let registry = Registry::new();
/// let mut workspace = Workspace::new(&registry, Sources::new());
/// let site = Source::file("site.hcl");
/// let text = "param \"port\" { default = 80 }\nparam \"next\" { default = param.po }\n";
/// workspace.open(site.clone(), text.into());
/// let at = text.find("po }").map_or(0, |at| at + 2);
/// let completions = workspace.complete(&site, at).items;
/// assert_eq!(completions[0].label, "port");
/// ```
#[derive(Debug)]
pub struct Workspace<'r> {
    pub(super) types: TypeTable<'r>,
    sources: Sources,
    open: HashMap<Source, Arc<str>>,
    files: Vec<Source>,
    indexes: RefCell<HashMap<Source, Arc<ModuleIndex>>>,
    /// Texts read for the current question, so that a file has one text throughout the question.
    read: RefCell<HashMap<Source, Option<Arc<str>>>>,
    /// The files of each module, cached for the current question.
    parts: RefCell<HashMap<Source, Arc<[Source]>>>,
    /// The callers of each file, cached for the current question.
    callers: RefCell<Option<Arc<Callers>>>,
    work: Cell<Work>,
}

/// The callers of each module: the calling file, and the name of the call in it.
pub(super) type Callers = HashMap<Source, Vec<(Source, String)>>;

/// A count of the work done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// The number of texts that were parsed.
    pub parsed: u64,
    /// The number of bytes scanned to find the context of a position, in addition to parsing.
    pub scanned: u64,
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Source,
    /// The range of bytes in its text.
    pub range: Range<usize>,
}

/// The maximum number of bytes of closed files that are cached; beyond that, files are read again.
const MAX_CACHED_BYTES: usize = 64 << 20;

impl<'r> Workspace<'r> {
    /// Creates a workspace without open files. `sources` finds and reads the modules that files call.
    pub fn new(registry: &'r Registry, sources: Sources) -> Self {
        Self {
            types: TypeTable::new(registry),
            sources,
            open: HashMap::new(),
            files: Vec::new(),
            indexes: RefCell::default(),
            read: RefCell::default(),
            parts: RefCell::default(),
            callers: RefCell::default(),
            work: Cell::default(),
        }
    }

    /// Returns a copy with the same files and cached texts.
    pub(super) fn copy(&self) -> Self {
        Self {
            types: self.types.clone(),
            sources: self.sources.clone(),
            open: self.open.clone(),
            files: self.files.clone(),
            indexes: RefCell::new(self.indexes.borrow().clone()),
            read: RefCell::new(self.read.borrow().clone()),
            parts: RefCell::default(),
            callers: RefCell::default(),
            work: Cell::default(),
        }
    }

    /// Opens a file with the text of the editor, which is used until the file is closed.
    pub fn open(&mut self, source: Source, text: Arc<str>) {
        self.open.insert(source, text);
    }

    /// Closes a file, whose text comes from its source again.
    pub fn close(&mut self, source: &Source) {
        self.open.remove(source);
    }

    /// Sets the files to search in addition to the open ones.
    pub fn set_files(&mut self, files: Vec<Source>) {
        self.files = files;
    }

    /// Returns the sources through which a loader sees the files of this workspace.
    pub fn sources(&self) -> Sources {
        let texts = self.open.iter().map(|(source, text)| (source.clone(), Arc::clone(text)));
        self.sources.clone().with_texts(texts)
    }

    /// Returns the amount of work done so far.
    pub fn work(&self) -> Work {
        self.work.get()
    }

    pub(super) fn count_scanned(&self, bytes: usize) {
        let work = self.work.get();
        self.work.set(Work { scanned: work.scanned + bytes as u64, ..work });
    }

    /// Begins a question; cached files are read again.
    pub(super) fn begin(&self) {
        self.read.borrow_mut().clear();
        self.parts.borrow_mut().clear();
        *self.callers.borrow_mut() = None;
    }

    /// Returns the callers of each known file.
    pub(super) fn callers(&self, first: &Source) -> Arc<Callers> {
        if let Some(callers) = &*self.callers.borrow() {
            return Arc::clone(callers);
        }
        let mut callers = Callers::new();
        for caller in self.all_files(first) {
            let Some(index) = self.index(&caller) else { continue };
            for call in &index.declared {
                let callee = call.source.as_ref().and_then(|name| self.called(&caller, &name.text));
                if let Some(callee) = callee {
                    callers.entry(callee).or_default().push((caller.clone(), call.id.clone()));
                }
            }
        }
        let callers = Arc::new(callers);
        *self.callers.borrow_mut() = Some(Arc::clone(&callers));
        callers
    }

    /// Returns the text of a file, or `None` if it cannot be read.
    pub fn text(&self, source: &Source) -> Option<Arc<str>> {
        if let Some(text) = self.open.get(source) {
            return Some(Arc::clone(text));
        }
        if let Some(text) = self.read.borrow().get(source) {
            return text.clone();
        }
        let text = self.sources.read(source).ok();
        self.read.borrow_mut().insert(source.clone(), text.clone());
        text
    }

    /// Returns the index of a file, and parses the file again if its text has changed.
    pub(super) fn index(&self, source: &Source) -> Option<Arc<ModuleIndex>> {
        let text = self.text(source)?;
        if let Some(index) = self.indexes.borrow().get(source)
            && (Arc::ptr_eq(&index.text, &text) || index.text == text)
        {
            return Some(Arc::clone(index));
        }
        let index = Arc::new(ModuleIndex::new(text, &self.types));
        let work = self.work.get();
        self.work.set(Work { parsed: work.parsed + 1, ..work });
        let mut indexes = self.indexes.borrow_mut();
        let total_size: usize = indexes.values().map(|index| index.text.len()).sum();
        if total_size > MAX_CACHED_BYTES {
            indexes.retain(|source, _| self.open.contains_key(source));
        }
        indexes.insert(source.clone(), Arc::clone(&index));
        Some(index)
    }

    /// Returns the file or folder that a module names as the source of another module.
    pub(super) fn called(&self, caller: &Source, reference: &str) -> Option<Source> {
        let source = self.sources.beside(caller.directory()).resolve(Some(caller), reference).ok()?;
        self.sources.settle(source, &Reading::default()).ok()
    }

    /// Returns the files of a module: all those of its folder, or the single file.
    pub(super) fn parts(&self, module: &Source) -> Arc<[Source]> {
        if let Some(parts) = self.parts.borrow().get(module) {
            return Arc::clone(parts);
        }
        let members = self.sources.members(&Self::module_of(module), &Reading::default());
        let parts: Arc<[Source]> = match members {
            Ok(Some(members)) => members.into(),
            Ok(None) | Err(_) => Arc::new([module.clone()]),
        };
        self.parts.borrow_mut().insert(module.clone(), Arc::clone(&parts));
        parts
    }

    /// Returns the module that a file is, or is part of.
    pub(super) fn module_of(file: &Source) -> Source {
        let folder = file.directory().and_then(|_| Source::folder_of(Path::new(&**file.name())));
        folder.unwrap_or_else(|| file.clone())
    }

    /// Returns the indexes of all files of a module.
    pub(super) fn indexes_of(&self, module: &Source) -> Vec<(Source, Arc<ModuleIndex>)> {
        let parts = self.parts(module);
        parts.iter().filter_map(|part_source| Some((part_source.clone(), self.index(part_source)?))).collect()
    }

    /// Returns all known files once, with `first` at the beginning.
    pub(super) fn all_files(&self, first: &Source) -> Vec<Source> {
        let mut open: Vec<&Source> = self.open.keys().collect();
        open.sort_by(|a, b| a.name().cmp(b.name()));
        let sources = std::iter::once(first).chain(open).chain(&self.files);
        let mut visited = HashSet::new();
        sources.filter(|source| visited.insert(*source)).cloned().collect()
    }

    /// Returns the declarations of a file in the order of the text, without invalid parts.
    pub fn outline(&self, source: &Source) -> Vec<Symbol> {
        self.begin();
        let Some(index) = self.index(source) else { return Vec::new() };
        let symbol = |one: &super::index::Declared| Symbol {
            kind: one.kind.text.to_string(),
            name: one.short().to_owned(),
            container: one.container().to_owned(),
            range: to_usize_range(&one.range),
            head: to_usize_range(&one.head()),
        };
        index.declared.iter().map(symbol).collect()
    }
}

/// Returns the declarations of a module, each with its file.
pub(super) fn declared_in(
    indexes: &[(Source, Arc<ModuleIndex>)],
) -> impl Iterator<Item = (&Arc<ModuleIndex>, &Declared)> {
    indexes.iter().flat_map(|(_, index)| index.declared.iter().map(move |declaration| (index, declaration)))
}

/// A declaration in the outline of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// The keyword at its head: a resource type, `param`, `module`, `switch`, `case`, `default`.
    pub kind: String,
    /// The name with its type: `file.content.motd`.
    pub name: String,
    /// The path of its container, such as `switch.os/case.linux`; empty at the top of the file.
    pub container: String,
    /// The range of the whole declaration.
    pub range: Range<usize>,
    /// The range of the type and the labels.
    pub head: Range<usize>,
}

pub(super) fn to_usize_range(range: &ByteRange) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Returns the offset, or the nearest character boundary before it.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
