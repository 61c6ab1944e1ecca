//! Rules between the fields of one resource.

/// A rule about which fields may be written together. Names are HCL names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
        }
    }
}
