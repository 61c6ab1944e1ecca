//! From the value of a field to names of things.

use crate::types::convert::OneOrMany;

/// A type whose values name things on the machine, so that a field of it can say what it manages or needs.
///
/// Text and numbers name one thing, an empty text none; lists name one for each item. A type with a form of its own says which
/// part of it is the name:
///
/// ```
/// use converge_core::footprint::{Names, kind};
///
/// /// `VOLUME:PATH`.
/// struct Mount {
///     volume: String,
///     path: String,
/// }
///
/// impl Names for Mount {
///     fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
///         if of == kind::VOLUME {
///             add(&self.volume);
///         }
///     }
/// }
///
/// let mut names = Vec::new();
/// let mount = Mount { volume: "data".to_owned(), path: "/var/lib/data".to_owned() };
/// Some(vec![mount]).names(kind::VOLUME, &mut |name| names.push(name.to_owned()));
/// assert_eq!(names, ["data"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name things on the machine",
    label = "the trait `Names` is not implemented for this type",
    note = "implement `converge_core::footprint::Names` for it, or remove `manages`, `ensures`, `needs` or `touches` from the \
            field"
)]
pub trait Names {
    /// Calls `add` with the name of each thing of the kind `of`.
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str));
}

impl Names for str {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        if !self.is_empty() {
            add(self);
        }
    }
}

impl Names for String {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_str().names(of, add);
    }
}

impl<T: Names> Names for Option<T> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(item) = self {
            item.names(of, add);
        }
    }
}

impl<T: Names> Names for [T] {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(of, add);
        }
    }
}

impl<T: Names> Names for Vec<T> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_slice().names(of, add);
    }
}

impl<T: Names> Names for OneOrMany<T> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_slice().names(of, add);
    }
}

/// Numbers name things by their digits: ports, ids.
macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Names for $number {
            fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
                add(&self.to_string());
            }
        }
    )*};
}

numbers!(u8 u16 u32 u64 i32 i64);
