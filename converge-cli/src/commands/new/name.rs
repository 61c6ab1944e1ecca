//! The name of a new crate and of its first type.

use std::str::FromStr;

/// The name of a new crate and its first type, as words that each use joins in its own way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CrateName(Vec<String>);

/// The reasons why a text is not a valid [`CrateName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum InvalidCrateName {
    #[error(
        "a name has letters a-z, digits, and `-` or `_` between words, and begins with a letter: `music-label`, `music_label` \
         or `MusicLabel`"
    )]
    Characters,
    #[error("a name has at least 2 characters")]
    Short,
    #[error("a name has at most 40 characters, so that others can be made of it")]
    Long,
    #[error("`{0}` is a word of Rust, or the name of a crate that is needed; add a word")]
    Taken(String),
    #[error("`{0}` is the name of something that the new crate uses; add a word")]
    Used(String),
}

/// Names that no crate can have: keywords, standard crates, and the dependencies of the new crate.
const TAKEN: [&str; 61] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "converge_cli",
    "converge_controller",
    "converge_core",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc_macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "tempfile",
    "test",
    "tokio",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// Names that the template imports or that the Rust prelude has.
///
/// A type with such a name would hide them.
const USED: [&str; 91] = [
    "Action",
    "Arc",
    "Batch",
    "Box",
    "Cause",
    "Clone",
    "Condition",
    "ConditionState",
    "Consistency",
    "Context",
    "Controller",
    "ControllerTest",
    "ControllerTestBuilder",
    "Copy",
    "Debug",
    "Default",
    "Definition",
    "Diff",
    "DiffValue",
    "Drop",
    "Effect",
    "Ensure",
    "Eq",
    "Err",
    "Error",
    "Etcd",
    "EtcdOptions",
    "ExitCode",
    "ExpectedCondition",
    "Export",
    "Failure",
    "FakeRenderer",
    "Follow",
    "FromValue",
    "HasFootprint",
    "HclBlock",
    "HclEnum",
    "HclText",
    "Id",
    "Invalid",
    "Iterator",
    "Loader",
    "Manager",
    "ModelSystem",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Path",
    "Preparer",
    "Program",
    "Redb",
    "Refresh",
    "RegisterError",
    "Registry",
    "RegistryError",
    "Renderer",
    "Request",
    "Resource",
    "ResourceError",
    "Result",
    "ResultExt",
    "RunError",
    "RunMode",
    "Runtime",
    "Secret",
    "SecretDiff",
    "Self",
    "Send",
    "Sized",
    "Some",
    "Status",
    "StatusLevel",
    "StoredResource",
    "String",
    "Sync",
    "Task",
    "TaskStatus",
    "TestClient",
    "TestController",
    "ToString",
    "ToValue",
    "TypeRegistry",
    "Typed",
    "Validate",
    "Value",
    "ValueDiff",
    "Vec",
    "WriteFile",
];

impl CrateName {
    /// Returns the name as in `music-label`.
    pub(super) fn kebab(&self) -> String {
        self.0.join("-")
    }

    /// Returns the name as in `music_label`.
    pub(super) fn snake(&self) -> String {
        self.0.join("_")
    }

    /// Returns the name as in `MusicLabel`.
    pub(super) fn pascal(&self) -> String {
        let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
        self.0.iter().map(capital).collect()
    }
}

impl CrateName {
    /// Replaces `sample-crate`, `sample_crate` and `SampleKind` in a file of a template.
    pub(super) fn fill_in(&self, text: &str) -> String {
        let text = text.replace("sample-crate", &self.kebab()).replace("sample_crate", &self.snake());
        text.replace("SampleKind", &self.pascal())
    }
}

impl FromStr for CrateName {
    type Err = InvalidCrateName;

    fn from_str(text: &str) -> Result<Self, InvalidCrateName> {
        let words = words(text).ok_or(InvalidCrateName::Characters)?;
        let name = Self(words);
        let (snake, pascal) = (name.snake(), name.pascal());
        match snake.len() {
            0 | 1 => Err(InvalidCrateName::Short),
            41.. => Err(InvalidCrateName::Long),
            _ if TAKEN.contains(&&*snake) => Err(InvalidCrateName::Taken(snake)),
            _ if USED.contains(&&*pascal) => Err(InvalidCrateName::Used(pascal)),
            _ => Ok(name),
        }
    }
}

/// Splits a name in kebab, snake or Pascal case into lower case words.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(['-', '_']) {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        let mut before = None;
        for (place, letter) in part.char_indices() {
            let after = part[place + 1..].chars().next();
            // `HTTPRoute` is two words: the last capital of a sequence begins a word.
            let is_word_start = letter.is_ascii_uppercase()
                && (before.is_none_or(|before: char| !before.is_ascii_uppercase())
                    || after.is_some_and(|after| after.is_ascii_lowercase()));
            if place == 0 || is_word_start {
                words.push(String::new());
            }
            words.last_mut()?.push(letter.to_ascii_lowercase());
            before = Some(letter);
        }
    }
    words.first()?.starts_with(|first: char| first.is_ascii_lowercase()).then_some(words)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_name_is_written_in_three_ways() {
        let check = |text: &str, kebab: &str, snake: &str, pascal: &str| {
            let name: CrateName = text.parse().unwrap();
            assert_eq!((&*name.kebab(), &*name.snake(), &*name.pascal()), (kebab, snake, pascal), "{text}");
        };
        check("label", "label", "label", "Label");
        check("Label", "label", "label", "Label");
        for text in ["music-label", "music_label", "MusicLabel", "Music-label"] {
            check(text, "music-label", "music_label", "MusicLabel");
        }
        check("HTTPRoute", "http-route", "http_route", "HttpRoute");
        check("route4", "route4", "route4", "Route4");
        check("v2-x", "v2-x", "v2_x", "V2X");
        check("a-1", "a-1", "a_1", "A1");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let check = |text: &str, expect: InvalidCrateName| {
            assert_eq!(text.parse::<CrateName>(), Err(expect), "{text:?}");
        };
        for text in
            ["", "-", "a--b", "-ab", "ab-", "1ab", "a b", "a/b", "../ab", "a.b", "\u{e9}t\u{e9}", "_ab"]
        {
            check(text, InvalidCrateName::Characters);
        }
        check("a", InvalidCrateName::Short);
        check(&"a".repeat(41), InvalidCrateName::Long);
        check("type", InvalidCrateName::Taken("type".into()));
        check("Tokio", InvalidCrateName::Taken("tokio".into()));
        check("converge-controller", InvalidCrateName::Taken("converge_controller".into()));
        check("runtime", InvalidCrateName::Used("Runtime".into()));
        check("test-client", InvalidCrateName::Used("TestClient".into()));
    }

    #[test]
    fn no_import_of_the_template_can_be_hidden() {
        let templates =
            super::super::controller::TEMPLATE.into_iter().chain(super::super::resource::TEMPLATE);
        for (path, text) in templates.filter(|(path, _)| Path::new(path).extension() == Some("rs".as_ref())) {
            let imports = text
                .split(';')
                .filter_map(|item| item.trim_start().rsplit_once("use "))
                .map(|(_, names)| names);
            let is_path = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
            for name in imports.flat_map(|names| names.split(is_path)) {
                let is_type = name.starts_with(|first: char| first.is_ascii_uppercase());
                assert!(
                    !is_type || name.starts_with("SampleKind") || USED.contains(&name),
                    "{path} imports {name}"
                );
            }
        }
    }
}
