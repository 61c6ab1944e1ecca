//! The public items of a crate as lines of text.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde_json::Value;

use super::types::{bounds, format_type, function, generics, path};

/// A line with the path by which it is sorted.
type Line = (String, String);

/// The crates whose items are listed where another crate re-exports them.
const FOLLOWED: [&str; 12] = [
    "converge_value",
    "converge_system",
    "converge_sdk",
    "converge_language",
    "converge_graph",
    "converge_source",
    "converge_load",
    "converge_engine",
    "converge_view",
    "converge_assist",
    "converge_testing",
    "converge_plugin",
];

/// Returns the public items of a crate; `crates` holds the JSON of rustdoc by crate name.
pub(super) fn list(name: &str, crates: &HashMap<String, Value>) -> Vec<String> {
    let Some(krate) = crates.get(name) else { return Vec::new() };
    let mut listing = Listing { crates, krate, lines: BTreeSet::new(), named: HashMap::new() };
    listing.all();
    listing.lines.into_iter().map(|(_, line)| line).collect()
}

struct Listing<'a> {
    crates: &'a HashMap<String, Value>,
    /// The crate of the item at hand.
    krate: &'a Value,
    lines: BTreeSet<Line>,
    /// The path under which each item was listed.
    named: HashMap<String, String>,
}

/// A place to search for items: a module, or the target of a glob in a module.
struct Place<'a> {
    krate: &'a Value,
    items: &'a Value,
    path: String,
}

impl<'a> Listing<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.krate["index"].get(id.to_string())
    }

    fn those(&self, ids: &Value) -> Vec<&'a Value> {
        array(ids).filter_map(|id| self.item(id)).collect()
    }

    /// Whether an `impl` is for a type of this crate, with which it is listed.
    fn is_of_own(&self, id: &Value) -> bool {
        let target = self.item(id).map(|found| &inner(found).1["for"]["resolved_path"]["id"]);
        target.and_then(|entry| self.item(entry)).is_some_and(|of| of["crate_id"] == 0)
    }

    /// Returns the target of a re-export and its crate.
    fn target(&self, reexport: &Value) -> Option<(&'a Value, &'a Value)> {
        if let Some(item) = self.item(&reexport["id"]) {
            return Some((self.krate, item));
        }
        let id = reexport["id"].to_string();
        let path: Vec<&str> = match self.krate["paths"][&id]["path"].as_array() {
            Some(path) => path.iter().map(text).collect(),
            None => text(&reexport["source"]).split("::").collect(),
        };
        let krate = self.crates.get(*path.first().filter(|name| FOLLOWED.contains(name))?)?;
        if path.len() == 1 {
            return Some((krate, krate["index"].get(krate["root"].to_string())?));
        }
        let has_path = |entry: &Value| array(&entry["path"]).map(text).eq(path.iter().copied());
        let paths = krate["paths"].as_object()?;
        let mut found = paths.iter().filter(|(_, entry)| entry["crate_id"] == 0 && has_path(entry));
        found.find_map(|(id, _)| Some((krate, krate["index"].get(id)?))).or_else(|| reexported(krate, &path))
    }

    /// Lists all modules, those near the root first.
    ///
    /// An item with several paths is therefore listed by the shortest one.
    fn all(&mut self) {
        let krate = self.krate;
        let Some(root) = self.item(&krate["root"]) else { return };
        let name = text(&root["name"]).to_owned();
        let items = &root["inner"]["module"]["items"];
        let mut places = VecDeque::from([Place { krate, items, path: name }]);
        while let Some(Place { krate, items, path }) = places.pop_front() {
            for id in array(items) {
                self.krate = krate;
                if let Some(item) = self.item(id) {
                    self.place(item, &path, &mut places);
                }
            }
        }
    }

    fn place(&mut self, item: &'a Value, parent: &str, places: &mut VecDeque<Place<'a>>) {
        let (kind, inner) = inner(item);
        let path = format!("{parent}::{}", text(&item["name"]));
        match kind {
            "module" => {
                self.add(&path, format!("mod {path}"));
                places.push_back(Place { krate: self.krate, items: &inner["items"], path });
            }
            "use" if inner["is_glob"] == true => match self.target(inner) {
                Some((krate, module)) if self::inner(module).0 == "module" => {
                    let items = &self::inner(module).1["items"];
                    places.push_back(Place { krate, items, path: parent.to_owned() });
                }
                _ => self.add(parent, format!("use {parent}::* = {}::*", text(&inner["source"]))),
            },
            "use" => {
                let path = format!("{parent}::{}", text(&inner["name"]));
                match self.target(inner) {
                    Some((krate, target)) if self::inner(target).0 == "module" => {
                        self.add(&path, format!("mod {path}"));
                        places.push_back(Place { krate, items: &self::inner(target).1["items"], path });
                    }
                    Some((krate, target)) => {
                        self.krate = krate;
                        self.once(target, &path);
                    }
                    None => self.add(&path, format!("use {path} = {}", text(&inner["source"]))),
                }
            }
            _ => self.once(item, &path),
        }
    }

    /// Lists an item, or refers to the path under which it was listed.
    fn once(&mut self, item: &Value, path: &str) {
        let id = format!("{} {}", self.krate["index"][self.krate["root"].to_string()]["name"], item["id"]);
        match self.named.get(&id) {
            Some(original) if original == path => {}
            Some(original) => {
                let line = format!("use {path} = {original}");
                self.add(path, line);
            }
            None => {
                self.named.insert(id, path.to_owned());
                self.whole(item, path);
            }
        }
    }

    fn whole(&mut self, item: &Value, path: &str) {
        let (kind, inner) = inner(item);
        let (params, required) = generics(&inner["generics"]);
        let open = if array(&item["attrs"]).any(|attr| attr == "non_exhaustive") {
            "#[non_exhaustive] "
        } else {
            ""
        };
        match kind {
            "struct" | "union" => {
                self.add(
                    path,
                    format!("{open}{kind} {path}{params}{}{required}", self.tuple(&inner["kind"]["tuple"])),
                );
                let struct_fields = &inner["kind"]["plain"];
                self.fields(if kind == "union" { &inner["fields"] } else { &struct_fields["fields"] }, path);
                if struct_fields["has_stripped_fields"] == true {
                    self.add(&format!("{path}::.."), format!("field {path}::.. (private)"));
                }
                self.implementations(&inner["impls"], path);
            }
            "enum" => {
                self.add(path, format!("{open}enum {path}{params}{required}"));
                for variant in self.those(&inner["variants"]) {
                    self.variant(variant, path);
                }
                self.implementations(&inner["impls"], path);
            }
            "trait" => {
                let bounds = bounds(&inner["bounds"]);
                let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
                let marks = [("is_unsafe", "unsafe "), ("is_auto", "auto ")];
                let marks: String =
                    marks.iter().filter(|(name, _)| inner[*name] == true).map(|(_, mark)| *mark).collect();
                self.add(path, format!("{marks}trait {path}{params}{bounds}{required}"));
                self.members(&inner["items"], path, true);
                let of_others: Vec<Value> =
                    array(&inner["implementations"]).filter(|id| !self.is_of_own(id)).cloned().collect();
                self.implementations(&Value::Array(of_others), path);
            }
            "function" => {
                let (before, rest) = function(inner);
                self.add(path, format!("{before}fn {path}{rest}"));
            }
            "type_alias" => {
                self.add(path, format!("type {path}{params} = {}{required}", format_type(&inner["type"])));
            }
            "constant" => self.add(path, format!("const {path}: {}", format_type(&inner["type"]))),
            "static" => self.add(path, format!("static {path}: {}", format_type(&inner["type"]))),
            // The pattern of a macro is omitted, because it does not describe the valid arguments.
            "macro" => self.add(path, format!("macro {path}!")),
            "proc_macro" => {
                let helpers: Vec<_> = array(&inner["helpers"]).map(text).collect();
                self.add(path, format!("{} macro {path} [{}]", text(&inner["kind"]), helpers.join(", ")));
            }
            _ => self.add(path, format!("{kind} {path}")),
        }
    }

    fn variant(&mut self, variant: &Value, path: &str) {
        let (_, inner) = inner(variant);
        let path = format!("{path}::{}", text(&variant["name"]));
        let open = if array(&variant["attrs"]).any(|attr| attr == "non_exhaustive") {
            "#[non_exhaustive] "
        } else {
            ""
        };
        let value = inner["discriminant"]["value"].as_str().map(|value| format!(" = {value}"));
        self.add(
            &path,
            format!(
                "{open}variant {path}{}{}",
                self.tuple(&inner["kind"]["tuple"]),
                value.unwrap_or_default()
            ),
        );
        self.fields(&inner["kind"]["struct"]["fields"], &path);
    }

    /// Formats the fields of a tuple: `(u8, _)`, where `_` is private.
    fn tuple(&self, fields: &Value) -> String {
        if !fields.is_array() {
            return String::new();
        }
        let field_type =
            |id: &Value| self.item(id).map_or("_".to_owned(), |field| format_type(inner(field).1));
        format!("({})", array(fields).map(field_type).collect::<Vec<_>>().join(", "))
    }

    fn fields(&mut self, fields: &Value, path: &str) {
        for field in self.those(fields) {
            let path = format!("{path}::{}", text(&field["name"]));
            self.add(&path, format!("field {path}: {}", format_type(inner(field).1)));
        }
    }

    /// Lists the members of a trait or of an inherent `impl`.
    fn members(&mut self, members: &Value, path: &str, of_trait: bool) {
        for member in self.those(members) {
            let path = format!("{path}::{}", text(&member["name"]));
            let (kind, inner) = inner(member);
            let body = |has_body: bool| if of_trait && has_body { " { .. }" } else { "" };
            let line = match kind {
                "function" => {
                    let (before, rest) = function(inner);
                    format!("{before}fn {path}{rest}{}", body(inner["has_body"] == true))
                }
                "assoc_const" => {
                    format!(
                        "const {path}: {}{}",
                        format_type(&inner["type"]),
                        body(!inner["value"].is_null())
                    )
                }
                "assoc_type" => {
                    let (params, required) = generics(&inner["generics"]);
                    let bounds = bounds(&inner["bounds"]);
                    let bounds = if bounds.is_empty() { bounds } else { format!(": {bounds}") };
                    let default = &inner["type"];
                    let default = if default.is_null() {
                        String::new()
                    } else {
                        format!(" = {}", format_type(default))
                    };
                    format!("type {path}{params}{bounds}{default}{required}")
                }
                kind => format!("{kind} {path}"),
            };
            self.add(&path, line);
        }
    }

    /// Lists the methods of a type, and the trait implementations for it or for types of other crates.
    fn implementations(&mut self, impls: &Value, path: &str) {
        for item in self.those(impls) {
            let (_, inner) = inner(item);
            // Implementations that the compiler derives are not listed.
            if inner["is_synthetic"] == true || !inner["blanket_impl"].is_null() {
                continue;
            }
            if inner["trait"].is_null() {
                self.members(&inner["items"], path, false);
                continue;
            }
            let (params, required) = generics(&inner["generics"]);
            let negation = if inner["is_negative"] == true { "!" } else { "" };
            let (of_trait, self_type) = (self::path(&inner["trait"]), format_type(&inner["for"]));
            self.add(
                &format!("{path}::{{impl"),
                format!("impl{params} {negation}{of_trait} for {self_type}{required}"),
            );
        }
    }

    fn add(&mut self, path: &str, line: String) {
        self.lines.insert((path.to_owned(), line));
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns the kind of an item and its details.
fn inner(item: &Value) -> (&str, &Value) {
    let inner = item["inner"].as_object().and_then(|inner| inner.iter().next());
    inner.map_or(("", &Value::Null), |(kind, inner)| (kind.as_str(), inner))
}

/// Returns the item that the root of a crate re-exports from a private module under this path.
fn reexported<'a>(krate: &'a Value, path: &[&str]) -> Option<(&'a Value, &'a Value)> {
    let [_, name] = path else { return None };
    let item = |id: &Value| krate["index"].get(id.to_string());
    let root = item(&krate["root"])?;
    let mut uses = array(&inner(root).1["items"]).filter_map(item).map(|found| &found["inner"]["use"]);
    let found = uses.find(|reexport| text(&reexport["name"]) == *name)?;
    Some((krate, item(&found["id"])?))
}
