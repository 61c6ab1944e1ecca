//! The files of modules, as they are now.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::index::{Declared, ModuleIndex};
use crate::load::{Reading, Source, Sources, TypeTable};
use crate::sdk::registry::Registry;
use crate::syntax::ByteRange;

/// Files of modules, as they are now: those that an editor has open, and others as they are where they come from.
///
/// It answers what a module means at a place in its text: what could be written there, what a name is and where it is declared, where
/// it is used, and what has to change for it to be called otherwise. It works on texts with mistakes in them, and never runs anything:
/// what it knows is read off the texts and the schemas of the types. No parameter has a value here, and no variable of the environment
/// is looked at.
///
/// Places are byte offsets. One that is outside of a text, or inside a character, means the nearest before it.
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
    /// Texts that were read for the question at hand: of one file it has one text.
    read: RefCell<HashMap<Source, Option<Arc<str>>>>,
    /// The files of the module of each file, once the question at hand has asked for them.
    parts: RefCell<HashMap<Source, Arc<[Source]>>>,
    /// What calls each file, once the question at hand has asked for it.
    callers: RefCell<Option<Arc<Callers>>>,
    work: Cell<Work>,
}

/// By the module that is called: the files that call it, and what the call is named there.
pub(super) type Callers = HashMap<Source, Vec<(Source, String)>>;

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// How many texts were parsed.
    pub parsed: u64,
    /// How many bytes of a text were looked at to find out what stands at a place in it, beside that.
    pub scanned: u64,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub source: Source,
    /// Bytes of its text.
    pub range: Range<usize>,
}

/// How much text of files that are not open is kept read: what is more is read again.
const MOST_KEPT: usize = 64 << 20;

impl<'r> Workspace<'r> {
    /// One with no file open. What modules call is found and read by `sources`.
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

    /// The same files, as they were read.
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

    /// Takes a file as an editor has it, now and until it is closed.
    pub fn open(&mut self, source: Source, text: Arc<str>) {
        self.open.insert(source, text);
    }

    /// Takes a file as it is where it comes from again.
    pub fn close(&mut self, source: &Source) {
        self.open.remove(source);
    }

    /// Says which files there are beside those that are open: names are looked for in all of them.
    pub fn set_files(&mut self, files: Vec<Source>) {
        self.files = files;
    }

    /// How a loader finds the modules as they are here.
    pub fn sources(&self) -> Sources {
        let texts = self.open.iter().map(|(source, text)| (source.clone(), Arc::clone(text)));
        self.sources.clone().with_texts(texts)
    }

    /// What was done so far.
    pub fn work(&self) -> Work {
        self.work.get()
    }

    pub(super) fn count_scanned(&self, bytes: usize) {
        let work = self.work.get();
        self.work.set(Work { scanned: work.scanned + bytes as u64, ..work });
    }

    /// Begins a question: files are read again.
    pub(super) fn begin(&self) {
        self.read.borrow_mut().clear();
        self.parts.borrow_mut().clear();
        *self.callers.borrow_mut() = None;
    }

    /// What calls each of the files that there are.
    pub(super) fn callers(&self, first: &Source) -> Arc<Callers> {
        if let Some(callers) = &*self.callers.borrow() {
            return Arc::clone(callers);
        }
        let mut found = Callers::new();
        for caller in self.all_files(first) {
            let Some(index) = self.index(&caller) else { continue };
            for call in &index.declared {
                let called = call.source.as_ref().and_then(|name| self.called(&caller, &name.text));
                if let Some(called) = called {
                    found.entry(called).or_default().push((caller.clone(), call.id.clone()));
                }
            }
        }
        let found = Arc::new(found);
        *self.callers.borrow_mut() = Some(Arc::clone(&found));
        found
    }

    /// The text of a file; `None` when it cannot be read.
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

    /// What a file declares and uses. It is parsed when its text is not the one of the last time.
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
        let kept: usize = indexes.values().map(|index| index.text.len()).sum();
        if kept > MOST_KEPT {
            indexes.retain(|source, _| self.open.contains_key(source));
        }
        indexes.insert(source.clone(), Arc::clone(&index));
        Some(index)
    }

    /// The place that a module names as the source of another: a file, or a folder.
    pub(super) fn called(&self, caller: &Source, written: &str) -> Option<Source> {
        let source = self.sources.beside(caller.directory()).resolve(Some(caller), written).ok()?;
        self.sources.settle(source, &Reading::default()).ok()
    }

    /// The files of a module: all those of its folder, or the one that it is.
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

    /// The module that a file is, or is part of.
    pub(super) fn module_of(file: &Source) -> Source {
        let folder = file.directory().and_then(|_| Source::folder_of(Path::new(&**file.name())));
        folder.unwrap_or_else(|| file.clone())
    }

    /// What the files of a module declare.
    pub(super) fn indexes_of(&self, module: &Source) -> Vec<(Source, Arc<ModuleIndex>)> {
        let parts = self.parts(module);
        parts.iter().filter_map(|part| Some((part.clone(), self.index(part)?))).collect()
    }

    /// The files that there are, each once: this one first.
    pub(super) fn all_files(&self, first: &Source) -> Vec<Source> {
        let mut open: Vec<&Source> = self.open.keys().collect();
        open.sort_by(|a, b| a.name().cmp(b.name()));
        let all = std::iter::once(first).chain(open).chain(&self.files);
        let mut seen = HashSet::new();
        all.filter(|source| seen.insert(*source)).cloned().collect()
    }

    /// What is written in a file, apart from mistakes: the declarations, in the order of the text.
    pub fn outline(&self, source: &Source) -> Vec<Symbol> {
        self.begin();
        let Some(index) = self.index(source) else { return Vec::new() };
        let symbol = |one: &super::index::Declared| Symbol {
            kind: one.kind.text.to_string(),
            name: one.short().to_owned(),
            container: one.container().to_owned(),
            range: wide(&one.range),
            head: wide(&one.head()),
        };
        index.declared.iter().map(symbol).collect()
    }
}

/// What the files of a module declare, each with the file that it is in.
pub(super) fn declared_in(
    indexes: &[(Source, Arc<ModuleIndex>)],
) -> impl Iterator<Item = (&Arc<ModuleIndex>, &Declared)> {
    indexes.iter().flat_map(|(_, index)| index.declared.iter().map(move |one| (index, one)))
}

/// Something that a file declares.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// The word at its head: a type of resources, `param`, `module`, `switch`, `case`, `default`.
    pub kind: String,
    /// Its name with its type: `file.content.motd`.
    pub name: String,
    /// What it stands in: `switch.os/case.linux`; empty in the file itself.
    pub container: String,
    /// All of it.
    pub range: Range<usize>,
    /// The type and the labels.
    pub head: Range<usize>,
}

pub(super) fn wide(range: &ByteRange) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The offset, or the nearest before it at which a character begins.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
