//! Names of fields that are known at compile time.

/// The field names of a resource or a block, against which attributes are checked at compile time.
#[derive(Debug)]
pub struct FieldNames {
    own: &'static [&'static str],
    /// The names of embedded types.
    embedded: &'static [&'static Self],
    any: bool,
}

impl FieldNames {
    /// A set that accepts every name, used if the definition of the type is invalid.
    pub const ANY: Self = Self { own: &[], embedded: &[], any: true };

    /// Creates a set from the own names and those of embedded types.
    pub const fn new(names: &'static [&'static str], embedded: &'static [&'static Self]) -> Self {
        Self { own: names, embedded, any: false }
    }

    /// Whether a field has this name.
    pub const fn has(&self, name: &str) -> bool {
        if self.any {
            return true;
        }
        let mut index = 0;
        while index < self.own.len() {
            if is_same(self.own[index].as_bytes(), name.as_bytes()) {
                return true;
            }
            index += 1;
        }
        let mut index = 0;
        while index < self.embedded.len() {
            if self.embedded[index].has(name) {
                return true;
            }
            index += 1;
        }
        false
    }
}

const fn is_same(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::FieldNames;

    #[test]
    fn names_are_found_in_embedded_types_too() {
        static INNER: FieldNames = FieldNames::new(&["interval"], &[]);
        static OUTER: FieldNames = FieldNames::new(&["name", "path"], &[&INNER]);
        for (name, expect) in [
            ("name", true),
            ("path", true),
            ("interval", true),
            ("nam", false),
            ("names", false),
            ("", false),
        ] {
            assert_eq!(OUTER.has(name), expect, "{name}");
        }
        assert!(FieldNames::ANY.has("anything"));
    }
}
