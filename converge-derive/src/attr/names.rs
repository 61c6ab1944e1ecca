//! A table of all attributes of the derives, for parsing and for suggestions.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// No value: `required`.
    Nothing,
    /// A text: `name = ".."`.
    Text,
    /// A number: `min = 1`.
    Number,
    /// `true` or `false`: `register = false`.
    Bool,
    /// No value or a literal: `default`, `default = 5`.
    MaybeLiteral,
    /// A type: `task = Owner`.
    Type,
    /// One type, or several in parentheses: `needs = Store`, `needs = (Store, Clock)`.
    Types,
}

/// An attribute: its name, its kind of value, and an example for messages.
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    pub(crate) example: &'static str,
}

/// A list of attributes and the place where they are written.
pub(crate) struct Place {
    /// The name of the outer attribute: `hcl`.
    pub(crate) attribute: &'static str,
    /// The place in words.
    pub(crate) on: &'static str,
    pub(crate) known: &'static [Known],
}

const fn known(name: &'static str, kind: Takes, example: &'static str) -> Known {
    Known { name, takes: kind, example }
}

/// `#[preparer(..)]` on the struct.
pub(crate) const PREPARER: Place = Place {
    attribute: "preparer",
    on: "the struct",
    known: &[
        known("name", Takes::Text, r#"name = "file.owner""#),
        known("task", Takes::Type, "task = Owner"),
        known("register", Takes::Bool, "register = false"),
        known("prepare", Takes::Nothing, "prepare"),
        known("validate", Takes::Nothing, "validate"),
        known("refresh", Takes::Nothing, "refresh"),
        known("lock", Takes::Text, r#"lock = "apt""#),
        known("batch", Takes::Nothing, "batch"),
        known("needs", Takes::Types, "needs = Store"),
        known("example", Takes::Text, r#"example = "example.hcl""#),
        known("footprint", Takes::Nothing, "footprint"),
        known("reads", Takes::Text, r#"reads = "anything""#),
        known("changes", Takes::Text, r#"changes = "anything""#),
        EXACTLY_ONE,
        AT_MOST_ONE,
        AT_LEAST_ONE,
        ALL_OR_NONE,
    ],
};

const EXACTLY_ONE: Known = known("exactly_one", Takes::Text, r#"exactly_one = "user,uid""#);
const AT_MOST_ONE: Known = known("at_most_one", Takes::Text, r#"at_most_one = "user,uid""#);
const AT_LEAST_ONE: Known = known("at_least_one", Takes::Text, r#"at_least_one = "user,uid""#);
const ALL_OR_NONE: Known = known("all_or_none", Takes::Text, r#"all_or_none = "user,password""#);

/// Whether an attribute declares a rule for a set of fields; a struct may have several of one kind.
pub(crate) fn declares_set(name: &proc_macro2::Ident) -> bool {
    HCL_BLOCK.known.iter().any(|known| name == known.name)
}

/// `#[hcl(..)]` on the struct of a block.
pub(crate) const HCL_BLOCK: Place = Place {
    attribute: "hcl",
    on: "the struct",
    known: &[EXACTLY_ONE, AT_MOST_ONE, AT_LEAST_ONE, ALL_OR_NONE],
};

/// `#[hcl(..)]` on a field of a resource or block.
pub(crate) const HCL_FIELD: Place = Place {
    attribute: "hcl",
    on: "a field",
    known: &[
        known("name", Takes::Text, r#"name = "user""#),
        known("alias", Takes::Text, r#"alias = "old_name""#),
        known("embed", Takes::Nothing, "embed"),
        known("skip", Takes::Nothing, "skip"),
        known("required", Takes::Nothing, "required"),
        known("nonempty", Takes::Nothing, "nonempty"),
        known("mutually_exclusive", Takes::Text, r#"mutually_exclusive = "user,uid""#),
        known("required_one_of", Takes::Text, r#"required_one_of = "user,uid""#),
        known("required_together", Takes::Text, r#"required_together = "user,password""#),
        known("requires", Takes::Text, r#"requires = "user""#),
        known("conflicts_with", Takes::Text, r#"conflicts_with = "user""#),
        known("required_if", Takes::Text, r#"required_if = "state=present""#),
        known("required_unless", Takes::Text, r#"required_unless = "state=absent""#),
        known("valid_values", Takes::Text, r#"valid_values = "present,absent""#),
        known("base", Takes::Number, "base = 8"),
        known("default", Takes::MaybeLiteral, r#"default` or `default = "local""#),
        known("min", Takes::Number, "min = 1"),
        known("max", Takes::Number, "max = 65535"),
        known("pattern", Takes::Text, r#"pattern = "^[a-z]+$""#),
        known("expects", Takes::Text, r#"expects = "a word of a-z""#),
        known("sensitive", Takes::Nothing, "sensitive"),
        known("deprecated", Takes::Text, r#"deprecated = "use x""#),
        known("manages", Takes::Text, r#"manages = "path:content""#),
        known("ensures", Takes::Text, r#"ensures = "package""#),
        known("needs", Takes::Text, r#"needs = "user""#),
        known("touches", Takes::Text, r#"touches = "path:tree""#),
        known("removes", Takes::Text, r#"removes = "absent""#),
    ],
};

/// `#[hcl(..)]` on a variant of an enum of words.
pub(crate) const HCL_VARIANT: Place = Place {
    attribute: "hcl",
    on: "a variant",
    known: &[
        known("name", Takes::Text, r#"name = "present""#),
        known("alias", Takes::Text, r#"alias = "installed""#),
    ],
};

/// `#[hcl(..)]` on a type that is text.
pub(crate) const HCL_TEXT: Place = Place {
    attribute: "hcl",
    on: "the type",
    known: &[
        known("pattern", Takes::Text, r#"pattern = "^[a-z]+$""#),
        known("expects", Takes::Text, r#"expects = "a word of a-z""#),
    ],
};

/// `#[export(..)]` on a field of a task.
pub(crate) const EXPORT: Place = Place {
    attribute: "export",
    on: "a field",
    known: &[
        known("name", Takes::Text, r#"name = "user""#),
        known("embed", Takes::Nothing, "embed"),
        known("computed", Takes::Nothing, "computed"),
    ],
};

/// All places, for messages that an attribute belongs elsewhere.
pub(crate) const PLACES: [&Place; 4] = [&PREPARER, &HCL_FIELD, &HCL_VARIANT, &EXPORT];

impl Place {
    pub(crate) fn find(&self, name: &str) -> Option<&'static Known> {
        self.known.iter().find(|known| known.name == name)
    }

    pub(crate) fn help(&self, name: &str) -> String {
        if let Some(close) = closest(name, self.known.iter().map(|known| known.name)) {
            return format!("did you mean `{close}`?");
        }
        let elsewhere = |place: &&&Place| {
            (place.attribute, place.on) != (self.attribute, self.on) && place.find(name).is_some()
        };
        if let Some(place) = PLACES.iter().find(elsewhere) {
            return format!("it belongs in `#[{}(..)]` on {}", place.attribute, place.on);
        }
        let names: Vec<_> = self.known.iter().map(|known| format!("`{}`", known.name)).collect();
        format!("expected one of {}", names.join(", "))
    }
}

/// Returns the candidate closest to `given`, if at most a third of the letters differ.
pub(crate) fn closest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let distance = strsim::damerau_levenshtein(&given.to_lowercase(), &candidate.to_lowercase());
            let longer = given.chars().count().max(candidate.chars().count());
            (distance * 3 <= longer).then_some((distance, candidate))
        })
        .min()
        .map(|(_, name)| name)
}
