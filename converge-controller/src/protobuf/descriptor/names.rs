//! Names that protobuf derives from other names.

/// Returns the path of the file of a message: `converge/demo/v2/record_label.proto`.
pub(super) fn path(package: &str, name: &str) -> String {
    format!("{}/{}.proto", package.replace('.', "/"), snake_case(name))
}

/// Converts the name of a message or an enum to snake case.
///
/// The result is the name of its file. In capitals, it is the prefix of enum values.
///
/// ```
/// use converge_controller::protobuf::snake_case;
///
/// assert_eq!(snake_case("HTTPRoute"), "http_route");
/// assert_eq!(snake_case("LinuxLSBLike").to_uppercase(), "LINUX_LSB_LIKE");
/// ```
pub fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut word = String::new();
    for (index, c) in chars.iter().enumerate() {
        let inside = index > 0 && chars[index - 1] != '_';
        let after_small = inside && !chars[index - 1].is_uppercase();
        let before_small = inside && chars.get(index + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_small || before_small) {
            word.push('_');
        }
        word.extend(c.to_lowercase());
    }
    word
}

/// Returns the JSON name of a field, as `protoc` does: `release_date` becomes `releaseDate`.
pub(super) fn json(name: &str) -> String {
    camel(name, false)
}

/// Returns the name of the entry message of a map: `track_lengths` becomes `TrackLengthsEntry`.
pub(super) fn entry(name: &str) -> String {
    camel(name, true) + "Entry"
}

fn camel(name: &str, mut capital: bool) -> String {
    let mut word = String::new();
    for c in name.chars() {
        if c == '_' {
            capital = true;
        } else if capital {
            word.extend(c.to_uppercase());
            capital = false;
        } else {
            word.push(c);
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::{entry, json, path};

    #[test]
    fn names_are_derived() {
        for (name, expect) in [
            ("Artist", "converge/demo/v2/artist.proto"),
            ("RecordLabel", "converge/demo/v2/record_label.proto"),
            ("HTTPRoute", "converge/demo/v2/http_route.proto"),
            ("Sha256Sum", "converge/demo/v2/sha256_sum.proto"),
            ("AB", "converge/demo/v2/ab.proto"),
        ] {
            assert_eq!(path("converge.demo.v2", name), expect);
        }
        for (name, as_json, as_entry) in [
            ("name", "name", "NameEntry"),
            ("release_date", "releaseDate", "ReleaseDateEntry"),
            ("mp3_url", "mp3Url", "Mp3UrlEntry"),
            ("a1_2b", "a12b", "A12bEntry"),
        ] {
            assert_eq!((json(name).as_str(), entry(name).as_str()), (as_json, as_entry));
        }
    }
}
