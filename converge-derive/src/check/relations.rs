//! Checks of attributes that name other fields, and the rules that result from them.

use std::collections::HashSet;

use super::field::HclField;
use crate::attr::names::closest;
use crate::attr::{FieldSet, Relation, RelationKind, RequiredWhen, WhenAbsent};
use crate::error_collector::Ctxt;

/// A rule between fields, with their names in modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule<'a> {
    Set(RelationKind, &'a [String]),
    /// A rule that `field` needs or excludes `other`.
    Pair {
        kind: RelationKind,
        field: &'a str,
        other: &'a str,
    },
}

/// Returns the rules without duplicates: a set, or a conflict, may be written on several of its fields.
pub(crate) fn rules<'a>(fields: &'a [HclField<'_>]) -> Vec<Rule<'a>> {
    let mut seen = HashSet::new();
    let mut rules = Vec::new();
    for field in fields {
        for Relation { kind, names, .. } in &field.attrs.relations {
            let mut add = |mut key: Vec<&'a str>, ordered: bool, rule: Rule<'a>| {
                if !ordered {
                    key.sort_unstable();
                }
                if seen.insert((kind.attribute(), key)) {
                    rules.push(rule);
                }
            };
            if kind.is_set() {
                add(names.iter().map(String::as_str).collect(), false, Rule::Set(*kind, names));
                continue;
            }
            for other in names {
                let rule = Rule::Pair { kind: *kind, field: &field.name, other };
                add(vec![&field.name, other], *kind == RelationKind::Requires, rule);
            }
        }
    }
    rules
}

pub(super) fn check(cx: &Ctxt, fields: &[HclField<'_>]) {
    for field in fields {
        for relation in &field.attrs.relations {
            check_one(cx, fields, field, relation);
        }
        for condition in &field.attrs.when {
            check_when(cx, fields, field, condition);
        }
        if let Some(group) = field.required_group() {
            check_required_group(cx, fields, field, group);
        }
    }
}

/// Checks the fields and the values in the conditions of `required_if` and `required_unless`.
fn check_when(cx: &Ctxt, fields: &[HclField<'_>], field: &HclField<'_>, condition: &RequiredWhen) {
    let (attribute, literal) = (condition.attribute(), &condition.literal);
    let all_are_seen = fields.iter().all(|field| field.attrs.embed.is_none());
    for (name, is) in &condition.conditions {
        if *name == field.name {
            cx.error(literal, format!("`{attribute}` names the field `{name}` itself: name another one"));
            continue;
        }
        let Some(other) = fields.iter().find(|field| field.name == *name) else {
            if all_are_seen {
                cx.error(
                    literal,
                    format!("`{attribute}` names `{name}`, which is not a field{}", help(fields, name)),
                );
            } else if is.is_some() {
                let message = format!(
                    "`{attribute}` looks at what `{name}` is, which is not a field of this struct: only whether it is \
                     written can be asked of an embedded field"
                );
                cx.error(literal, message);
            }
            continue;
        };
        let Some(is) = is else {
            if other.is_always_written() {
                let message = format!(
                    "`{name}` is `required`, so it is always written: write `required` here, or a value of it"
                );
                cx.error(literal, message);
            }
            continue;
        };
        if other.attrs.sensitive.is_some() {
            cx.error(
                literal,
                format!("`{name}` is sensitive, and an error about another field must not reveal its value"),
            );
        } else if let Some((values, _)) = &other.attrs.valid_values
            && !values.contains(is)
        {
            cx.error(literal, format!("`{name}` is never {is:?}, which is not one of its `valid_values`"));
        } else if let Some(reason) = super::values::wrong_word(other, is) {
            cx.error(literal, format!("`{name}` is never {is:?}, which {reason}"));
        }
    }
}

/// Checks the members of a required set: exactly one is written, so none may have a default.
fn check_required_group(cx: &Ctxt, fields: &[HclField<'_>], field: &HclField<'_>, group: &Relation) {
    let names = group.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
    for member in fields.iter().filter(|member| group.names.contains(&member.name)) {
        let message = format!(
            "exactly one of {names} is written, so `{}` cannot have a `default`, which would stand beside another: remove \
             it",
            member.name
        );
        match &member.attrs.default {
            Some(WhenAbsent::OfType(word)) => cx.error(word, message),
            Some(WhenAbsent::Literal(literal)) => cx.error(literal, message),
            None => {}
        }
    }
    let is_seen = |name: &String| fields.iter().any(|field| field.name == *name);
    if let (Some(nonempty), Some(name)) =
        (&field.attrs.nonempty, group.names.iter().find(|name| !is_seen(name)))
        && fields.iter().any(|field| field.attrs.embed.is_some())
    {
        let message = format!(
            "`nonempty` beside `required` is meant for all of {names}, and `{name}` is not a field of this struct: \
             write the group in one struct"
        );
        cx.error(nonempty, message);
    }
}

/// Checks that each set names several fields, and that none of them contradicts the rule.
pub(super) fn check_sets(cx: &Ctxt, fields: &[HclField<'_>], sets: &[FieldSet]) {
    let has_embedded = fields.iter().any(|field| field.attrs.embed.is_some());
    for FieldSet { attribute, kinds, names, literal } in sets {
        if names.len() == 1 {
            cx.error(literal, format!("`{attribute}` needs at least two fields: add another"));
        }
        for name in names {
            let Some(field) = fields.iter().find(|field| field.name == *name) else {
                // The fields of embedded types are not visible here; the registry reports unknown names.
                if !has_embedded {
                    let help = help(fields, name);
                    cx.error(literal, format!("`{attribute}` names `{name}`, which is not a field{help}"));
                }
                continue;
            };
            if field.attrs.required.is_some() {
                let message = format!(
                    "`{name}` is `required`, so the rule `{attribute}` cannot hold for it: remove `required`"
                );
                cx.error(literal, message);
            }
            let is_exclusive = kinds.contains(&RelationKind::MutuallyExclusive);
            if is_exclusive && let Some(WhenAbsent::Literal(default)) = &field.attrs.default {
                let message = format!(
                    "`{name}` has a `default`, which would stand beside another field of `{attribute}`: remove it"
                );
                cx.error(default, message);
            }
        }
    }
}

/// Adds the rules of the sets to the first field of each.
pub(super) fn attach_sets(fields: &mut [HclField<'_>], sets: &[FieldSet]) {
    for FieldSet { kinds, names, literal, .. } in sets {
        let first = fields.iter().position(|field| names.contains(&field.name)).unwrap_or_default();
        let Some(field) = fields.get_mut(first) else { continue };
        let relation =
            |kind: &RelationKind| Relation { kind: *kind, names: names.clone(), literal: literal.clone() };
        field.attrs.relations.extend(kinds.iter().map(relation));
    }
}

/// Replaces `required` in a mutually exclusive set by the rule that one field is written.
///
/// `nonempty` beside `required` applies to every field of the set.
pub(super) fn expand_required_groups(fields: &mut [HclField<'_>]) {
    for index in 0..fields.len() {
        let Some(group) = fields[index].required_group() else { continue };
        let one_of = Relation { kind: RelationKind::RequiredOneOf, ..group.clone() };
        let attrs = &mut fields[index].attrs;
        attrs.required = None;
        let nonempty = attrs.nonempty.clone();
        let names = one_of.names.clone();
        attrs.relations.push(one_of);
        for member in fields.iter_mut().filter(|member| names.contains(&member.name)) {
            member.attrs.nonempty = member.attrs.nonempty.take().or_else(|| nonempty.clone());
        }
    }
}

fn check_one(cx: &Ctxt, fields: &[HclField<'_>], field: &HclField<'_>, relation: &Relation) {
    let attribute = relation.kind.attribute();
    let mut all_exist = true;
    // The fields of embedded types are not visible here; the registry reports unknown names.
    let all_are_seen = fields.iter().all(|field| field.attrs.embed.is_none());
    let is_no_field = |name: &&String| all_are_seen && fields.iter().all(|field| field.name != **name);
    for name in relation.names.iter().filter(is_no_field) {
        all_exist = false;
        cx.error(
            &relation.literal,
            format!("`{attribute}` names `{name}`, which is not a field{}", help(fields, name)),
        );
    }
    let excludes = matches!(relation.kind, RelationKind::MutuallyExclusive | RelationKind::ConflictsWith);
    let named = |field: &&HclField<'_>| relation.names.contains(&field.name);
    if excludes
        && all_exist
        && let Some(always) =
            fields.iter().filter(named).chain([field]).find(|field| field.is_always_written())
    {
        let help = match relation.kind {
            RelationKind::MutuallyExclusive => format!(
                "write `mutually_exclusive` on `{}` too, which then means that exactly one of them is written",
                always.name
            ),
            _ => "write `required_one_of` on all".to_owned(),
        };
        let message = format!(
            "`{}` is `required`, so what `{attribute}` keeps apart from it could never be written: remove one of \
             them, or {help}",
            always.name
        );
        cx.error(&relation.literal, message);
    }
    let names_itself = relation.names.contains(&field.name);
    if relation.kind.is_set() {
        // In a list with a misspelt name, that name may be meant for this field.
        if all_exist && !relation.names.is_empty() && !names_itself {
            let message = format!(
                "`{attribute}` is written on `{0}` but does not list it: add `{0}` to the list, or move the \
                 attribute to a field that is listed",
                field.name
            );
            cx.error(&relation.literal, message);
        } else if relation.names.len() == 1 {
            cx.error(&relation.literal, format!("`{attribute}` needs at least two fields: add another"));
        }
    } else if names_itself {
        let message = format!("`{attribute}` names the field `{}` itself: name another one", field.name);
        cx.error(&relation.literal, message);
    }
}

fn help(fields: &[HclField<'_>], name: &str) -> String {
    let other = fields
        .iter()
        .find(|field| field.field.name == name || field.attrs.aliases.iter().any(|(alias, _)| alias == name));
    if let Some(field) = other {
        return format!(": modules call it `{}`, so write that", field.name);
    }
    let known = || fields.iter().map(|field| field.name.as_str());
    if fields.is_empty() {
        return ": there are no fields".to_owned();
    }
    closest(name, known()).map_or_else(
        || {
            format!(
                ": the fields are {}",
                known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            )
        },
        |close| format!(": did you mean `{close}`?"),
    )
}
