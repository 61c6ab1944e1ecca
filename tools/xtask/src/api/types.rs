//! The conversion of types, bounds and signatures from rustdoc's JSON to Rust syntax.

use serde_json::Value;

/// Formats and joins the elements of a list.
fn join(values: &Value, separator: &str, render: impl Fn(&Value) -> String) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    values.iter().map(render).collect::<Vec<_>>().join(separator)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Formats a lifetime as a prefix.
fn before(lifetime: &Value) -> String {
    lifetime.as_str().map(|name| format!("{name} ")).unwrap_or_default()
}

/// Formats a type.
///
/// Unknown forms are shown as JSON, so that changes of them are noticed.
pub(super) fn format_type(value: &Value) -> String {
    let Some((kind, inner)) = value.as_object().and_then(|value| value.iter().next()) else {
        return if value == "infer" { "_".to_owned() } else { value.to_string() };
    };
    match kind.as_str() {
        "primitive" if inner == "never" => "!".to_owned(),
        "primitive" | "generic" => text(inner).to_owned(),
        "resolved_path" => path(inner),
        "borrowed_ref" => {
            let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
            format!("&{}{mutable}{}", before(&inner["lifetime"]), format_type(&inner["type"]))
        }
        "raw_pointer" => {
            let mutable = if inner["is_mutable"] == true { "mut" } else { "const" };
            format!("*{mutable} {}", format_type(&inner["type"]))
        }
        "tuple" => match inner.as_array().map(Vec::as_slice) {
            Some([one]) => format!("({},)", format_type(one)),
            _ => format!("({})", join(inner, ", ", format_type)),
        },
        "slice" => format!("[{}]", format_type(inner)),
        "array" => format!("[{}; {}]", format_type(&inner["type"]), text(&inner["len"])),
        "impl_trait" => format!("impl {}", bounds(inner)),
        "dyn_trait" => {
            let traits = join(&inner["traits"], " + ", |item| {
                format!("{}{}", binder(&item["generic_params"]), path(&item["trait"]))
            });
            let lifetime = inner["lifetime"].as_str().map(|name| format!(" + {name}"));
            format!("dyn {traits}{}", lifetime.unwrap_or_default())
        }
        "qualified_path" => qualified(inner),
        "function_pointer" => {
            let (inputs, output) =
                (join(&inner["sig"]["inputs"], ", ", |input| format_type(&input[1])), &inner["sig"]);
            format!("{}fn({inputs}){}", binder(&inner["generic_params"]), returned(&output["output"]))
        }
        _ => value.to_string(),
    }
}

/// Formats an associated type: `Self::Out`, or with the trait if that is ambiguous.
fn qualified(inner: &Value) -> String {
    let (self_type, name) = (format_type(&inner["self_type"]), text(&inner["name"]));
    let args = arguments(&inner["args"]);
    match inner["trait"]["path"].as_str() {
        None | Some("") => format!("{self_type}::{name}{args}"),
        Some(_) => format!("<{self_type} as {}>::{name}{args}", path(&inner["trait"])),
    }
}

/// Formats a path with its arguments.
pub(super) fn path(value: &Value) -> String {
    // The paths of derived and handwritten code are made equal.
    let name = text(&value["path"]);
    let name = name.strip_prefix("$crate::").unwrap_or(name);
    format!("{name}{}", arguments(&value["args"]))
}

fn arguments(args: &Value) -> String {
    let listed = &args["angle_bracketed"];
    if listed.is_object() {
        let render = |arg: &Value| match arg.as_object().and_then(|arg| arg.iter().next()) {
            Some((kind, inner)) if kind == "type" => format_type(inner),
            Some((kind, inner)) if kind == "lifetime" => text(inner).to_owned(),
            Some((kind, inner)) if kind == "const" => text(&inner["expr"]).to_owned(),
            _ => "_".to_owned(),
        };
        let constraint = |arg: &Value| {
            let name = format!("{}{}", text(&arg["name"]), arguments(&arg["args"]));
            let equal = &arg["binding"]["equality"];
            match equal["type"].is_null() && equal["constant"].is_null() {
                false if equal["type"].is_null() => format!("{name} = {}", text(&equal["constant"]["expr"])),
                false => format!("{name} = {}", format_type(&equal["type"])),
                true => format!("{name}: {}", bounds(&arg["binding"]["constraint"])),
            }
        };
        let (args, constraints) =
            (join(&listed["args"], ", ", render), join(&listed["constraints"], ", ", constraint));
        let list: Vec<_> = [args, constraints].into_iter().filter(|part| !part.is_empty()).collect();
        return if list.is_empty() { String::new() } else { format!("<{}>", list.join(", ")) };
    }
    let signature = &args["parenthesized"];
    if signature.is_object() {
        return format!(
            "({}){}",
            join(&signature["inputs"], ", ", format_type),
            returned(&signature["output"])
        );
    }
    String::new()
}

fn returned(output: &Value) -> String {
    if output.is_null() { String::new() } else { format!(" -> {}", format_type(output)) }
}

/// Formats `for<'a> ` if there are bound lifetimes.
fn binder(params: &Value) -> String {
    let names = join(params, ", ", |param| text(&param["name"]).to_owned());
    if names.is_empty() { names } else { format!("for<{names}> ") }
}

/// Formats bounds: `Clone + Send + 'a`.
pub(super) fn bounds(bounds: &Value) -> String {
    join(bounds, " + ", |bound| {
        let required = &bound["trait_bound"];
        if required.is_object() {
            let modifier = match text(&required["modifier"]) {
                "maybe" => "?",
                "maybe_const" => "[const] ",
                _ => "",
            };
            return format!("{modifier}{}{}", binder(&required["generic_params"]), path(&required["trait"]));
        }
        if let Some(lifetime) = bound["outlives"].as_str() {
            return lifetime.to_owned();
        }
        let captured = join(&bound["use"], ", ", |arg| {
            let name = arg.as_str().or(arg["lifetime"].as_str()).or(arg["param"].as_str());
            name.unwrap_or_default().to_owned()
        });
        format!("use<{captured}>")
    })
}

/// Returns generic parameters and their where clause.
pub(super) fn generics(value: &Value) -> (String, String) {
    let params = value["params"].as_array().map(Vec::as_slice).unwrap_or_default();
    // An argument of type `impl Trait` is shown in the signature.
    let visible = params.iter().filter(|param| param["kind"]["type"]["is_synthetic"] != true);
    let visible: Vec<_> = visible.map(parameter).collect();
    let params = if visible.is_empty() { String::new() } else { format!("<{}>", visible.join(", ")) };
    let mut predicates: Vec<String> = Vec::new();
    for predicate in value["where_predicates"].as_array().map(Vec::as_slice).unwrap_or_default() {
        predicates.push(where_predicate(predicate));
    }
    // The original order depends on the compiler.
    predicates.sort();
    let required =
        if predicates.is_empty() { String::new() } else { format!(" where {}", predicates.join(", ")) };
    (params, required)
}

fn parameter(param: &Value) -> String {
    let name = text(&param["name"]);
    let kind = &param["kind"];
    if kind["type"].is_object() {
        let bounds = bounds(&kind["type"]["bounds"]);
        let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
        let default = &kind["type"]["default"];
        let default = if default.is_null() { String::new() } else { format!(" = {}", format_type(default)) };
        return format!("{name}{bounds}{default}");
    }
    if kind["const"].is_object() {
        let default = kind["const"]["default"].as_str().map(|value| format!(" = {value}"));
        return format!(
            "const {name}: {}{}",
            format_type(&kind["const"]["type"]),
            default.unwrap_or_default()
        );
    }
    let outlives = join(&kind["lifetime"]["outlives"], " + ", |name| text(name).to_owned());
    if outlives.is_empty() { name.to_owned() } else { format!("{name}: {outlives}") }
}

fn where_predicate(predicate: &Value) -> String {
    let bound = &predicate["bound_predicate"];
    if bound.is_object() {
        let mut bounds: Vec<_> = bounds(&bound["bounds"]).split(" + ").map(str::to_owned).collect();
        // A derive repeats existing bounds.
        if !bounds.iter().any(|bound| bound.contains(['<', '('])) {
            bounds.sort();
            bounds.dedup();
        }
        return format!(
            "{}{}: {}",
            binder(&bound["generic_params"]),
            format_type(&bound["type"]),
            bounds.join(" + ")
        );
    }
    let lifetime = &predicate["lifetime_predicate"];
    if lifetime.is_object() {
        let outlives = join(&lifetime["outlives"], " + ", |name| text(name).to_owned());
        return format!("{}: {outlives}", text(&lifetime["lifetime"]));
    }
    predicate.to_string()
}

/// Returns a signature such as `(&self, name: &str) -> String`, and the qualifiers before `fn`.
pub(super) fn function(value: &Value) -> (String, String) {
    let header = &value["header"];
    let words = [("is_const", "const "), ("is_async", "async "), ("is_unsafe", "unsafe ")];
    let before: String =
        words.iter().filter(|(name, _)| header[*name] == true).map(|(_, word)| *word).collect();
    let input = |input: &Value| match (text(&input[0]), &input[1]) {
        ("self", own) if own["generic"] == "Self" => "self".to_owned(),
        ("self", own) if own["borrowed_ref"]["type"]["generic"] == "Self" => {
            format_type(own).replace("Self", "self")
        }
        (name, of) => format!("{name}: {}", format_type(of)),
    };
    let (params, required) = generics(&value["generics"]);
    let signature = &value["sig"];
    let inputs = join(&signature["inputs"], ", ", input);
    let output = returned(&signature["output"]);
    match output.strip_prefix(ASYNC).and_then(|rest| rest.strip_suffix(IN_TRAIT)) {
        Some("()") => ("async ".to_owned(), format!("({}){}", plain(&inputs), plain_where(&required))),
        Some(output) => (
            "async ".to_owned(),
            format!("({}) -> {}{}", plain(&inputs), plain(output), plain_where(&required)),
        ),
        None => (before, format!("{params}({inputs}){output}{required}")),
    }
}

/// The return type that `#[async_trait]` generates, up to the original type.
const ASYNC: &str = " -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = ";
const IN_TRAIT: &str = "> + ::core::marker::Send + 'async_trait>>";

/// Removes the lifetimes that `#[async_trait]` adds.
fn plain(text: &str) -> String {
    let mut parts = text.split("&'life");
    let mut output = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        output.push('&');
        output.push_str(part.trim_start_matches(|char: char| char.is_ascii_digit()).trim_start());
    }
    output
}

/// Removes these lifetimes from a where clause.
fn plain_where(required: &str) -> String {
    let predicates = required.strip_prefix(" where ").unwrap_or_default().split(", ");
    let clauses: Vec<_> =
        predicates.filter(|clause| !clause.is_empty() && !clause.contains("'async_trait")).collect();
    if clauses.is_empty() { String::new() } else { format!(" where {}", clauses.join(", ")) }
}
