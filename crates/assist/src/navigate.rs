//! Navigation: the declaration of a name and its uses.

use std::ops::Range;
use std::sync::Arc;

use super::index::{LOCAL, ModuleIndex, PARAM};
use super::name_uses::{NameUse, Names, slice, unquoted};
use super::resolve::Found;
use super::workspace::{Place, Workspace, floor, to_usize_range};
use converge_source::Source;

/// A place that names a declaration.
pub(super) struct Mention {
    pub(super) place: Place,
    /// Whether the place is the declaration itself.
    pub(super) is_declaration: bool,
    /// Whether the text at the place is exactly the name.
    pub(super) is_plain: bool,
    /// Whether the name is written without quotes.
    pub(super) is_bare: bool,
}

impl Workspace<'_> {
    /// Returns the places that declare the name at an offset.
    ///
    /// The place is the name of a resource, a parameter or a field, or the first line of a module.
    pub fn definition(&self, source: &Source, offset: usize) -> Vec<Place> {
        self.begin();
        let Some(index) = self.index(source) else { return Vec::new() };
        let offset = floor(&index.text, offset);
        let Some(used) = index.use_at(offset) else {
            return Self::declared_at(source, &index, offset).iter().filter_map(place_of).collect();
        };
        let place_at = |range| vec![Place { source: source.clone(), range }];
        let owner = index.declared.get(used.owner);
        match &used.names {
            Names::Source => {
                let callee = owner
                    .and_then(|call| call.source.as_ref())
                    .and_then(|name| self.called(source, &name.text))
                    .and_then(|callee| {
                        self.parts(&callee)
                            .iter()
                            .find(|part_source| self.text(part_source).is_some())
                            .cloned()
                    });
                callee.map(|source| Place { source, range: 0..0 }).into_iter().collect()
            }
            Names::This(name) => {
                let field = owner.and_then(|owner| owner.written(name));
                field.map(|field| place_at(to_usize_range(&field.range))).unwrap_or_default()
            }
            Names::Each => {
                let field = owner.and_then(|owner| owner.written("for_each"));
                field.map(|field| place_at(to_usize_range(&field.range))).unwrap_or_default()
            }
            _ => self.found_at(source, &index, used, offset).iter().filter_map(place_of).collect(),
        }
    }

    /// Returns the places in all known files that use the name at an offset.
    ///
    /// `with_declaration` includes the declaration.
    pub fn references(&self, source: &Source, offset: usize, with_declaration: bool) -> Vec<Place> {
        self.begin();
        let target = self.target_at(source, offset);
        let Some((target, _)) = target else { return Vec::new() };
        let mentions = self.mentions(&target).into_iter();
        mentions.filter(|mention| with_declaration || !mention.is_declaration).map(|one| one.place).collect()
    }

    /// Returns the ranges in this file that name the same declaration as the offset.
    pub fn highlights(&self, source: &Source, offset: usize) -> Vec<Range<usize>> {
        self.begin();
        let Some((target, _)) = self.target_at(source, offset) else { return Vec::new() };
        self.mentions_in(source, &target).into_iter().map(|mention| mention.place.range).collect()
    }

    /// Returns the declaration that is named at an offset, and the range of the name.
    pub(super) fn target_at(&self, source: &Source, offset: usize) -> Option<(Found, Range<usize>)> {
        let index = self.index(source)?;
        let offset = floor(&index.text, offset);
        if let Some(target) = Self::declared_at(source, &index, offset).into_iter().next() {
            let range = to_usize_range(&target.declared()?.name_range(&index.text));
            return Some((target, range));
        }
        let used = index.use_at(offset)?;
        let targets = self.targets(source, &index, used);
        let (range, target) =
            targets.into_iter().find(|(range, _)| (range.start..=range.end).contains(&offset))?;
        Some((target.into_iter().next()?, range))
    }

    /// Returns the declarations that a use refers to at an offset. A path refers to one per part.
    pub(super) fn found_at(
        &self,
        source: &Source,
        index: &Arc<ModuleIndex>,
        used: &NameUse,
        offset: usize,
    ) -> Vec<Found> {
        let targets = self.targets(source, index, used);
        // Text before a name belongs to it as its type; text after the last name belongs to its exports.
        let position = targets.iter().position(|(range, _)| offset <= range.end);
        let target =
            position.or_else(|| targets.len().checked_sub(1)).and_then(|position| targets.get(position));
        target.map(|(_, found)| found.clone()).unwrap_or_default()
    }

    /// Returns the declaration whose name is at an offset.
    pub(super) fn declared_at(source: &Source, index: &Arc<ModuleIndex>, offset: usize) -> Vec<Found> {
        let declaration_position = index.around(offset).filter(|position| {
            let name = index.declared.get(*position).and_then(|declaration| declaration.name.as_ref());
            name.is_some_and(|name| (name.range.start as usize..=name.range.end as usize).contains(&offset))
        });
        declaration_position.map(|position| Found::alone(source, index, position)).into_iter().collect()
    }

    /// Returns every place that names a declaration, once, in the order of files and text.
    pub(super) fn mentions(&self, target: &Found) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for source in self.all_files(&target.source) {
            mentions.extend(self.mentions_in(&source, target));
        }
        mentions
    }

    fn mentions_in(&self, source: &Source, target: &Found) -> Vec<Mention> {
        let mut mentions = Vec::new();
        self.collect_mentions(source, target, &mut mentions);
        let start = |mention: &Mention| (mention.place.range.start, mention.place.range.end);
        mentions.sort_by_key(start);
        mentions.dedup_by_key(|mention| start(mention));
        mentions
    }

    fn collect_mentions(&self, source: &Source, target: &Found, mentions: &mut Vec<Mention>) {
        let Some(declared) = target.declared() else { return };
        let Some(name) = declared.name.as_ref() else { return };
        // Files that do not contain the word are skipped without indexing.
        let Some(index) =
            self.text(source).filter(|text| text.contains(&*name.text)).and_then(|_| self.index(source))
        else {
            return;
        };
        if *source == target.source {
            let range = unquoted(&index.text, &name.range);
            mentions.push(Mention {
                is_plain: slice(&index.text, &range) == &*name.text,
                place: Place { source: source.clone(), range: to_usize_range(&range) },
                is_declaration: true,
                is_bare: false,
            });
        }
        // A name that only its own module can use is resolved once rather than per use.
        let is_here = |kind: &str| {
            &*declared.kind.text == kind
                && (*source == target.source || self.parts(&target.source).contains(source))
                && target.index.find(&declared.id).first() == Some(&target.at)
        };
        let (is_param, is_local) = (is_here(PARAM), is_here(LOCAL));
        let mut add = |used: &NameUse, range: Range<usize>| {
            let is_plain = index.text.get(range.clone()) == Some(&*name.text);
            let place = Place { source: source.clone(), range };
            mentions.push(Mention { place, is_declaration: false, is_plain, is_bare: used.is_bare });
        };
        if &*declared.kind.text == PARAM
            && let Some(param_names) = index.given()
            && let Some(given) = param_names.into_iter().find(|param_names| param_names.text == name.text)
            && self.is_given_to(&index, &target.source)
        {
            let range = unquoted(&index.text, &given.range);
            mentions.push(Mention {
                is_plain: slice(&index.text, &range) == &*name.text,
                is_bare: range == given.range,
                place: Place { source: source.clone(), range: to_usize_range(&range) },
                is_declaration: false,
            });
            return;
        }
        for used in &index.uses {
            let may_be = match &used.names {
                Names::Param(word) | Names::Local(word) => {
                    let is_kind = if matches!(used.names, Names::Param(_)) { is_param } else { is_local };
                    if is_kind && *word == name.text {
                        add(used, to_usize_range(&used.range));
                    }
                    false
                }
                Names::ParamOfCall(word) => *word == name.text,
                Names::Path(path) => path.contains(&*name.text),
                Names::This(_) | Names::Each | Names::Source => false,
            };
            if !may_be {
                continue;
            }
            for (range, targets) in self.targets(source, &index, used) {
                if targets.contains(target) {
                    add(used, range);
                }
            }
        }
    }
}

fn place_of(target: &Found) -> Option<Place> {
    let range = to_usize_range(&target.declared()?.name_range(&target.index.text));
    Some(Place { source: target.source.clone(), range })
}
