//! Resolution of names in modules to their declarations, across files.

use std::collections::VecDeque;
use std::sync::Arc;

use super::index::{Declared, LOCAL, ModuleIndex, PARAM, PARAMS};
use super::name_uses::{NameUse, Names};
use super::workspace::Workspace;
use crate::graph::{NodeId, resolve_path};
use crate::types::id::outside_keys;
use converge_source::Source;

/// A resolved declaration.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) source: Source,
    pub(super) index: Arc<ModuleIndex>,
    /// The position in the declarations of its file.
    pub(super) at: usize,
    /// The node id, relative to the file where the lookup began.
    id: String,
}

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.source == other.source
    }
}

impl Found {
    pub(super) fn declared(&self) -> Option<&Declared> {
        self.index.declared.get(self.at)
    }

    /// Returns a declaration with its id relative to its own file.
    pub(super) fn alone(source: &Source, index: &Arc<ModuleIndex>, position: usize) -> Self {
        let id = format!("root/{}", index.declared.get(position).map_or("", |declaration| &declaration.id));
        Self { source: source.clone(), index: Arc::clone(index), at: position, id }
    }

    fn is_within_or_is(&self, other: &Self) -> bool {
        self == other || self.id.strip_prefix(&other.id).is_some_and(|suffix| suffix.starts_with('/'))
    }
}

/// The context of a lookup: a file by itself, or a file as called by another.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// The file at which a load would begin.
    root: Source,
    /// The node of the current file within that load.
    module: NodeId,
}

/// A part of a path, and the declarations that it refers to.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) found: Vec<Found>,
    /// The range of the name in the path.
    pub(super) name: std::ops::Range<usize>,
    /// The offset in the path at which the part ends, including its key.
    pub(super) end: usize,
}

/// A resolved path.
#[derive(Clone, Debug)]
pub(super) struct PathResolution {
    /// The parts from the outside in; the last one is the target of the path.
    pub(super) steps: Vec<Step>,
    /// The field names after the target, which are exports.
    pub(super) field: Vec<String>,
}

/// Limits of a lookup: the number of contexts of a file, and the depth of calls around it.
const MAX_CONTEXTS: usize = 32;
const MAX_CALLS: usize = 8;

impl Workspace<'_> {
    /// Returns the context of a file by itself.
    pub(super) fn alone(source: &Source) -> Context {
        Context { root: source.clone(), module: NodeId::root() }
    }

    /// Returns the contexts of a file: by itself, and as called by each known file.
    ///
    /// A name that the file does not declare is looked up in its callers.
    pub(super) fn contexts(&self, source: &Source) -> Vec<Context> {
        let callers = self.callers(source);
        let mut contexts = vec![Self::alone(source)];
        // Direct callers are visited before indirect ones.
        let mut open = VecDeque::from([(source.clone(), Vec::<String>::new())]);
        while let Some((called, path_below)) = open.pop_front() {
            if contexts.len() >= MAX_CONTEXTS || path_below.len() >= MAX_CALLS {
                break;
            }
            for (caller, call) in callers.get(&Self::module_of(&called)).into_iter().flatten() {
                let path: Vec<String> = std::iter::once(call.clone()).chain(path_below.clone()).collect();
                let module = path.iter().fold(NodeId::root(), |id, part| id.child(part));
                contexts.push(Context { root: caller.clone(), module });
                open.push_back((caller.clone(), path));
            }
        }
        contexts.truncate(MAX_CONTEXTS);
        contexts
    }

    /// Returns the declarations with this id in a load that begins with `root`.
    fn find(&self, root: &Source, id: &str) -> Option<Vec<Found>> {
        let mut source = root.clone();
        let mut local = String::new();
        let mut prefix = "root".to_owned();
        let mut rest = id.strip_prefix("root/")?;
        loop {
            let end = outside_keys(rest).find(|(_, byte)| *byte == b'/').map_or(rest.len(), |(at, _)| at);
            let (segment, after) = rest.split_at(end);
            if !local.is_empty() {
                local.push('/');
            }
            local.push_str(segment);
            let indexes = self.indexes_of(&source);
            let Some(after) = after.strip_prefix('/') else {
                let targets = indexes.iter().flat_map(|(part, index)| {
                    index.find(&local).into_iter().map(|position| Found {
                        source: part.clone(),
                        id: format!(
                            "{prefix}/{}",
                            index.declared.get(position).map_or("", |declaration| &declaration.id)
                        ),
                        index: Arc::clone(index),
                        at: position,
                    })
                });
                let targets: Vec<Found> = targets.collect();
                return (!targets.is_empty()).then_some(targets);
            };
            rest = after;
            let call = indexes.iter().find_map(|(part, index)| {
                let declared = index.declared.get(*index.find(&local).first()?)?;
                Some((part, declared.source.clone()?))
            });
            if let Some((part, source_name)) = call {
                source = self.called(part, &source_name.text)?;
                prefix = format!("{prefix}/{local}");
                local.clear();
            }
        }
    }

    /// Resolves a path in a container (`switch.os/case.linux`, or empty) of a file.
    pub(super) fn resolve(&self, context: &Context, container: &str, path: &str) -> Option<PathResolution> {
        let segments = container.split('/').filter(|segment| !segment.is_empty());
        let container = segments.fold(context.module.clone(), |id, part| id.child(part));
        let resolve = |path: &str| {
            let (targets, field) = resolve_path(&container, path, |id| self.find(&context.root, id))?;
            Some((targets, field.into_iter().map(str::to_owned).collect::<Vec<_>>()))
        };
        let (target, field) = resolve(path)?;
        let last = target.first()?.clone();
        let end = (0..field.len()).fold(path.len(), |end, _| before_last(&path[..end]));
        let mut steps: Vec<Step> = Vec::new();
        let separators = outside_keys(path).filter(|(at, byte)| matches!(byte, b'.' | b'/') && *at < end);
        for end in separators.map(|(at, _)| at).chain([end]) {
            let Some((found, field)) = resolve(&path[..end]) else { continue };
            let is_on_the_way = found.first().is_some_and(|declaration| last.is_within_or_is(declaration))
                && field.is_empty();
            if is_on_the_way && steps.last().is_none_or(|step| step.found != found) {
                let name = name_in(&path[..end], found.first().and_then(Found::declared));
                steps.push(Step { found, name, end });
            }
        }
        Some(PathResolution { steps, field })
    }

    /// Resolves a use in the first context that has a match.
    pub(super) fn resolve_use(
        &self,
        source: &Source,
        index: &ModuleIndex,
        path: &str,
        owner: usize,
    ) -> Option<PathResolution> {
        let container = index.declared.get(owner).map_or("", Declared::container);
        let alone = self.resolve(&Self::alone(source), container, path);
        alone.or_else(|| {
            let contexts = self.contexts(source);
            contexts.iter().skip(1).find_map(|context| self.resolve(context, container, path))
        })
    }

    /// Returns the parameter of a called module.
    pub(super) fn param_of(&self, caller: &Source, call: &Declared, name: &str) -> Option<Found> {
        self.module_value(&self.called(caller, &call.source.as_ref()?.text)?, PARAM, name)
    }

    /// Returns a parameter of a module, or a value of its `locals`.
    fn module_value(&self, module: &Source, kind: &str, name: &str) -> Option<Found> {
        let id = format!("{kind}.{name}");
        let find = |(part, index): &(Source, Arc<ModuleIndex>)| {
            Some(Found::alone(part, index, *index.find(&id).first()?))
        };
        self.indexes_of(module).iter().find_map(find)
    }

    /// Returns the declarations that a use refers to, each with the part of the text that names it.
    pub(super) fn targets(
        &self,
        source: &Source,
        index: &Arc<ModuleIndex>,
        used: &NameUse,
    ) -> Vec<(std::ops::Range<usize>, Vec<Found>)> {
        let start = used.range.start as usize;
        let whole_range = || start..used.range.end as usize;
        match &used.names {
            Names::Param(name) => self
                .module_value(source, PARAM, name)
                .map(|target| (whole_range(), vec![target]))
                .into_iter()
                .collect(),
            Names::Local(name) => self
                .module_value(source, LOCAL, name)
                .map(|target| (whole_range(), vec![target]))
                .into_iter()
                .collect(),
            Names::ParamOfCall(name) => {
                let call = index.declared.get(used.owner);
                let target = call.and_then(|call| self.param_of(source, call, name));
                target.map(|target| (whole_range(), vec![target])).into_iter().collect()
            }
            Names::Path(path) => {
                let full_path = path;
                let path = without_macros(full_path);
                let is_plain = used.is_plain && *path == **full_path;
                let Some(resolution) = self.resolve_use(source, index, &path, used.owner) else {
                    return Vec::new();
                };
                let place = |range: std::ops::Range<usize>| {
                    if is_plain { start + range.start..start + range.end } else { whole_range() }
                };
                let param = self.param_of_way(&resolution, &path);
                let param = param.map(|(range, found)| (place(range), vec![found]));
                resolution.steps.into_iter().map(|step| (place(step.name), step.found)).chain(param).collect()
            }
            Names::This(_) | Names::Each | Names::Source => Vec::new(),
        }
    }

    /// Returns the parameter in a path such as `module.web.params.port`.
    fn param_of_way(
        &self,
        resolution: &PathResolution,
        path: &str,
    ) -> Option<(std::ops::Range<usize>, Found)> {
        let (PARAMS, name) = (resolution.field.first()?.as_str(), resolution.field.get(1)?) else {
            return None;
        };
        let step = resolution.steps.last()?;
        let call = step.found.first()?;
        let param = self.param_of(&call.source, call.declared()?, name)?;
        let start = step.end + path.get(step.end..)?.find(name.as_str())?;
        Some((start..start + name.len(), param))
    }
}

/// Returns the range of the name in the last part of a path.
fn name_in(path: &str, declared: Option<&Declared>) -> std::ops::Range<usize> {
    let without_key = if path.ends_with(']') { before_last(path) } else { path.len() };
    let name = declared.and_then(|declared| declared.name.as_ref()).map_or("", |name| &name.text);
    let start = path.get(..without_key).and_then(|path| path.strip_suffix(name)).map_or(0, str::len);
    start..without_key
}

/// Returns the offset of the last name or key of a path.
pub(super) fn before_last(path: &str) -> usize {
    outside_keys(path).filter(|(_, byte)| matches!(byte, b'.' | b'[')).last().map_or(0, |(at, _)| at)
}

/// Rewrites a path in the syntax of the original Converge to the current syntax.
fn without_macros(path: &str) -> String {
    path.replace("macro.switch.", "switch.").replace("macro.case.", "case.")
}
