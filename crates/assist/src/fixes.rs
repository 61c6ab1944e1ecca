//! Fixes for problems whose diagnostic names the solution.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Span, close_names, suggested};

/// An edit that fixes a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fix {
    /// A short description of the edit.
    pub title: String,
    /// The range of bytes that is replaced.
    pub range: Range<usize>,
    /// The replacement text.
    pub text: String,
}

/// Returns the fixes that a diagnostic suggests.
///
/// A fix corrects a misspelled name, or inserts or replaces an operator or a mark. `text` is the text of the
/// file that contains the primary span.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::assist::fixes;
/// use converge_core::load::Loader;
///
/// let text = "parm \"who\" { default = \"you\" }\n";
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).load_text("hello.hcl", text);
/// let fix = &fixes(&loaded.diagnostics[0], text)[0];
/// assert_eq!((fix.title.as_str(), fix.range.clone(), fix.text.as_str()), ("Write `param`", 0..4, "param"));
/// ```
pub fn fixes(diagnostic: &Diagnostic, text: &str) -> Vec<Fix> {
    let Some(place) = diagnostic.span().map(Span::range) else { return Vec::new() };
    let Some(marked_text) = text.get(place.clone()) else { return Vec::new() };
    let help = diagnostic.help.as_deref().unwrap_or_default();
    let mark = |title: &str, text: &str| {
        vec![Fix { title: title.to_owned(), range: place.clone(), text: text.to_owned() }]
    };
    match diagnostic.code {
        "colon-for-equals" if marked_text == ":" => {
            let is_close = text.get(..place.start).is_some_and(|before| !before.ends_with(' '));
            return mark("Write `=`", if is_close { " =" } else { "=" });
        }
        "missing-comma" if marked_text.is_empty() => return mark("Write `,`", ", "),
        "unknown-operator" => {
            let suggestion = help.strip_prefix("write `").and_then(|rest| rest.strip_suffix('`'));
            return suggestion
                .map(|suggestion| mark(&format!("Write `{suggestion}`"), suggestion))
                .unwrap_or_default();
        }
        _ => {}
    }
    let names = [diagnostic.message.as_str(), help].into_iter().flat_map(suggested);
    names.filter_map(|suggestion| replace_name(diagnostic, marked_text, place.start, suggestion)).collect()
}

/// Returns the fix that replaces the wrong name with the intended one.
fn replace_name(diagnostic: &Diagnostic, marked_text: &str, start: usize, suggestion: &str) -> Option<Fix> {
    let range = wrong_name(diagnostic, marked_text, suggestion)?;
    let range = start + range.start..start + range.end;
    Some(Fix { title: format!("Write `{suggestion}`"), range, text: suggestion.to_owned() })
}

/// Returns the range of the wrong name in the text of the primary span.
fn wrong_name(diagnostic: &Diagnostic, marked_text: &str, suggestion: &str) -> Option<Range<usize>> {
    let bare_text = marked_text.trim_matches(['"', '`', '\'', '\\']);
    let is_close = |name: &str| !name.is_empty() && !close_names(name, [suggestion]).is_empty();
    let message = diagnostic.message.split("; did you mean").next().unwrap_or_default();
    // Every second part of a message is a name or a quoted value.
    let quoted_names = message.split(['`', '"']).skip(1).step_by(2);
    let mut candidates: Vec<&str> = quoted_names.filter(|name| is_close(name)).collect();
    candidates.reverse();
    if is_close(bare_text) {
        candidates.push(bare_text);
    }
    candidates.extend(bare_text.split(['.', '/']).filter(|name| is_close(name)));
    let is_unique = |name: &&str| marked_text.match_indices(*name).count() == 1;
    let name = candidates.into_iter().find(is_unique)?;
    let position = marked_text.find(name)?;
    Some(position..position + name.len())
}
