//! Completion of unquoted words in expressions.

use std::ops::Range;

use super::{Completion, CompletionKind, Question};
use crate::index::{LOCAL, PARAM};
use crate::language::expression;
use crate::types::base_path::BasePath;
use crate::types::platform::Platform;
use crate::types::schema::Kind;

/// The names that refer to something other than a resource, with a description of each.
const ROOTS: [(&str, &str); 7] = [
    ("param", "a parameter"),
    ("local", "a value of `locals`"),
    ("self", "another field of this resource"),
    ("each", "the entry of `for_each`: its `key` and its `value`"),
    ("env", "a variable of the environment"),
    ("platform", "the machine"),
    ("path", "a folder: `module`, `root` or `cwd`"),
];

impl Question<'_> {
    /// Completes a word of a value; `path` is the text typed before the cursor.
    pub(super) fn word(&mut self, path: &str, range: Range<usize>) {
        let Some((first, rest)) = path.split_once('.') else {
            return self.first_word(path, &range);
        };
        // Only the part after the last dot is matched.
        let last = path.rsplit(['.', '/']).next().unwrap_or_default();
        let after = self.offset - last.len()..range.end;
        let add_names = |question: &mut Self, names: &mut dyn Iterator<Item = &'static str>, kind| {
            for name in names {
                question.add(last, Completion::new(name, kind, after.clone()));
            }
        };
        match first {
            PARAM => {
                if !rest.contains('.') {
                    self.params(last, &after);
                }
            }
            LOCAL => {
                if !rest.contains('.') {
                    self.locals(last, &after);
                }
            }
            "self" => {
                if !rest.contains('.') {
                    self.own_fields(last, &after);
                }
            }
            "each" => add_names(self, &mut ["key", "value"].into_iter(), CompletionKind::Field),
            "env" => {}
            "platform" => add_names(self, &mut Platform::FIELDS.into_iter(), CompletionKind::Field),
            "path" => add_names(self, &mut BasePath::NAMES.into_iter(), CompletionKind::Field),
            _ => self.paths(path, &range, true),
        }
    }

    fn first_word(&mut self, prefix: &str, range: &Range<usize>) {
        let value = self.around.value.clone();
        if let Some(value) = &value {
            let words = value.field.as_ref().map_or(&[][..], |field| field.valid_values);
            let kind = innermost(&value.kind);
            let of_kind = if let Kind::Enum(words) = kind { words } else { &[][..] };
            for word in words.iter().chain(of_kind) {
                let quoted = format!("\"{word}\"");
                let completion = Completion::new(*word, CompletionKind::Value, range.clone());
                self.add(prefix, completion.writes(quoted, None));
            }
            if value.is_argument && matches!(value.name.as_str(), "depends" | "on_change_of" | "even_after") {
                return self.quoted_names(prefix, range);
            }
            if value.name == "type" && self.in_param() {
                for word in PARAM_TYPES {
                    self.add(prefix, Completion::new(word, CompletionKind::Value, range.clone()));
                }
                return;
            }
            if matches!(kind, Kind::Bool | Kind::Any) {
                for word in ["true", "false"] {
                    self.add(prefix, Completion::new(word, CompletionKind::Value, range.clone()));
                }
            }
        }
        for (root, meaning) in ROOTS {
            let completion = Completion::new(root, CompletionKind::Keyword, range.clone()).detail(meaning);
            self.add(prefix, completion.writes(format!("{root}."), None));
        }
        self.paths(prefix, range, true);
        self.functions(prefix, range);
    }

    /// Adds the functions of the language and those that the embedding program registers.
    fn functions(&mut self, prefix: &str, range: &Range<usize>) {
        let module_functions = self.workspace.types.functions().clone();
        let module_functions =
            module_functions.iter().map(|function| (function.name(), function.signature(), function.doc()));
        let builtin_functions =
            expression::functions().map(|function| (function.name(), function.signature(), function.doc()));
        for (name, signature, doc) in module_functions.chain(builtin_functions) {
            let completion =
                Completion::new(name, CompletionKind::Function, range.clone()).detail(signature).doc(doc);
            self.add(prefix, completion.writes(format!("{name}("), Some(format!("{name}($0)"))));
        }
    }

    /// Adds the fields of the enclosing resource.
    fn own_fields(&mut self, prefix: &str, range: &Range<usize>) {
        let Some(owner) = self.owner().and_then(|position| self.index.declared.get(position)) else { return };
        let Some(resource_type) = self.workspace.types.get(&owner.kind.text).cloned() else { return };
        for field in &resource_type.schema().fields {
            let completion = Completion::new(field.name, CompletionKind::Field, range.clone())
                .detail(field.kind.to_string())
                .doc(field.doc);
            self.add(prefix, completion);
        }
    }

    pub(super) fn in_param(&self) -> bool {
        let owner = self.owner().and_then(|position| self.index.declared.get(position));
        owner.is_some_and(|owner| &*owner.kind.text == PARAM)
    }
}

/// The types that a parameter can have.
pub(super) const PARAM_TYPES: [&str; 8] =
    ["string", "number", "bool", "list", "map", "list(string)", "map(string)", "any"];

/// Returns the innermost item kind of nested lists and maps.
pub(super) fn innermost(kind: &Kind) -> &Kind {
    match kind {
        Kind::List(item) | Kind::OneOrMany(item) => innermost(item),
        kind => kind,
    }
}
