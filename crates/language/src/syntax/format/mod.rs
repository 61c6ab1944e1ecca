//! The canonical form of a module.
//!
//! The tree has no comments, so the parser only checks that the text is valid, and the form is made from
//! tokens (`lexeme`). `layout` determines the gap before each token, using the rules of `space` within a
//! line. `lines` indents and aligns. The gap depends only on the surrounding tokens, so one pass reaches the
//! canonical form.

mod layout;
mod lexeme;
mod lines;
mod space;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::diagnostic::{Diagnostics, FileId};

use lexeme::LexemeKind;

/// Returns the text of a module in canonical form; borrowed if it already has that form.
///
/// The form is that of `terraform fmt`: two spaces per level, one space around operators, `=` and trailing
/// comments aligned in runs of lines.
///
/// - Inside brackets, lines end where they end in the source.
/// - Each item of a file or block has its own line; a block with a single attribute may stay on one.
/// - Several empty lines become one. Empty lines at the beginning and end of a file or block are removed, and
///   none are added.
/// - Commas between items of a block are removed. Entries of a map that share a line are separated by a
///   comma.
/// - Comments, and the bytes of strings and heredocs, are kept. Line ends become `\n`, and a byte order mark
///   is removed.
///
/// Formatting the result again changes nothing. A text with errors is not formatted, so that nothing of it is
/// lost; the errors are returned.
///
/// ```
/// use converge_core::{diagnostic::SourceMap, syntax};
///
/// let text = "task.query \"os\" {check=\"uname\"   # which system\n\n\n interpreter =\"/bin/sh\"}";
/// let file = SourceMap::new().add("os.hcl", text);
/// let formatted = syntax::format(file, text).expect("the text has no mistakes");
/// assert_eq!(formatted, r#"task.query "os" {
///   check = "uname" # which system
///
///   interpreter = "/bin/sh"
/// }
/// "#);
/// ```
pub fn format(file: FileId, text: &str) -> Result<Cow<'_, str>, Diagnostics> {
    let (_, diagnostics) = super::parser::parse(file, text);
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    let formatted = print(text.strip_prefix('\u{feff}').unwrap_or(text));
    Ok(if formatted == text { Cow::Borrowed(text) } else { Cow::Owned(formatted) })
}

fn print(source: &str) -> String {
    let tokens = lexeme::lexemes(source);
    let placed = layout::lay_out(source, &tokens);
    drop(tokens);
    let mut lines = lines::lines(&placed);
    lines::align(source, &placed, &mut lines);
    let mut text = String::with_capacity(source.len() + source.len() / 8);
    let pad = |text: &mut String, spaces| text.extend(std::iter::repeat_n(' ', spaces));
    for line in &lines {
        if line.blank_before {
            text.push('\n');
        }
        pad(&mut text, line.indent);
        for (index, placed) in line.tokens.clone().zip(&placed[line.tokens.clone()]) {
            if index > line.tokens.start {
                pad(&mut text, lines::spaces(line, index, placed));
            }
            match placed.text(source) {
                comment if placed.kind() == LexemeKind::BlockComment => {
                    text.push_str(&comment.replace("\r\n", "\n"));
                }
                other => text.push_str(other),
            }
        }
        text.push('\n');
    }
    text
}
