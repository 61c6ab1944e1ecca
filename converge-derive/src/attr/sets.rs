//! Parsing of the rules that a struct declares for sets of its fields: `exactly_one = "user,uid"`.

use syn::{DeriveInput, LitStr};

use super::names::HCL_BLOCK;
use super::{Items, RelationKind, split};
use crate::error_collector::Ctxt;

/// The attributes with the rules that each stands for.
const SETS: [(&str, &[RelationKind]); 4] = [
    ("exactly_one", &[RelationKind::MutuallyExclusive, RelationKind::RequiredOneOf]),
    ("at_most_one", &[RelationKind::MutuallyExclusive]),
    ("at_least_one", &[RelationKind::RequiredOneOf]),
    ("all_or_none", &[RelationKind::RequiredTogether]),
];

/// A set of fields with a rule about how many of them are written.
pub(crate) struct FieldSet {
    pub(crate) attribute: &'static str,
    pub(crate) kinds: &'static [RelationKind],
    pub(crate) names: Vec<String>,
    pub(crate) literal: LitStr,
}

impl FieldSet {
    /// Reads the sets from `#[hcl(..)]` on the struct of a block.
    pub(crate) fn read_block(cx: &Ctxt, input: &DeriveInput) -> Vec<Self> {
        Self::from_items(cx, &Items::read(cx, &input.attrs, &HCL_BLOCK))
    }

    /// Returns the declared sets, in the order of [`SETS`] and then of the text.
    pub(super) fn from_items(cx: &Ctxt, items: &Items) -> Vec<Self> {
        let sets = SETS.into_iter().flat_map(|(attribute, kinds)| {
            items.texts(attribute).into_iter().map(move |literal| (attribute, kinds, literal))
        });
        sets.map(|(attribute, kinds, literal)| {
            let names = split(cx, attribute, &literal);
            Self { attribute, kinds, names, literal }
        })
        .collect()
    }
}
