//! The rules for spaces between two tokens of a line.

use super::lexeme::{Bracket, LexemeKind};

/// Whether a space separates two tokens.
///
/// `apart` tells whether the source has space there, which matters in a few cases.
pub(super) fn space(before: LexemeKind, after: LexemeKind, apart: bool) -> bool {
    use Bracket::{Brace, Round, Square};
    match (before, after) {
        (_, LexemeKind::Comma) | (LexemeKind::Open(Brace), LexemeKind::Close(Brace)) => false,
        (LexemeKind::Comma | LexemeKind::Open(Brace), _) | (_, LexemeKind::Close(Brace)) => true,
        // `1.` and `-1` are numbers, `1 .` and `- 1` are not; `a...b` may be a name.
        (LexemeKind::Number, LexemeKind::Dot | LexemeKind::Ellipsis)
        | (LexemeKind::Negate, LexemeKind::Number)
        | (
            LexemeKind::Ellipsis,
            LexemeKind::Name
            | LexemeKind::Dotted
            | LexemeKind::Keyword
            | LexemeKind::Number
            | LexemeKind::Minus
            | LexemeKind::Dot,
        ) => apart,
        (LexemeKind::Open(_) | LexemeKind::Not | LexemeKind::Negate, _)
        | (_, LexemeKind::Close(_) | LexemeKind::Dot | LexemeKind::Ellipsis)
        | (
            LexemeKind::Dot | LexemeKind::Dotted,
            LexemeKind::Name | LexemeKind::Dotted | LexemeKind::Number | LexemeKind::Splat,
        )
        | (LexemeKind::Name, LexemeKind::Open(Round)) => false,
        (before, LexemeKind::Open(Square)) => !before.ends_operand(),
        _ => true,
    }
}
