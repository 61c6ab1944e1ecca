//! Checks that a lookup names an export.

use converge_value::types::schema::{ExportField, Shape};

/// Checks that a path of names leads to an export.
///
/// Otherwise returns the first wrong name, and the names that exist in its place.
pub(super) fn check<'a, 'p>(
    exports: &'a [ExportField],
    path: &[&'p str],
) -> Result<(), (&'p str, &'a [ExportField])> {
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    let export = exports.iter().find(|export| export.name.eq_ignore_ascii_case(first));
    match (&export.ok_or((*first, exports))?.shape, rest.first()) {
        (Shape::Struct(inner), _) => check(inner, rest),
        (Shape::Plain, Some(next)) => Err((*next, &[])),
        (Shape::Open, _) | (Shape::Plain, None) => Ok(()),
    }
}
