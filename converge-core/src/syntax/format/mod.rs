//! The canonical form of a module.
//!
//! A tree without comments could not give them back, so the parser only says whether the text is right, and the form is
//! made from tokens (`lexeme`). `layout` decides what stands before each, by the rules of `space` inside a line, and
//! `lines` indents and aligns. What stands before a token follows from those around it, so the form is reached in one step.

mod layout;
mod lexeme;
mod lines;
mod space;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::diagnostic::{Diagnostics, FileId};

use lexeme::LexemeKind;

/// The text of a module in canonical form; borrowed when it is in that form already.
///
/// It is the form of `terraform fmt`: two spaces for each level, `=` and comments at the ends of lines
/// aligned in runs of lines, one space around operators. Lines end where they end in the source inside
/// brackets, but each item of a file or a block has a line of its own, and a block with a single attribute
/// may stay on one. Of several empty lines one is kept, and none at the beginning or the end of a file or a block; none is
/// added. Commas between items of a block are dropped, and entries of a map that share a line get one.
/// Comments, and the bytes of strings and heredocs, are kept; line ends become `\n`, and a byte order
/// mark is dropped. Formatting the result again changes nothing.
///
/// A text with mistakes is not formatted, so that nothing of it can be lost; the mistakes are returned.
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
        for (at, placed) in line.tokens.clone().zip(&placed[line.tokens.clone()]) {
            if at > line.tokens.start {
                pad(&mut text, lines::spaces(line, at, placed));
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
