//! Whether a space stands between two tokens of a line.

use super::token::{Bracket, Kind};

/// `apart` says whether there is space in the source, for the few places where it means something.
pub(super) fn space(before: Kind, after: Kind, apart: bool) -> bool {
    use Bracket::{Brace, Round, Square};
    match (before, after) {
        (_, Kind::Comma) | (Kind::Open(Brace), Kind::Close(Brace)) => false,
        (Kind::Comma | Kind::Open(Brace), _) | (_, Kind::Close(Brace)) => true,
        // `1.` and `-1` are numbers, `1 .` and `- 1` are not; `a...b` may be a name.
        (Kind::Number, Kind::Dot | Kind::Ellipsis)
        | (Kind::Negate, Kind::Number)
        | (
            Kind::Ellipsis,
            Kind::Name | Kind::Dotted | Kind::Keyword | Kind::Number | Kind::Minus | Kind::Dot,
        ) => apart,
        (Kind::Open(_) | Kind::Not | Kind::Negate, _)
        | (_, Kind::Close(_) | Kind::Dot | Kind::Ellipsis)
        | (Kind::Dot | Kind::Dotted, Kind::Name | Kind::Dotted | Kind::Number | Kind::Splat)
        | (Kind::Name, Kind::Open(Round)) => false,
        (before, Kind::Open(Square)) => !before.ends_operand(),
        _ => true,
    }
}
