//! Parsing of `#[preparer(..)]` on a resource.

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::{DeriveInput, LitStr, Type};

use super::names::{HCL_FIELD, PREPARER};
use super::{FieldSet, Items};
use crate::error_collector::Ctxt;

pub(crate) struct ResourceAttrs {
    pub(crate) name: Option<LitStr>,
    pub(crate) task: Option<Type>,
    pub(crate) register: bool,
    /// The word `prepare`: the author writes `prepare` for a resource that is its own task.
    pub(crate) prepare: Option<Ident>,
    /// The word `validate`: the resource has custom rules.
    pub(crate) validate: Option<Ident>,
    /// The word `refresh`: the task can be refreshed.
    pub(crate) refresh: Option<Ident>,
    /// The name of the lock that only one resource may hold at a time.
    pub(crate) lock: Option<LitStr>,
    /// The types of application state that a program must provide.
    pub(crate) needs: Vec<Type>,
    /// The word `batch`: tasks can be applied together.
    pub(crate) batch: Option<Ident>,
    /// The file with an example module, relative to the file of the resource.
    pub(crate) example: Option<LitStr>,
    /// The word `footprint`: the resource computes its own footprint.
    pub(crate) footprint: Option<Ident>,
    /// The reach of checks beyond the named things.
    pub(crate) reads: Option<Reach>,
    /// The reach of changes beyond the named things.
    pub(crate) changes: Option<Reach>,
    /// The rules for sets of fields.
    pub(crate) sets: Vec<FieldSet>,
}

/// The words with which the blocks and references of the module language begin.
///
/// No registered name begins with one.
const LANGUAGE_WORDS: [&str; 12] = [
    "case", "default", "each", "local", "locals", "module", "output", "param", "platform", "plugin", "self",
    "switch",
];

/// The reach of a type beyond the things that its fields name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Named,
    Anything,
}

impl ResourceAttrs {
    pub(crate) fn read(cx: &Ctxt, input: &DeriveInput) -> Self {
        super::misplaced(cx, &input.attrs, &HCL_FIELD);
        let items = Items::read(cx, &input.attrs, &PREPARER);
        let name = items.text("name");
        let register = items.bool("register").unwrap_or(true);
        if let Some(name) = &name {
            check_name(cx, name, "a resource", "file.owner");
            let text = name.value();
            let first = text.split('.').next().unwrap_or_default();
            if let Some(word) = LANGUAGE_WORDS.into_iter().find(|word| *word == first)
                && register
            {
                let message = format!(
                    "`{word}` is a word of the module language and cannot name a resource: write another name, such as \
                     `file.owner`"
                );
                cx.error(name, message);
            }
        }
        let task = items.ty("task");
        if let Some(attr) = input.attrs.iter().find(|attr| attr.path().is_ident(PREPARER.attribute)) {
            if name.is_none() {
                items.missing(cx, attr, "name");
            }
            if task.is_none() {
                items.missing(cx, attr, "task");
            }
        } else {
            let message = "the name and the task of the resource are missing: write \
                           `#[preparer(name = \"file.owner\", task = Owner)]` on the struct";
            cx.error(&input.ident, message);
        }
        if let (Some(prepare), Some(task)) = (items.flag("prepare"), &task)
            && !crate::ty::is_self(task, &input.ident)
        {
            let message = "`prepare` is for a resource that is its own task: where the task is another type, `Resource` is \
                           always implemented by hand; remove `prepare`";
            cx.error(prepare, message);
        }
        let lock = items.text("lock");
        if let Some(lock) = &lock {
            check_name(cx, lock, "a lock", "apt");
        }
        Self {
            name,
            task,
            register,
            prepare: items.flag("prepare").cloned(),
            validate: items.flag("validate").cloned(),
            refresh: items.flag("refresh").cloned(),
            lock,
            needs: needs(cx, &items),
            batch: items.flag("batch").cloned(),
            example: items.text("example"),
            footprint: items.flag("footprint").cloned(),
            reads: reach(cx, &items, "reads"),
            changes: reach(cx, &items, "changes"),
            sets: FieldSet::from_items(cx, &items),
        }
    }
}

fn needs(cx: &Ctxt, items: &Items) -> Vec<Type> {
    let types = match items.ty("needs") {
        None => return Vec::new(),
        Some(Type::Tuple(none)) if none.elems.is_empty() => {
            cx.error(&none, "`needs` names no type: write `needs = Store`, or leave it out");
            return Vec::new();
        }
        Some(Type::Tuple(several)) => several.elems.into_iter().collect(),
        Some(one) => vec![one],
    };
    let mut needs: Vec<Type> = Vec::new();
    for ty in types {
        if let Type::Reference(reference) = &ty {
            cx.error(reference, "state is named by its own type: leave out the `&`");
        } else if needs.iter().any(|known| spelled(known) == spelled(&ty)) {
            cx.error(&ty, "the type is named twice: remove one");
        } else {
            needs.push(ty);
        }
    }
    needs
}

/// Returns the tokens of a type as text.
///
/// `syn` can compare types only with a feature that would slow down every build.
fn spelled(ty: &Type) -> String {
    ty.to_token_stream().to_string()
}

fn reach(cx: &Ctxt, items: &Items, attribute: &str) -> Option<Reach> {
    let word = items.text(attribute)?;
    match word.value().as_str() {
        "named" => Some(Reach::Named),
        "anything" => Some(Reach::Anything),
        _ => {
            let message = format!(
                "`{attribute}` is \"named\", when it is only what the fields name, or \"anything\", when programs of \
                 others are run"
            );
            cx.error(&word, message);
            None
        }
    }
}

/// Checks that a name has the common form, such as `file`, `file.owner` or `systemd.unit.state`.
fn check_name(cx: &Ctxt, name: &LitStr, of: &str, example: &str) {
    let part_is_right = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_lowercase())
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let text = name.value();
    if !text.split('.').all(part_is_right) {
        let message = format!(
            "{text:?} is not a name for {of}: write parts of a-z, 0-9 and _, each beginning with a letter, joined \
             by dots, such as `{example}`"
        );
        cx.error(name, message);
    }
}
