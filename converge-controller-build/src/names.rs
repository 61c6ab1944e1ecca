//! Conversion of protobuf names to Rust names.

use converge_controller::protobuf::snake_case;

/// Converts `JAZZ_ROCK` to `JazzRock`.
pub(crate) fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(chars.map(|c| c.to_ascii_lowercase())).collect::<String>()
    };
    name.split('_').map(word).collect()
}

/// Converts `JazzRock` to `JAZZ_ROCK`, as the derive of enums does.
pub(crate) fn screaming(name: &str) -> String {
    snake_case(name).to_uppercase()
}

/// The Rust keywords that cannot be used as plain identifiers.
const KEYWORDS: [&str; 34] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move",
    "mut", "pub", "ref", "return", "static", "struct", "trait", "type",
];
const MORE_KEYWORDS: [&str; 12] = [
    "macro", "override", "priv", "true", "false", "try", "typeof", "unsafe", "unsized", "use", "virtual",
    "where",
];

/// Returns a name as a valid Rust identifier.
pub(crate) fn ident(name: &str) -> String {
    let is_keyword =
        KEYWORDS.contains(&name) || MORE_KEYWORDS.contains(&name) || ["while", "yield"].contains(&name);
    if is_keyword { format!("r#{name}") } else { name.to_owned() }
}
