//! From the value of a field to names of things.

use std::collections::{BTreeSet, HashSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::NonZero;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;

use crate::types::convert::OneOrMany;

/// A type whose values name things on the machine, so that a field of it can say what it manages or needs.
///
/// Text, paths, numbers and addresses name one thing, an empty text none; lists and sets name one for each item. A type with a form of
/// its own says which part of it is the name:
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

/// A path of a field was read from text. One that is no text, which only code can make, names nothing that a module could.
impl Names for Path {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(path) = self.to_str() {
            path.names(of, add);
        }
    }
}

impl Names for PathBuf {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        self.as_path().names(of, add);
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

impl<T: Names> Names for BTreeSet<T> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(of, add);
        }
    }
}

impl<T: Names, S> Names for IndexSet<T, S> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        for item in self {
            item.names(of, add);
        }
    }
}

/// In the order of the names, as a set that is hashed has none.
impl<T: Names, S> Names for HashSet<T, S> {
    fn names(&self, of: &'static str, add: &mut dyn FnMut(&str)) {
        let mut names = BTreeSet::new();
        for item in self {
            item.names(of, &mut |name| {
                names.insert(name.to_owned());
            });
        }
        for name in &names {
            add(name);
        }
    }
}

/// Numbers name things by their digits, such as ports and ids, and addresses as they are written.
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
