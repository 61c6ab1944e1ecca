//! Parsing of `#[hcl(..)]` on a field.

use syn::{Expr, Ident, LitStr};

use super::names::HCL_FIELD;
use super::{FootprintAttr, Given, Items, Number, split};
use crate::ast::Field;
use crate::error_collector::Ctxt;

/// The value of a field that is not written.
pub(crate) enum WhenAbsent {
    /// The default of the type, from `default`.
    OfType(Ident),
    /// A literal, from `default = ..`.
    Literal(Expr),
}

pub(crate) struct FieldAttrs {
    pub(crate) name: Option<LitStr>,
    /// The aliases, each with the literal that lists it.
    pub(crate) aliases: Vec<(String, LitStr)>,
    /// The word `embed`: the fields of the field's type become fields of this struct.
    pub(crate) embed: Option<Ident>,
    /// The word `skip`: modules do not write the field, which starts with the default of its type.
    pub(crate) skip: Option<Ident>,
    pub(crate) required: Option<Ident>,
    pub(crate) nonempty: Option<Ident>,
    pub(crate) relations: Vec<Relation>,
    /// The conditions under which the field must be written.
    pub(crate) when: Vec<RequiredWhen>,
    pub(crate) valid_values: Option<(Vec<String>, LitStr)>,
    pub(crate) base: Option<Number>,
    pub(crate) default: Option<WhenAbsent>,
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) expects: Option<LitStr>,
    pub(crate) sensitive: Option<Ident>,
    pub(crate) deprecated: Option<LitStr>,
    pub(crate) footprint: Vec<FootprintAttr>,
    /// The value with which the resource removes the things that it manages.
    pub(crate) removes: Option<LitStr>,
}

/// A `required_if` or `required_unless` attribute.
#[derive(Clone)]
pub(crate) struct RequiredWhen {
    pub(crate) unless: bool,
    /// The fields of the conditions with their values; `None` means that the field only has to be written.
    pub(crate) conditions: Vec<(String, Option<String>)>,
    pub(crate) literal: LitStr,
}

impl RequiredWhen {
    pub(crate) const fn attribute(&self) -> &'static str {
        if self.unless { "required_unless" } else { "required_if" }
    }

    fn read(cx: &Ctxt, items: &Items, is_unless: bool) -> Option<Self> {
        let attribute = if is_unless { "required_unless" } else { "required_if" };
        let literal = items.text(attribute)?;
        let condition = |entry: String| match entry.split_once('=') {
            Some((field, is)) => (field.trim().to_owned(), Some(is.trim().to_owned())),
            None => (entry, None),
        };
        let conditions = split(cx, attribute, &literal).into_iter().map(condition).collect();
        Some(Self { unless: is_unless, conditions, literal })
    }
}

/// An attribute that names other fields.
#[derive(Clone)]
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

    /// Whether the list names the whole set, including the field itself.
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
            when: [false, true]
                .into_iter()
                .filter_map(|is_unless| RequiredWhen::read(cx, &items, is_unless))
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
