//! Conversion of expressions to inputs: templates are parsed, other literals become values.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::evaluate::{expression_diagnostic, template_diagnostic};
use crate::graph::{Input, InputKind};
use crate::language::WorkBudget;
use crate::language::expression;
use crate::language::template::{Predicate, Template, TemplateReader};
use crate::syntax::{self, ByteRange, Expression, ExpressionKind};
use crate::types::type_table::TypeTable;
use converge_value::types::value::Value;

/// Prefixes that look like references when they follow `${` in a text.
const INTERPOLATED: [&str; 8] = ["param.", "var.", "local.", "each.", "self.", "platform.", "env.", "path."];

/// Statements of Jinja with their replacements.
const STATEMENTS: [(&[&str], &str); 4] = [
    (&["if", "elif", "else", "endif"], "{{if CONDITION}} .. {{else if CONDITION}} .. {{else}} .. {{end}}"),
    (&["for", "endfor"], "{{range LIST}}{{.}}{{end}}, or {{range $key, $value := MAP}} .. {{end}}"),
    (&["set"], "{{$name := VALUE}}"),
    (
        &["macro", "endmacro", "include", "import"],
        "{{define `NAME`}} .. {{end}} and {{template `NAME` VALUE}}",
    ),
];

#[derive(Clone, Copy)]
pub(crate) struct InputLowering<'a> {
    pub(crate) file: FileId,
    pub(crate) text: &'a str,
    pub(crate) sources: &'a SourceMap,
    /// The work budget shared by all expressions of the load.
    pub(crate) budget: &'a WorkBudget,
    pub(crate) types: &'a TypeTable<'a>,
    pub(crate) templates: &'a TemplateReader<'a>,
}

impl InputLowering<'_> {
    pub(super) fn span(&self, range: &ByteRange) -> Span {
        Span::new(self.file, range.start as usize, range.end as usize)
    }

    pub(super) fn expression(&self, expression: Expression, diagnostics: &mut Diagnostics) -> Input {
        let span = Some(self.span(&expression.range));
        if matches!(expression.kind, ExpressionKind::String(_) | ExpressionKind::Computed(_)) {
            self.warn_of_interpolation(&expression.range, diagnostics);
            self.warn_of_statements(&expression.range, diagnostics);
            self.warn_of_indentation(&expression.range, diagnostics);
        }
        let kind = match expression.kind {
            ExpressionKind::String(text) => return self.string(text, span, diagnostics),
            ExpressionKind::Bool(value) => InputKind::Value(Value::Bool(value)),
            ExpressionKind::Int { value, .. } => InputKind::Value(Value::Int(value)),
            ExpressionKind::Float(value) => InputKind::Value(Value::Float(value)),
            kind @ ExpressionKind::Computed(_) => {
                let tree = Expression { kind, range: expression.range };
                match expression::Expression::lower(
                    tree,
                    self.text,
                    Some(self.budget),
                    self.types.functions(),
                ) {
                    Ok(expression) => InputKind::Expression(Box::new(expression)),
                    Err(errors) => {
                        diagnostics.extend(errors.iter().map(|error| expression_diagnostic(error, span)));
                        InputKind::Value(Value::unknown("an expression that cannot be read"))
                    }
                }
            }
            ExpressionKind::List(items) => {
                let items = items.into_iter().map(|item| self.expression(item, diagnostics));
                InputKind::List(Box::new(items.collect()))
            }
            ExpressionKind::Map(entries) => {
                let entries = entries.into_iter().map(|(name, item)| {
                    let name_span = Some(self.span(&name.range));
                    (self.string(name.text, name_span, diagnostics), self.expression(item, diagnostics))
                });
                InputKind::Map(Box::new(entries.collect()))
            }
        };
        Input { kind, span }
    }

    /// Warns of `${param.x}`, which is a value in other languages but text here.
    ///
    /// It must be text, because shell scripts contain `${HOME}`.
    fn warn_of_interpolation(&self, range: &ByteRange, diagnostics: &mut Diagnostics) {
        let text = self.text.get(range.start as usize..range.end as usize).unwrap_or_default();
        if !text.as_bytes().contains(&b'$') {
            return;
        }
        let span = text.match_indices("${").find_map(|(at, _)| {
            // A doubled `$` shows that text is intended.
            let doubled = text.get(..at).is_some_and(|before| before.ends_with('$'));
            let inner = text.get(at + 2..).filter(|_| !doubled)?;
            let length = self.reference_length(inner)?;
            let end = at + 2 + length;
            let is_closed = text.get(end..).is_some_and(|after| after.starts_with('}'));
            let path = inner.get(..length)?;
            let root = INTERPOLATED.into_iter().find(|root| path.starts_with(root)).unwrap_or_default();
            Some((at, end + usize::from(is_closed), root, path.get(root.len()..)?))
        });
        let Some((start, end, root, name)) = span else { return };
        let place = range.start as usize;
        let excerpt = text.get(start..end).unwrap_or_default();
        let help = match root {
            "param." | "var." => {
                format!("write {{{{param `{name}`}}}}, or an expression without quotes: param.{name}")
            }
            "platform." => format!("write {{{{platform.{name}}}}}, or an expression without quotes"),
            "env." => format!("write {{{{env `{name}`}}}}, or an expression without quotes: env.{name}"),
            "each." => format!("write {{{{each.{name}}}}}, or an expression without quotes: each.{name}"),
            "local." => {
                format!("write {{{{local `{name}`}}}}, or an expression without quotes: local.{name}")
            }
            "" => format!("write {{{{lookup `{name}`}}}}, or an expression without quotes: {name}"),
            _ => format!("write an expression without quotes: format(\"..%s..\", {root}{name})"),
        };
        diagnostics.push(
            Diagnostic::warning("literal-interpolation", format!("`{excerpt}` in a string is not evaluated"))
                .label(Span::new(self.file, place + start, place + end), "")
                .help(help),
        );
    }

    /// Returns the length of the name of a value at the start of a text.
    ///
    /// Shell scripts and files of other programs have `${word.word}`, so only the names of known types count.
    fn reference_length(&self, text: &str) -> Option<usize> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        if let Some(root) = INTERPOLATED.into_iter().find(|root| text.starts_with(root)) {
            let name = text.get(root.len()..)?;
            return Some(root.len() + name.find(|c| !is_part(c)).unwrap_or(name.len()));
        }
        let is_in_path = |c: char| is_part(c) || matches!(c, '.' | '-' | '[' | ']' | '"' | '*');
        let length = text.find(|c| !is_in_path(c)).unwrap_or(text.len());
        let path = text.get(..length)?;
        let mut kinds = path.match_indices('.').map(|(at, _)| path.split_at(at));
        // A name and a part of the value follow the type.
        let is_reference = |(kind, rest): (&str, &str)| {
            self.types.get(kind).is_some()
                && rest.split('.').skip(1).filter(|part| !part.is_empty()).count() > 1
        };
        kinds.any(is_reference).then_some(length)
    }

    /// Warns of a `<<-` heredoc whose indentation is kept only because of an empty line.
    fn warn_of_indentation(&self, range: &ByteRange, diagnostics: &mut Diagnostics) {
        let text = self.text.get(range.start as usize..range.end as usize).unwrap_or_default();
        for line in syntax::uneven_empty_lines(text) {
            let place = range.start as usize;
            diagnostics.push(
                Diagnostic::warning("kept-indentation", "an empty line keeps the indentation of this `<<-` text")
                    .label(Span::new(self.file, place + line.start, place + line.end), "")
                    .help("write the spaces of the last line on the empty line too, or begin the text with << and write its lines without indentation"),
            );
        }
    }

    /// Warns of `{% if .. %}`, which Jinja runs but is text here.
    fn warn_of_statements(&self, range: &ByteRange, diagnostics: &mut Diagnostics) {
        let text = self.text.get(range.start as usize..range.end as usize).unwrap_or_default();
        let span = text.match_indices("{%").find_map(|(at, _)| {
            let inner = text.get(at + 2..)?;
            let length = inner.find("%}")?;
            let words = inner.get(..length)?.trim_start_matches(['-', '+']).trim_start();
            let word: &str = words.split(|c: char| !c.is_ascii_alphabetic()).next()?;
            let (_, help) = STATEMENTS.iter().find(|(words, _)| words.contains(&word))?;
            Some((at..at + 2 + length + 2, *help))
        });
        let Some((found, help)) = span else { return };
        let place = range.start as usize;
        let help = format!("write {help}; to keep the text as it is, read it from a file: file(\"NAME\")");
        let excerpt = text.get(found.clone()).unwrap_or_default();
        diagnostics.push(
            Diagnostic::warning("literal-statement", format!("`{excerpt}` in a string is not evaluated"))
                .label(Span::new(self.file, place + found.start, place + found.end), "")
                .help(help),
        );
    }

    /// Converts a string, which is a template if it contains `{{`.
    pub(super) fn string(&self, text: Arc<str>, span: Option<Span>, diagnostics: &mut Diagnostics) -> Input {
        if Template::is_literal(&text) {
            return Input { kind: InputKind::Value(Value::String(text)), span };
        }
        let kind = match self.templates.parse(text) {
            Ok(template) => InputKind::Template(Box::new(template)),
            Err(error) => {
                diagnostics.push(template_diagnostic(&error, span, self.sources));
                // An unknown value takes the place of the result, so that the rest can be checked.
                InputKind::Value(Value::unknown("a template that cannot be read"))
            }
        };
        Input { kind, span }
    }

    /// Converts a string that is true or false.
    pub(super) fn predicate(&self, text: &str, span: Span, diagnostics: &mut Diagnostics) -> Input {
        let kind = match Predicate::parse_with(text, self.types.functions()) {
            Ok(predicate) => InputKind::Predicate(Box::new(predicate)),
            Err(error) => {
                diagnostics.push(template_diagnostic(&error, Some(span), self.sources));
                InputKind::Value(Value::unknown("a predicate that cannot be read"))
            }
        };
        Input { kind, span: Some(span) }
    }
}
