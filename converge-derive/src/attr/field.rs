//! `#[hcl(..)]` on a field.

use syn::{Expr, Ident, LitStr};

use super::names::HCL_FIELD;
use super::{FootprintAttr, Given, Items, Number, split};
use crate::ast::Field;
use crate::ctxt::Ctxt;

/// What a field takes when it is not written.
#[derive(Debug)]
pub(crate) enum WhenAbsent {
    /// `default`: the type's own.
    OfType(Ident),
    /// `default = ..`.
    Literal(Expr),
}

#[derive(Debug)]
pub(crate) struct FieldAttrs {
    pub(crate) name: Option<LitStr>,
    /// Former names, with the literal that lists them.
    pub(crate) aliases: Vec<(String, LitStr)>,
    /// The fields of its type are fields of the struct that it is in.
    pub(crate) embed: Option<Ident>,
    /// Modules do not write it: it begins with the default of its type.
    pub(crate) skip: Option<Ident>,
    pub(crate) required: Option<Ident>,
    pub(crate) nonempty: Option<Ident>,
    pub(crate) relations: Vec<Relation>,
    pub(crate) valid_values: Option<(Vec<String>, LitStr)>,
    pub(crate) base: Option<Number>,
    pub(crate) default: Option<WhenAbsent>,
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) expects: Option<LitStr>,
    pub(crate) sensitive: Option<Ident>,
    pub(crate) deprecated: Option<LitStr>,
    /// What it says about the footprint of the resource.
    pub(crate) footprint: Vec<FootprintAttr>,
    /// The value with which the resource removes what it manages.
    pub(crate) removes: Option<LitStr>,
}

/// An attribute that names fields.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub(crate) kind: RelationKind,
    pub(crate) names: Vec<String>,
    pub(crate) literal: LitStr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelationKind {
    MutuallyExclusive,
    RequiredOneOf,
    RequiredTogether,
    Requires,
    ConflictsWith,
}

impl RelationKind {
    const ALL: [Self; 5] = [
        Self::MutuallyExclusive,
        Self::RequiredOneOf,
        Self::RequiredTogether,
        Self::Requires,
        Self::ConflictsWith,
    ];

    pub(crate) const fn attribute(self) -> &'static str {
        match self {
            Self::MutuallyExclusive => "mutually_exclusive",
            Self::RequiredOneOf => "required_one_of",
            Self::RequiredTogether => "required_together",
            Self::Requires => "requires",
            Self::ConflictsWith => "conflicts_with",
        }
    }

    /// Whether the list names the whole set, the field itself included.
    pub(crate) const fn is_set(self) -> bool {
        matches!(self, Self::MutuallyExclusive | Self::RequiredOneOf | Self::RequiredTogether)
    }
}

impl FieldAttrs {
    pub(crate) fn read(cx: &Ctxt, field: &Field<'_>) -> Self {
        let items = Items::read(cx, field.attrs, &HCL_FIELD);
        let list = |name: &str| items.text(name).map(|literal| (split(cx, name, &literal), literal));
        Self {
            name: items.text("name"),
            aliases: items.aliases(cx),
            embed: items.alone(cx, "embed").cloned(),
            skip: items.alone(cx, "skip").cloned(),
            required: items.flag("required").cloned(),
            nonempty: items.flag("nonempty").cloned(),
            relations: RelationKind::ALL
                .into_iter()
                .filter_map(|kind| {
                    let (names, literal) = list(kind.attribute())?;
                    Some(Relation { kind, names, literal })
                })
                .collect(),
            valid_values: list("valid_values"),
            base: items.number("base"),
            default: items.find("default").map(|item| match &item.given {
                Given::Literal(literal) => WhenAbsent::Literal(literal.clone()),
                _ => WhenAbsent::OfType(item.name.clone()),
            }),
            min: items.number("min"),
            max: items.number("max"),
            pattern: items.text("pattern"),
            expects: items.text("expects"),
            sensitive: items.flag("sensitive").cloned(),
            deprecated: items.text("deprecated"),
            footprint: super::footprint::read(cx, &items),
            removes: items.text("removes"),
        }
    }
}
