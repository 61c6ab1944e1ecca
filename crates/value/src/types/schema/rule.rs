//! Rules between the fields of one resource.

use std::fmt;

use crate::types::value::{Conversion, Value};

/// A rule about which fields may be written together. Names are HCL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At most one of them.
    MutuallyExclusive(&'static [&'static str]),
    /// At least one of them.
    RequiredOneOf(&'static [&'static str]),
    /// All of them or none.
    RequiredTogether(&'static [&'static str]),
    /// `field` needs `needs`.
    Requires {
        /// The field with the rule.
        field: &'static str,
        /// The field that it needs.
        needs: &'static str,
    },
    /// `field` and `other` exclude each other.
    ConflictsWith {
        /// The field with the rule.
        field: &'static str,
        /// The field that it excludes.
        other: &'static str,
    },
    /// `field` is written when one of these holds.
    RequiredIf {
        /// The field with the rule.
        field: &'static str,
        /// What makes it necessary.
        when: Vec<Condition>,
    },
    /// `field` is written when none of these holds.
    RequiredUnless {
        /// The field with the rule.
        field: &'static str,
        /// What makes it unnecessary.
        unless: Vec<Condition>,
    },
}

/// What is said of another field: that it is written, or that it is this.
#[derive(Clone)]
pub struct Condition {
    /// The other field.
    pub field: &'static str,
    /// What it has to be, as a module writes it; `None` when it only has to be written.
    pub is: Option<&'static str>,
    /// Whether a value is the one that is meant. Without one, the field is not written and has no default of its own.
    holds: Holds,
}

/// What decides whether a value is the one that is meant.
#[derive(Clone, Copy)]
enum Holds {
    /// The Rust type of the field.
    Type(fn(Option<Value>, &Conversion) -> bool),
    /// Its kind: there is no Rust type here.
    Kind,
}

impl Condition {
    /// That a field is written.
    pub fn written(field: &'static str) -> Self {
        Self { field, is: None, holds: Holds::Type(|_, _| false) }
    }

    /// That a field is this, by what the derive writes.
    #[doc(hidden)]
    pub fn is(field: &'static str, is: &'static str, holds: fn(Option<Value>, &Conversion) -> bool) -> Self {
        Self { field, is: Some(is), holds: Holds::Type(holds) }
    }

    /// That a field is this, by what its kind says.
    #[doc(hidden)]
    pub fn described(field: &'static str, is: &'static str) -> Self {
        Self { field, is: Some(is), holds: Holds::Kind }
    }

    /// The word for what is meant, where the kind of the field decides.
    pub(super) fn by_kind(&self) -> Option<&'static str> {
        if matches!(self.holds, Holds::Kind) { self.is } else { None }
    }

    /// Whether a value is the one that is meant, where a Rust type decides.
    pub(super) fn holds(&self, value: Option<Value>, conversion: Conversion) -> bool {
        match self.holds {
            Holds::Type(holds) => holds(value, &conversion),
            Holds::Kind => false,
        }
    }
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        // How values are read belongs to the type of the field.
        (self.field, self.is) == (other.field, other.is)
    }
}

impl Eq for Condition {}

/// For people: "`a` is written" or "`a` is \"b\"".
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is {
            Some(is) => write!(f, "`{}` is {is:?}", self.field),
            None => write!(f, "`{}` is written", self.field),
        }
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Condition({self})")
    }
}

impl Rule {
    /// The fields that it is about.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Self::MutuallyExclusive(names) | Self::RequiredOneOf(names) | Self::RequiredTogether(names) => {
                names.to_vec()
            }
            Self::Requires { field, needs: other } | Self::ConflictsWith { field, other } => {
                vec![field, other]
            }
            Self::RequiredIf { field, when: conditions }
            | Self::RequiredUnless { field, unless: conditions } => {
                std::iter::once(*field).chain(conditions.iter().map(|condition| condition.field)).collect()
            }
        }
    }

    /// What it says of values.
    #[doc(hidden)]
    pub fn conditions(&self) -> &[Condition] {
        match self {
            Self::RequiredIf { when: conditions, .. } | Self::RequiredUnless { unless: conditions, .. } => {
                conditions
            }
            _ => &[],
        }
    }
}
