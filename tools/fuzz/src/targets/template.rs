//! A target for any text as a template and as a predicate.

use converge_core::language::LanguageError;
use converge_core::language::template::{Predicate, Reference, Template};

use crate::scope::Fixed;
use crate::source_ranges;

pub(crate) fn run(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    let scope = Fixed::default();
    match Template::parse(text) {
        Ok(template) => {
            references(text, template.references());
            let results = [template.render(&scope), template.evaluate(&scope)];
            results.iter().filter_map(|result| result.as_ref().err()).for_each(|error| place(text, error));
        }
        Err(error) => place(text, &error),
    }
    match Predicate::parse(text) {
        Ok(predicate) => {
            references(text, predicate.references());
            if let Err(error) = predicate.evaluate(&scope) {
                place(text, &error);
            }
        }
        Err(error) => place(text, &error),
    }
}

fn place(text: &str, error: &LanguageError) {
    source_ranges::range(text, &error.range);
}

fn references(text: &str, references: &[Reference]) {
    for reference in references {
        source_ranges::range(text, &reference.range);
    }
}
