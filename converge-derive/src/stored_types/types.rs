//! Checks of field types by their spelling. The compiler checks the rest with the trait `Field`.

use quote::ToTokens;
use syn::Type;

use crate::error_collector::Ctxt;
use crate::ty::last_segment;

/// The last name of a path with its generic types; empty for other types.
struct Spelling<'a> {
    name: String,
    generics: Vec<&'a Type>,
}

impl<'a> Spelling<'a> {
    fn from_type(ty: &'a Type) -> Self {
        let (name, generics) = last_segment(ty).unwrap_or_default();
        Self { name, generics }
    }

    fn view(&self) -> (&str, &[&'a Type]) {
        (&self.name, &self.generics)
    }
}

pub(super) fn check(cx: &Ctxt, ty: &Type) {
    match Spelling::from_type(ty).view() {
        ("Option", [inner]) => optional(cx, ty, inner),
        ("Vec", [item]) if !is_bytes(ty) => items(cx, item, "list"),
        ("BTreeMap", [key, item]) => {
            keys(cx, key);
            items(cx, item, "map");
        }
        ("Ref", [_]) => {
            let message = format!("no reference stands for a missing field: write `Option<{}>`", spelled(ty));
            cx.error(ty, message);
        }
        _ => value(cx, ty),
    }
}

/// Returns the enum in the type of a oneof field.
pub(super) fn oneof<'a>(cx: &Ctxt, ty: &'a Type) -> Option<&'a Type> {
    if let ("Option", [inner]) = Spelling::from_type(ty).view() {
        return Some(inner);
    }
    cx.error(ty, format!("none of the fields may be there: write `Option<{}>`", spelled(ty)));
    None
}

/// Reports a type that evidently cannot be the type of a field in a oneof.
pub(super) fn check_member(cx: &Ctxt, ty: &Type) {
    match Spelling::from_type(ty).view() {
        ("Option", [inner]) => {
            let message = format!("a variant is there or not, which says enough: write `{}`", spelled(inner));
            cx.error(ty, message);
        }
        _ => items(cx, ty, "oneof"),
    }
}

fn optional(cx: &Ctxt, ty: &Type, inner: &Type) {
    match Spelling::from_type(inner).view() {
        ("Option", [_]) => cx.error(ty, "protobuf has no option in an option: write one `Option`"),
        ("Vec" | "BTreeMap", _) if !is_bytes(inner) => {
            let message = format!(
                "protobuf has no list or map that is absent, only empty ones: write `{}`",
                spelled(inner)
            );
            cx.error(ty, message);
        }
        _ => value(cx, inner),
    }
}

fn items(cx: &Ctxt, item: &Type, holder: &str) {
    let container = match Spelling::from_type(item).view() {
        ("Vec", _) if !is_bytes(item) => "list",
        ("BTreeMap", _) => "map",
        ("Option", _) => "option",
        _ => return value(cx, item),
    };
    let message = format!(
        "protobuf has no {container} in a {holder}: write a struct with `#[derive(StoredMessage)]` that holds the {container}"
    );
    cx.error(item, message);
}

fn keys(cx: &Ctxt, key: &Type) {
    let spelling = Spelling::from_type(key);
    let others = ["f32", "f64", "Bytes", "Duration", "Timestamp", "Id"];
    // These types encode numbers in another way, which keys do not support.
    let is_encoded = ["Sint", "Fixed"].contains(&spelling.name.as_str());
    if !is_encoded && (!spelling.generics.is_empty() || others.contains(&spelling.name.as_str())) {
        let message = format!(
            "`{}` cannot be the key of a map: write `String`, `bool`, `i32`, `i64`, `u32` or `u64`",
            spelled(key)
        );
        cx.error(key, message);
    } else {
        value(cx, key);
    }
}

fn value(cx: &Ctxt, ty: &Type) {
    let help = match ty {
        Type::Tuple(_) => "its parts have no names: write a struct with `#[derive(StoredMessage)]`",
        Type::Array(_) | Type::Slice(_) => "protobuf has no list of a fixed length: write `Vec`",
        Type::Reference(_) => "stored data own what they hold: write the type without `&`",
        Type::Group(group) => return value(cx, &group.elem),
        Type::Paren(paren) => return value(cx, &paren.elem),
        Type::Path(_) => match Spelling::from_type(ty).view() {
            ("Box", [inner]) => return value(cx, inner),
            (name, _) => match instead_of(name) {
                Some(help) => help,
                None => return,
            },
        },
        _ => "it has no form in bytes: write a struct with `#[derive(StoredMessage)]`",
    };
    cx.error(ty, format!("`{}` cannot be stored: {help}", spelled(ty)));
}

/// Returns the suggestion to replace a type of this name.
fn instead_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "u8" | "u16" => "protobuf has no number of this size: write `u32`",
        "i8" | "i16" => "protobuf has no number of this size: write `i32`",
        "usize" => "its size is that of the machine: write `u64`",
        "isize" => "its size is that of the machine: write `i64`",
        "u128" | "i128" => "protobuf has no number of this size: write `Vec<u8>` or `String`",
        "char" | "str" | "PathBuf" | "OsString" => "write `String`",
        "HashMap" | "IndexMap" => "its order is another each time: write `BTreeMap`",
        "HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" => "write `Vec`",
        "SystemTime" | "Instant" | "Zoned" => "write `jiff::Timestamp`",
        "Rc" | "Arc" | "Cow" | "RefCell" | "Mutex" => "write the type inside it",
        _ => return None,
    })
}

fn is_bytes(ty: &Type) -> bool {
    matches!(Spelling::from_type(ty).view(), ("Vec", [item]) if matches!(Spelling::from_type(item).view(), ("u8", [])))
}

/// Returns the type as written, without the spaces between tokens.
pub(super) fn spelled(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    let mut spelled = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let words = spelled.ends_with(|last: char| last.is_alphanumeric() || last == ',' || last == ';')
            && chars
                .peek()
                .is_some_and(|next| next.is_alphanumeric() || *next == '&' || *next == '[' || *next == '(');
        if c != ' ' || words {
            spelled.push(c);
        }
    }
    spelled
}
