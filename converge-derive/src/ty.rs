//! Analysis of field types by their tokens alone.
//!
//! A macro sees only the spelling of a type. An alias is [`Leaf::Other`], and the generated code leaves the
//! decision to the compiler.

use syn::{GenericArgument, PathArguments, Type};

/// The innermost part of a type without its wrappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Int {
        min: i128,
        max: i128,
    },
    /// `f32` or `f64`.
    Float,
    Bool,
    /// `String` or `PathBuf`.
    Text,
    Duration,
    Time,
    List,
    Map,
    Other,
}

/// Returns the last name of a path and its generic types.
///
/// `std::option::Option<T>` gives `Option`, `[T]`.
pub(crate) fn last_segment(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let path = match ty {
        Type::Path(path) => path,
        Type::Group(group) => return last_segment(&group.elem),
        Type::Paren(paren) => return last_segment(&paren.elem),
        _ => return None,
    };
    let segment = path.path.segments.last()?;
    let generics = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((segment.ident.to_string(), generics))
}

/// Removes the wrappers with these names from a type.
pub(crate) fn unwrap<'a>(ty: &'a Type, wrappers: &[&str]) -> &'a Type {
    match last_segment(ty) {
        Some((name, generics)) if wrappers.contains(&name.as_str()) => match generics.as_slice() {
            [inner] => unwrap(inner, wrappers),
            _ => ty,
        },
        _ => ty,
    }
}

/// Returns the kind of a single value inside `Option`, `Box` and `Secret`.
pub(crate) fn leaf(ty: &Type) -> Leaf {
    fn int(min: impl Into<i128>, max: impl Into<i128>) -> Leaf {
        Leaf::Int { min: min.into(), max: max.into() }
    }
    let Some((name, _)) = last_segment(unwrap(ty, &["Option", "Box", "Secret"])) else { return Leaf::Other };
    match name.as_str() {
        "i8" => int(i8::MIN, i8::MAX),
        "i16" => int(i16::MIN, i16::MAX),
        "i32" => int(i32::MIN, i32::MAX),
        // The target machine may have another pointer size, so the larger range is assumed.
        "i64" | "isize" => int(i64::MIN, i64::MAX),
        "u8" => int(u8::MIN, u8::MAX),
        "u16" => int(u16::MIN, u16::MAX),
        "u32" => int(u32::MIN, u32::MAX),
        "u64" | "usize" => int(u64::MIN, u64::MAX),
        "f32" | "f64" => Leaf::Float,
        "bool" => Leaf::Bool,
        "String" | "PathBuf" => Leaf::Text,
        "Duration" => Leaf::Duration,
        "Timestamp" => Leaf::Time,
        "Vec" | "BTreeSet" | "HashSet" | "IndexSet" => Leaf::List,
        "HashMap" | "BTreeMap" | "IndexMap" => Leaf::Map,
        _ => Leaf::Other,
    }
}

/// Returns the item type of a list or the value type of a map, inside `Option`, `Box` and `Secret`.
pub(crate) fn item(ty: &Type) -> Option<&Type> {
    let (name, generics) = last_segment(unwrap(ty, &["Option", "Box", "Secret"]))?;
    match (name.as_str(), generics.as_slice()) {
        ("Vec" | "OneOrMany" | "BTreeSet", [item])
        | ("HashSet" | "IndexSet", [item] | [item, _])
        | ("BTreeMap", [_, item])
        | ("HashMap" | "IndexMap", [_, item] | [_, item, _]) => Some(item),
        _ => None,
    }
}

/// Returns the innermost item type, to which attributes such as `base` apply.
pub(crate) fn innermost(ty: &Type) -> &Type {
    item(ty).map_or_else(|| unwrap(ty, &["Option", "Box", "Secret"]), innermost)
}

/// Whether the value is a `Secret`, possibly an optional one.
pub(crate) fn is_secret(ty: &Type) -> bool {
    last_segment(unwrap(ty, &["Option", "Box"])).is_some_and(|(name, _)| name == "Secret")
}

pub(crate) fn has_trait_object(ty: &Type) -> bool {
    matches!(ty, Type::TraitObject(_)) || inner(ty).into_iter().any(has_trait_object)
}

/// Whether the type is `ident` or `Self`, or contains one of them.
pub(crate) fn mentions(ty: &Type, ident: &syn::Ident) -> bool {
    is_self(ty, ident) || inner(ty).into_iter().any(|ty| mentions(ty, ident))
}

/// Whether the type is `Self`, or is named like its definition.
pub(crate) fn is_self(ty: &Type, ident: &syn::Ident) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident(ident) || path.path.is_ident("Self"))
}

fn inner(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Group(group) => vec![&group.elem],
        Type::Paren(paren) => vec![&paren.elem],
        Type::Reference(reference) => vec![&reference.elem],
        Type::Array(array) => vec![&array.elem],
        Type::Slice(slice) => vec![&slice.elem],
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        ty => last_segment(ty).map(|(_, generics)| generics).unwrap_or_default(),
    }
}
