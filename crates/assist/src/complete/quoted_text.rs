//! Completion inside quotes: templates, names, enum values and module sources.

use std::ops::Range;

use super::identifiers::{PARAM_TYPES, innermost};
use super::{Completion, CompletionKind, Question};
use crate::index::{CASE, MODULE};
use crate::language::{expression, template};
use crate::template::{TemplateSpot, spot, text_before};
use crate::types::base_path::BasePath;
use crate::types::platform::Platform;
use crate::types::schema::Kind;
use crate::workspace::Workspace;

/// Template keywords that are not functions.
const KEYWORDS: [&str; 10] =
    ["if", "else", "end", "range", "with", "define", "template", "block", "true", "false"];

impl Question<'_> {
    /// Completes inside a string or a heredoc.
    pub(super) fn text(&mut self, start: usize, is_quoted: bool, end: usize) {
        let before = text_before(self.slice(start..self.offset), is_quoted);
        let value = self.around.value.clone();
        let is_action = value.as_ref().is_some_and(|value| value.is_condition);
        if let Some(spot) = spot(&before, is_action) {
            return self.template(&spot);
        }
        let Some(value) = value.filter(|_| is_quoted) else { return };
        let is_closed = self.slice(start..end).len() > 1 && self.slice(start..end).ends_with('"');
        let range = start + 1..end - usize::from(is_closed);
        if self.slice(range.start..self.offset) != before {
            return;
        }
        if value.is_argument && matches!(value.name.as_str(), "depends" | "on_change_of" | "even_after") {
            return self.paths(&before, &range, false);
        }
        if value.name == "type" && self.in_param() {
            for word in PARAM_TYPES {
                self.add(&before, Completion::new(word, CompletionKind::Value, range.clone()));
            }
        }
        let words = value.field.as_ref().map_or(&[][..], |field| field.valid_values);
        let of_kind = match innermost(&value.kind) {
            Kind::Enum(words) => words,
            Kind::Bool => &["true", "false"][..],
            _ => &[][..],
        };
        for word in words.iter().chain(of_kind) {
            self.add(&before, Completion::new(*word, CompletionKind::Value, range.clone()));
        }
    }

    /// Completes inside a label.
    pub(super) fn label(&mut self, kind: &str, before: &[String], range: Range<usize>) {
        let text = text_before(self.slice(range.start - 1..self.offset), true);
        match (kind, before) {
            (CASE, []) => {
                if let Some(spot) = spot(&text, true) {
                    self.template(&spot);
                }
            }
            (MODULE, []) => self.module_files(&text, &range),
            _ => {}
        }
    }

    /// Adds the modules that this file can call: files, and a folder instead of the files in it.
    fn module_files(&mut self, prefix: &str, range: &Range<usize>) {
        let Some(folder) = self.source.directory() else { return };
        let mut paths: Vec<String> = Vec::new();
        for file in self.workspace.all_files(self.source).into_iter().skip(1) {
            let Some(directory) = file.directory() else { continue };
            let module = Workspace::module_of(&file);
            // Files next to this one are listed individually, even if their folder is a module.
            let is_folder = module != file && directory != folder;
            let name = file.name().rsplit('/').next().filter(|_| !is_folder);
            let mut levels_up = 0;
            let relative = folder.ancestors().find_map(|ancestor| {
                let relative = directory.strip_prefix(ancestor).ok();
                levels_up += usize::from(relative.is_none());
                relative
            });
            let Some(relative) = relative else { continue };
            let mut parts = vec!["..".to_owned(); levels_up];
            parts.extend(
                relative.components().map(|component| component.as_os_str().to_string_lossy().into_owned()),
            );
            parts.extend(name.map(str::to_owned));
            paths.push(parts.join("/"));
        }
        paths.sort_by_key(|path| (path.matches('/').count(), path.clone()));
        paths.dedup();
        for path in paths {
            self.add(prefix, Completion::new(path, CompletionKind::File, range.clone()));
        }
    }

    /// Completes inside an action of a template.
    fn template(&mut self, spot: &TemplateSpot<'_>) {
        let range_of = |question: &Self, written: &str| {
            let start = question.offset.checked_sub(written.len())?;
            let is_as_written = question.slice(start..question.offset) == written;
            let rest = question.index.text.get(question.offset..).unwrap_or_default();
            let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
            let suffix_length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            is_as_written.then_some(start..question.offset + suffix_length)
        };
        match *spot {
            TemplateSpot::Literal { function, written } => {
                let Some(range) = range_of(self, written) else { return };
                match function {
                    "param" | "paramList" | "paramMap" => self.params(written, &range),
                    "local" => self.locals(written, &range),
                    "lookup" => self.paths(written, &range, true),
                    _ => {}
                }
            }
            TemplateSpot::Word { of, written, path } => {
                let Some(range) = range_of(self, written) else { return };
                let fields: &[&str] = match of {
                    Some("platform") => &Platform::TEMPLATE_FIELDS,
                    Some("path") => &BasePath::NAMES,
                    Some("each") => &["key", "value"],
                    Some("param") => return self.params(written, &range),
                    Some("local") => return self.locals(written, &range),
                    Some(_) if ["param.", "local.", "env."].iter().any(|root| path.starts_with(root)) => &[],
                    Some(_) => {
                        // A path of a resource is completed as in an expression.
                        let Some(range) = range_of(self, path) else { return };
                        return self.paths(path, &range, true);
                    }
                    None => return self.template_words(written, &range),
                };
                for field in fields {
                    self.add(written, Completion::new(*field, CompletionKind::Field, range.clone()));
                }
            }
        }
    }

    fn template_words(&mut self, prefix: &str, range: &Range<usize>) {
        let module_functions = self.workspace.types.functions().clone();
        for function in module_functions.iter() {
            let completion = Completion::new(function.name(), CompletionKind::Function, range.clone())
                .detail(function.signature())
                .doc(function.doc());
            self.add(prefix, completion);
        }
        for function in template::functions() {
            let name = function.name();
            let completion = Completion::new(name, CompletionKind::Function, range.clone())
                .detail(function.signature())
                .doc(function.doc());
            let completion = match name {
                "param" | "paramList" | "paramMap" | "lookup" | "env" => {
                    completion.writes(format!("{name} ``"), Some(format!("{name} `$0`")))
                }
                _ => completion,
            };
            self.add(prefix, completion);
        }
        for function in expression::functions() {
            // The signature shows how a value is piped in; templates cannot call functions without one.
            let Some(pipe) = function.pipe() else { continue };
            let completion = Completion::new(function.name(), CompletionKind::Function, range.clone())
                .detail(pipe)
                .doc(function.doc());
            self.add(prefix, completion);
        }
        for word in KEYWORDS {
            self.add(prefix, Completion::new(word, CompletionKind::Keyword, range.clone()));
        }
    }
}
