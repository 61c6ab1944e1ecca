//! Names of things, read from the values of fields.

use std::collections::{BTreeSet, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use crate::types::convert::OneOrMany;

/// A type whose values name things on the machine, for fields that declare a footprint.
///
/// Text, paths, numbers and addresses name one thing, and an empty text names none. Lists and sets name one
/// thing for each item. A type with another format returns the part that is the name:
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
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str));
}

impl Names for str {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        if !self.is_empty() {
            add(self);
        }
    }
}

impl Names for String {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_str().names(kind, add);
    }
}

/// Names the path as text. A path that is not valid text names nothing; only code can make one.
impl Names for Path {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(path) = self.to_str() {
            path.names(kind, add);
        }
    }
}

impl Names for PathBuf {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_path().names(kind, add);
    }
}

impl<T: Names> Names for Option<T> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(item) = self {
            item.names(kind, add);
        }
    }
}

impl<T: Names> Names for [T] {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(kind, add);
        }
    }
}

impl<T: Names> Names for Vec<T> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_slice().names(kind, add);
    }
}

impl<T: Names> Names for OneOrMany<T> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_slice().names(kind, add);
    }
}

impl<T: Names> Names for BTreeSet<T> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(kind, add);
        }
    }
}

impl<T: Names, S> Names for IndexSet<T, S> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(kind, add);
        }
    }
}

/// Names the items in sorted order, because a hash set has no stable order.
impl<T: Names, S> Names for HashSet<T, S> {
    fn names(&self, kind: &'static str, add: &mut dyn FnMut(&str)) {
        let mut names = BTreeSet::new();
        for item in self {
            item.names(kind, &mut |name| {
                names.insert(name.to_owned());
            });
        }
        for name in &names {
            add(name);
        }
    }
}

/// Implements the trait for numbers and addresses, which name things by their text form.
macro_rules! written {
    ($($written:ty)*) => {$(
        impl Names for $written {
            fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
                add(&self.to_string());
            }
        }
    )*};
}

written!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
written!(NonZero<u8> NonZero<u16> NonZero<u32> NonZero<u64> NonZero<usize>);
written!(NonZero<i8> NonZero<i16> NonZero<i32> NonZero<i64> NonZero<isize>);
written!(IpAddr Ipv4Addr Ipv6Addr SocketAddr SocketAddrV4 SocketAddrV6);
