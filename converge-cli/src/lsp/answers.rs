//! Answers to requests: results of the library converted to protocol types.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use converge_core::assist::{Completion, Edit, Place, Symbol, Workspace};
use converge_core::diagnostic::SourceMap;
use converge_core::load::Source;
use converge_core::syntax;
use serde_json::{Value, json};

use super::documents::Documents;
use super::markdown;
use super::message::{Answer, Failure, result};
use super::problems::Report;
use super::protocol::{
    Client, DocumentParams, DocumentSymbol, Location, PositionParams, RangeParams, TextEdit, WorkspaceEdit,
    completion_kind, symbol_kind,
};
use super::text::{Span, Text};
use super::uri;

/// The data that requests are answered from.
pub(super) struct Answers<'a> {
    pub(super) workspace: &'a Workspace<'a>,
    pub(super) documents: &'a Documents,
    pub(super) client: Client,
    pub(super) reports: &'a HashMap<Source, Report>,
}

/// A position that a request is about.
struct RequestPosition {
    source: Source,
    offset: usize,
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure::params(error.to_string()))
}

impl Answers<'_> {
    /// Answers a request about a document.
    pub(super) fn answer(&self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/completion" => result(&self.completion(&self.at(&read(params)?)?)),
            "textDocument/hover" => result(&self.hover(&self.at(&read(params)?)?)),
            "textDocument/definition" => {
                let position = self.at(&read(params)?)?;
                result(&self.locations(&self.workspace.definition(&position.source, position.offset)))
            }
            "textDocument/references" => {
                let params: PositionParams = read(params)?;
                let position = self.at(&params)?;
                let with_declaration = params.context.include_declaration;
                let places = self.workspace.references(&position.source, position.offset, with_declaration);
                result(&self.locations(&places))
            }
            "textDocument/documentHighlight" => result(&self.highlights(&self.at(&read(params)?)?)),
            "textDocument/documentSymbol" => self.symbols(&read(params)?),
            "textDocument/formatting" => self.formatting(&read(params)?),
            "textDocument/codeAction" => self.actions(&read(params)?),
            "textDocument/prepareRename" => result(&self.rename_target(&self.at(&read(params)?)?)),
            "textDocument/rename" => {
                let params: PositionParams = read(params)?;
                self.rename(&self.at(&params)?, &params.new_name)
            }
            _ => Err(Failure::unknown_method(method)),
        }
    }

    fn document(&self, uri: &str) -> Result<(Source, &Text), Failure> {
        let source = uri::source(uri);
        match self.documents.get(&source) {
            Some(document) => Ok((source, &document.text)),
            None => Err(Failure::params(format!("{uri} is not open"))),
        }
    }

    fn at(&self, params: &PositionParams) -> Result<RequestPosition, Failure> {
        let (source, text) = self.document(&params.text_document.uri)?;
        Ok(RequestPosition { source, offset: text.offset(params.position, self.client.encoding) })
    }

    /// Converts byte ranges of a file to the positions of the protocol.
    fn spans(&self, source: &Source, ranges: &[Range<usize>]) -> Vec<Span> {
        let read;
        let text = if let Some(document) = self.documents.get(source) {
            &document.text
        } else {
            read = Text::new(self.workspace.text(source).as_deref().unwrap_or_default().to_owned());
            &read
        };
        ranges.iter().map(|range| text.span(range, self.client.encoding)).collect()
    }

    fn span(&self, source: &Source, range: &Range<usize>) -> Span {
        let nowhere = || {
            let start = super::text::Position { line: 0, character: 0 };
            Span { start, end: start }
        };
        self.spans(source, std::slice::from_ref(range)).pop().unwrap_or_else(nowhere)
    }

    fn completion(&self, position: &RequestPosition) -> Value {
        let completion = self.workspace.complete(&position.source, position.offset);
        let ranges: Vec<_> = completion.items.iter().map(|item| item.replaces.clone()).collect();
        let spans = self.spans(&position.source, &ranges);
        let items = completion.items.iter().zip(spans).enumerate();
        let items: Vec<Value> = items.map(|(place, (item, span))| self.item(item, span, place)).collect();
        json!({ "isIncomplete": completion.has_more, "items": items })
    }

    fn item(&self, completion: &Completion, range: Span, place: usize) -> Value {
        let snippet = completion.snippet.as_ref().filter(|_| self.client.takes_snippets);
        let edit = TextEdit { range, new_text: snippet.unwrap_or(&completion.text).clone() };
        let mut item = json!({
            "label": completion.label,
            "kind": completion_kind(completion.kind),
            "sortText": format!("{place:04}"),
            "insertTextFormat": if snippet.is_some() { 2 } else { 1 },
            "textEdit": edit,
        });
        if !completion.detail.is_empty() {
            item["detail"] = completion.detail.as_str().into();
        }
        if !completion.doc.is_empty() {
            item["documentation"] = json!({ "kind": "markdown", "value": completion.doc });
        }
        if completion.is_deprecated {
            item["tags"] = json!([1]);
        }
        item
    }

    fn hover(&self, position: &RequestPosition) -> Value {
        let Some(hover) = self.workspace.hover(&position.source, position.offset) else { return Value::Null };
        json!({
            "contents": { "kind": "markdown", "value": markdown::about(&hover.about) },
            "range": self.span(&position.source, &hover.range),
        })
    }

    /// Converts places to locations; places in one file are adjacent.
    fn locations(&self, places: &[Place]) -> Vec<Location> {
        let of_files = places.chunk_by(|a, b| a.source == b.source).filter_map(|of_file| {
            let source = &of_file.first()?.source;
            let ranges: Vec<_> = of_file.iter().map(|place| place.range.clone()).collect();
            let uri = self.documents.uri(source);
            let spans = self.spans(source, &ranges).into_iter();
            Some(spans.map(move |range| Location { uri: uri.clone(), range }))
        });
        of_files.flatten().collect()
    }

    fn highlights(&self, position: &RequestPosition) -> Value {
        let ranges = self.workspace.highlights(&position.source, position.offset);
        let spans = self.spans(&position.source, &ranges);
        spans.into_iter().map(|range| json!({ "range": range })).collect()
    }

    fn symbols(&self, params: &DocumentParams) -> Answer {
        let (source, _) = self.document(&params.text_document.uri)?;
        let symbols = self.workspace.outline(&source);
        let ranges: Vec<_> =
            symbols.iter().flat_map(|symbol| [symbol.range.clone(), symbol.head.clone()]).collect();
        let spans = self.spans(&source, &ranges);
        let mut inside: HashMap<&str, Vec<(&Symbol, [Span; 2])>> = HashMap::new();
        for (symbol, spans) in symbols.iter().zip(spans.as_chunks::<2>().0) {
            inside.entry(&symbol.container).or_default().push((symbol, *spans));
        }
        result(&nested("", &inside))
    }

    fn formatting(&self, params: &DocumentParams) -> Answer {
        let (_, text) = self.document(&params.text_document.uri)?;
        let content = text.as_str();
        let file = SourceMap::new().add(&params.text_document.uri, "");
        // A file with syntax errors stays as it is; the diagnostics show the errors.
        let Ok(formatted) = syntax::format(file, content) else { return result(&Value::Null) };
        let (range, new_text) = difference(content, &formatted);
        if range.is_empty() && new_text.is_empty() {
            return result(&[(); 0]);
        }
        let range = text.span(&range, self.client.encoding);
        result(&[TextEdit { range, new_text: new_text.to_owned() }])
    }

    fn actions(&self, params: &RangeParams) -> Answer {
        let (source, text) = self.document(&params.text_document.uri)?;
        let touches = |span: &Span| span.start <= params.range.end && params.range.start <= span.end;
        let remedies = self.reports.values().flat_map(|report| &report.remedies);
        let remedies = remedies.filter(|remedy| {
            remedy.source == source && touches(&remedy.problem.range) && *remedy.text == *text.as_str()
        });
        let mut actions: Vec<Value> = Vec::new();
        for remedy in remedies {
            let action = json!({
                "title": remedy.title,
                "kind": "quickfix",
                "diagnostics": [remedy.problem],
                "edit": { "changes": { (params.text_document.uri.as_str()): [remedy.edit] } },
            });
            // Two files that call this module can yield the same action.
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        result(&actions)
    }

    fn rename_target(&self, position: &RequestPosition) -> Value {
        let Some((range, name)) = self.workspace.rename_target(&position.source, position.offset) else {
            return Value::Null;
        };
        json!({ "range": self.span(&position.source, &range), "placeholder": name })
    }

    fn rename(&self, position: &RequestPosition, name: &str) -> Answer {
        let edits = self.workspace.rename(&position.source, position.offset, name);
        let edits = edits.map_err(|error| Failure::refused(error.to_string()))?;
        let mut changes: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
        for of_file in edits.chunk_by(|a, b| a.place.source == b.place.source) {
            let Some(Edit { place: Place { source, .. }, .. }) = of_file.first() else { continue };
            let ranges: Vec<_> = of_file.iter().map(|edit| edit.place.range.clone()).collect();
            let spans = self.spans(source, &ranges).into_iter().zip(of_file);
            let edits = spans.map(|(range, edit)| TextEdit { range, new_text: edit.text.clone() });
            changes.entry(self.documents.uri(source)).or_default().extend(edits);
        }
        result(&WorkspaceEdit { changes })
    }
}

/// Returns the direct children of a container, each with its own children.
fn nested<'a>(
    container: &str,
    inside: &HashMap<&str, Vec<(&'a Symbol, [Span; 2])>>,
) -> Vec<DocumentSymbol<'a>> {
    let children = inside.get(container).map(Vec::as_slice).unwrap_or_default();
    let symbols = children.iter().map(|(symbol, [range, selection_range])| {
        let separator = if container.is_empty() { "" } else { "/" };
        let id = format!("{container}{separator}{}", symbol.name);
        DocumentSymbol {
            name: &symbol.name,
            kind: symbol_kind(&symbol.kind),
            range: *range,
            selection_range: *selection_range,
            children: nested(&id, inside),
        }
    });
    symbols.collect()
}

/// Returns the range of the old text to replace, and its replacement.
///
/// The common prefix and suffix are left out.
fn difference<'n>(old: &str, new: &'n str) -> (Range<usize>, &'n str) {
    let is_equal = |(a, b): &(char, char)| a == b;
    let before: usize = old.chars().zip(new.chars()).take_while(is_equal).map(|(c, _)| c.len_utf8()).sum();
    let (old_rest, new_rest) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after: usize = old_rest
        .chars()
        .rev()
        .zip(new_rest.chars().rev())
        .take_while(is_equal)
        .map(|(c, _)| c.len_utf8())
        .sum();
    (before..old.len() - after, new_rest.get(..new_rest.len() - after).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn only_what_differs_is_replaced() {
        let check = |old: &str, new: &str, range: std::ops::Range<usize>, text: &str| {
            assert_eq!(difference(old, new), (range.clone(), text), "{old} -> {new}");
            let mut edited = old.to_owned();
            edited.replace_range(range, text);
            assert_eq!(edited, new);
        };
        check("a b", "a b", 3..3, "");
        check("a=1\n", "a = 1\n", 1..2, " = ");
        check("aa", "a", 1..2, "");
        check("a", "aa", 1..1, "a");
        check("é\u{1f600}", "è\u{1f600}", 0..2, "è");
    }
}
