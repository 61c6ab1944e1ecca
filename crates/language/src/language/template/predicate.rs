//! Predicates: texts that are true or false, as in `case` and `when`.

use std::ops::Range;

use super::references::Reference;
use super::tree::Template;
use crate::language::error::{LanguageError, LanguageErrorKind};
use crate::types::function::ModuleFunctions;
use crate::types::scope::Scope;
use crate::types::value::Value;

/// A text that evaluates to true or false, written with or without braces.
///
/// Examples are ``eq (param `os`) `linux` ``, ``{{eq (param `os`) `linux`}}``, and, in modules written for
/// the original Converge, ``eq `linux` `{{param `os`}}` ``.
///
/// A text with braces is rendered first. The rendered text is then run as one action. The result must be
/// `true`, `t`, `false` or `f`, in any case.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    form: PredicateForm,
}

#[derive(Clone, Debug, PartialEq)]
enum PredicateForm {
    /// A text without braces: one action.
    Action { template: Template, references: Box<[Reference]> },
    /// A text with braces, which is rendered and then run as one action.
    Rendered(Template),
}

/// The braces that turn a text into an action.
const BRACES: (&str, &str) = ("{{ ", " }}");

impl Predicate {
    /// Parses a predicate.
    ///
    /// # Errors
    ///
    /// Fails with the first error in the text and its range. The result of rendering a text with braces is
    /// only checked when the predicate runs.
    pub fn parse(text: &str) -> Result<Self, LanguageError> {
        Self::parse_with(text, ModuleFunctions::NONE)
    }

    /// Parses a predicate that may call the functions of a registry.
    ///
    /// See `Registry::functions`.
    ///
    /// # Errors
    ///
    /// The same as for [`parse`](Self::parse).
    pub fn parse_with(text: &str, functions: &ModuleFunctions) -> Result<Self, LanguageError> {
        if text.trim().is_empty() {
            let kind = LanguageErrorKind::invalid(
                "a predicate cannot be empty; write `true` for one that always holds",
            );
            return Err(LanguageError::new(kind, 0, text.len()));
        }
        let form = if Template::is_literal(text) {
            let template = action(text, functions)?;
            let mut references: Box<[Reference]> = template.references().into();
            for reference in &mut references {
                reference.range = range_in_text(&reference.range, text.len());
            }
            PredicateForm::Action { template, references }
        } else {
            PredicateForm::Rendered(Template::parse_with(text, functions)?)
        };
        Ok(Self { form })
    }

    /// Returns every use of a name, in source order.
    pub fn references(&self) -> &[Reference] {
        match &self.form {
            PredicateForm::Action { references, .. } => references,
            PredicateForm::Rendered(template) => template.references(),
        }
    }

    /// Evaluates the predicate to a bool, which may be unknown or secret.
    ///
    /// # Errors
    ///
    /// Fails if the evaluation fails, or if the result is neither true nor false.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, LanguageError> {
        match &self.form {
            PredicateForm::Action { template, .. } => {
                let length = template.length().saturating_sub(BRACES.0.len() + BRACES.1.len());
                let relocate = |error: LanguageError| LanguageError {
                    range: range_in_text(&error.range, length),
                    ..error
                };
                to_bool(template.render(scope).map_err(relocate)?, length)
            }
            PredicateForm::Rendered(template) => {
                let length = template.length();
                let at_all = |error: LanguageError, shown: Option<&str>| {
                    let kind = match shown {
                        Some(text) => LanguageErrorKind::RenderedPredicate {
                            text: text.to_owned(),
                            error: Box::new(error.kind),
                        },
                        None => LanguageErrorKind::secret_argument("predicate"),
                    };
                    LanguageError::new(kind, 0, length)
                };
                match template.render(scope)? {
                    Value::Secret(text) => {
                        let text = text.into_exposed();
                        let rendered = text.as_str().unwrap_or_default();
                        let value =
                            action(rendered, scope.functions()).and_then(|action| action.render(scope));
                        let value = value.and_then(|value| to_bool(value, length));
                        Ok(value.map_err(|error| at_all(error, None))?.into_secret())
                    }
                    Value::String(text) => {
                        let value = action(&text, scope.functions()).and_then(|action| action.render(scope));
                        value
                            .and_then(|value| to_bool(value, length))
                            .map_err(|error| at_all(error, Some(&text)))
                    }
                    other => Ok(other),
                }
            }
        }
    }
}

/// Converts a text with braces, which is rendered and then run as one action.
impl From<Template> for Predicate {
    fn from(template: Template) -> Self {
        Self { form: PredicateForm::Rendered(template) }
    }
}

/// Parses the text as one action.
fn action(text: &str, functions: &ModuleFunctions) -> Result<Template, LanguageError> {
    let moved =
        |error: LanguageError| LanguageError { range: range_in_text(&error.range, text.len()), ..error };
    Template::parse_with(&format!("{}{text}{}", BRACES.0, BRACES.1), functions).map_err(moved)
}

/// Converts a range in the action to a range in the text inside its braces.
fn range_in_text(range: &Range<u32>, length: usize) -> Range<u32> {
    let ahead = u32::try_from(BRACES.0.len()).unwrap_or_default();
    let end = u32::try_from(length).unwrap_or(u32::MAX);
    range.start.saturating_sub(ahead).min(end)..range.end.saturating_sub(ahead).min(end)
}

/// Converts a result to a bool; text may be in any case, as in the original Converge.
fn to_bool(value: Value, length: usize) -> Result<Value, LanguageError> {
    match value {
        Value::Secret(inner) => {
            let hidden = |error: LanguageError| LanguageError {
                kind: LanguageErrorKind::secret_argument("predicate"),
                ..error
            };
            Ok(to_bool(*inner.into_exposed(), length).map_err(hidden)?.into_secret())
        }
        Value::String(text) => match text.trim().to_lowercase().as_str() {
            "true" | "t" => Ok(Value::Bool(true)),
            "false" | "f" => Ok(Value::Bool(false)),
            _ => {
                let kind = LanguageErrorKind::NotAPredicate { found: text.trim().to_owned() };
                Err(LanguageError::new(kind, 0, length))
            }
        },
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::template::tests::TestScope;

    fn check(text: &str, expect: &str) {
        let actual = match Predicate::parse(text).and_then(|predicate| predicate.evaluate(&TestScope::new()))
        {
            Ok(value) => format!("{value:?}"),
            Err(error) => {
                let range = error.range.start as usize..error.range.end as usize;
                format!("{error} at {:?}", text.get(range).unwrap_or("?"))
            }
        };
        assert_eq!(actual, expect, "{text}");
    }

    #[test]
    fn with_and_without_braces() {
        check("true", "true");
        check(" F ", "there is no function `F` at \"F\"");
        check("`F`", "false");
        check("eq `text` (param `s`)", "true");
        check("eq (param `n`) `6`", "false");
        check("{{eq (param `s`) `text`}}", "true");
        check("eq `text` `{{param `s`}}`", "true");
        check("eq `x` `{{param `s`}}`", "false");
        check("{{param `b`}}", "false");
        check("and true (not (param `b` | eq `true`))", "true");
        check("gt (len (paramList `list`)) 2", "true");
    }

    #[test]
    fn unknown_and_secret() {
        check("eq `a` (param `unknown`)", "Unknown(task.first)");
        check("eq `a` `{{param `unknown`}}`", "Unknown(task.first)");
        check("eq `hunter2` (param `secret`)", "(sensitive)");
        check("eq `hunter2` `{{param `secret`}}`", "(sensitive)");
        check(
            "{{param `secret`}}",
            "predicate: failed; the reason is not shown, because an argument is secret at \"{{param `secret`}}\"",
        );
        check(
            "param `secret`",
            "predicate: failed; the reason is not shown, because an argument is secret at \"param `secret`\"",
        );
    }

    #[test]
    fn what_is_wrong_is_shown_where_it_is() {
        check("", "a predicate cannot be empty; write `true` for one that always holds at \"\"");
        check("param `s`", "\"text\" is neither true nor false at \"param `s`\"");
        check("eq `a`", "`eq` takes at least 2 arguments, but got 1 at \"eq\"");
        check(
            "eq `a` (param `gone`)",
            "param: there is no parameter `gone`; did you mean `list`? at \"param `gone`\"",
        );
        check(
            "eq `a` {{param `s`}}",
            "the predicate becomes \"eq `a` text\": there is no function `text` at \"eq `a` {{param `s`}}\"",
        );
        check(
            "{{param `s`}}",
            "the predicate becomes \"text\": there is no function `text` at \"{{param `s`}}\"",
        );
    }
}
