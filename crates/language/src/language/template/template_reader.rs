//! Parsing of the templates of one file, many of which begin with the same actions.

use std::cell::RefCell;
use std::sync::Arc;

use super::action_lines::ActionLines;
use super::builtins;
use super::parser;
use super::tree::{Template, Tree};
use crate::language::error::LanguageError;
use crate::types::function::ModuleFunctions;
use crate::types::hash::NameMap;

/// A template parser that shares trees.
///
/// Templates that differ only in the text after their last action are parsed once.
#[derive(Debug)]
#[doc(hidden)]
pub struct TemplateReader<'a> {
    functions: &'a ModuleFunctions,
    /// The trees by the text that they cover.
    trees: RefCell<NameMap<Box<str>, Arc<Tree>>>,
}

/// The maximum number of cached trees.
///
/// Most files have either few distinct beginnings or nearly as many as templates.
const MAX_TREES: usize = 64;

impl<'a> TemplateReader<'a> {
    /// Creates a parser for templates that may call the registered functions.
    #[doc(hidden)]
    pub fn new(functions: &'a ModuleFunctions) -> Self {
        Self { functions, trees: RefCell::default() }
    }

    /// Parses a template like [`Template::parse_with`].
    #[doc(hidden)]
    pub fn parse(&self, text: Arc<str>) -> Result<Template, LanguageError> {
        if let Some(tree) = self.known(&text) {
            return Ok(Template::new(tree, text));
        }
        let tree = Arc::new(parser::parse(&text, builtins::all(), self.functions, ActionLines::Kept)?);
        if let Some(actions) = text.get(..tree.length as usize) {
            let mut trees = self.trees.borrow_mut();
            // The cache is cleared because the next templates resemble the most recent ones.
            if trees.len() >= MAX_TREES {
                trees.clear();
            }
            trees.insert(actions.into(), Arc::clone(&tree));
        }
        Ok(Template::new(tree, text))
    }

    /// Returns the tree of a text whose actions are those of an earlier text.
    fn known(&self, text: &str) -> Option<Arc<Tree>> {
        let (before, after) = text.rsplit_once("}}")?;
        let actions = text.get(..before.len() + "}}".len()).filter(|_| Template::is_literal(after))?;
        self.trees.borrow().get(actions).map(Arc::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_its_ending_shares_a_tree() {
        let reader = TemplateReader::new(ModuleFunctions::NONE);
        let tree = |text: &str| reader.parse(text.into()).map(|template| template.tree);
        let check = |a: &str, b: &str, expect: bool| {
            let (a, b) = (tree(a).unwrap(), tree(b).unwrap());
            assert_eq!(Arc::ptr_eq(&a, &b), expect, "{a:?} {b:?}");
        };
        check("{{param `a`}}/b", "{{param `a`}}/c", true);
        check("{{param `a`}}/b", "{{param `a`}}", true);
        check("x{{param `a`}} {{param `b`}}", "x{{param `a`}} {{param `b`}} }", true);
        check("{{param `a`}}/b", "{{param `b`}}/b", false);
        check("{{param `a`}}/b", "{{param `a`}}{{param `b`}}", false);
        // Texts that do not occur again must not fill the cache.
        for n in 0..=MAX_TREES {
            tree(&format!("{{{{param `p{n}`}}}}")).unwrap();
        }
        assert!(reader.trees.borrow().len() <= MAX_TREES);
    }

    /// The result of parsing does not depend on what was parsed before.
    #[test]
    fn what_is_shared_is_what_is_read_alone() {
        let parts = [
            "{{",
            "}}",
            "{{param `a`}}",
            " -}} ",
            "{{- ",
            "`",
            "`}}`",
            "/* */",
            "end",
            " x",
            "}",
            "{{if true}}",
        ];
        let mut texts = vec![String::new()];
        for _ in 0..3 {
            let longer = |text: &String| parts.map(|part| format!("{text}{part}"));
            texts.extend(texts.iter().flat_map(longer).collect::<Vec<_>>());
            texts.sort();
            texts.dedup();
        }
        let reader = TemplateReader::new(ModuleFunctions::NONE);
        for text in texts.iter().chain(texts.iter().rev()) {
            assert_eq!(reader.parse(text.as_str().into()), Template::parse(text), "{text}");
        }
    }
}
