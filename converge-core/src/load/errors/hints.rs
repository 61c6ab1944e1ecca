//! What to write instead.

use crate::diagnostic::did_you_mean;

/// What to write instead of a word of another language, in the place of a block, an argument or the first name of
/// a path.
pub(crate) fn foreign_word(word: &str) -> Option<String> {
    let help = match word {
        "resource" | "data" => "write the type alone: file.content \"NAME\" { .. }",
        "variable" => "a value with a name is a parameter: param \"NAME\" { default = .. }",
        "local" => "values with names are in one block: locals { NAME = .. }",
        "count" => "use `for_each`, which makes one for each entry: for_each = [\"a\", \"b\"]",
        "depends_on" => "write depends = [\"TYPE.NAME\"]",
        "triggers" | "notify" | "subscribe" => "write on_change_of = [\"TYPE.NAME\"]",
        "var" => "a parameter is param.NAME",
        _ => return None,
    };
    Some(help.to_owned())
}

pub(super) fn closest(given: &str, known: &[String]) -> Option<String> {
    did_you_mean(given, known.iter().map(String::as_str))
}
