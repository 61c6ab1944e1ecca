//! The template parser: builds the tree of blocks from tokens.
//!
//! Expressions are parsed in [`expression`], templates inside a template in [`definitions`].

mod cursor;
mod definitions;
mod expression;

use std::sync::Arc;

use super::action_lines::ActionLines;
use super::builtins;
use super::lexer::{Keyword, Token, TokenKind, lex};
use super::tree::{Body, Content, ExprKind, If, Node, Range, Template, Tree, With};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::functions::Function;
use crate::types::function::ModuleFunctions;
use cursor::{ParseResult, Parser};

/// The maximum length of a template in bytes, equal to that of a source file.
const MAX_LENGTH: usize = 16 << 20;

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    ///
    /// Fails with the first error in the text. This includes wrong numbers of arguments and undefined
    /// templates, which Go reports only during a run.
    pub fn parse(text: &str) -> Result<Self, LanguageError> {
        Self::parse_with(text, ModuleFunctions::NONE)
    }

    /// Parses a template that may call the functions of a registry.
    ///
    /// See `Registry::functions`.
    ///
    /// # Errors
    ///
    /// The same as for [`parse`](Self::parse).
    pub fn parse_with(text: &str, functions: &ModuleFunctions) -> Result<Self, LanguageError> {
        Self::parse_file(text, functions, ActionLines::Kept)
    }

    /// Parses the text of a template file like [`parse_with`](Self::parse_with).
    pub(in crate::language) fn parse_file(
        text: &str,
        functions: &ModuleFunctions,
        lines: ActionLines,
    ) -> Result<Self, LanguageError> {
        parse(text, builtins::all(), functions, lines).map(|tree| Self::new(Arc::new(tree), text.into()))
    }

    /// Creates a template from a shared tree and a text that begins with the text of the tree.
    ///
    /// No action may follow that beginning.
    pub(super) fn new(tree: Arc<Tree>, text: Arc<str>) -> Self {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self { tree, content: Content::Text(text), length }
    }
}

/// Parses the actions of a template, and the text before them.
///
/// The template may call the functions of all tables, and those in `own`.
pub(super) fn parse(
    text: &str,
    functions: &[&'static [Function]],
    own: &ModuleFunctions,
    lines: ActionLines,
) -> Result<Tree, LanguageError> {
    if text.len() > MAX_LENGTH {
        let kind = Kind::invalid(format!("the template is longer than {MAX_LENGTH} bytes"));
        return Err(LanguageError::new(kind, 0, 0));
    }
    let mut lexed = lex(text);
    if lines == ActionLines::LeftOut {
        lexed.leave_out_action_lines(text);
    }
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        lex_error: lexed.error,
        functions,
        own,
        variables: vec!["$"],
        templates: Vec::new(),
        references: Vec::with_capacity(1),
        depth: 0,
        loops: 0,
    };
    let (body, length) = parser.root()?;
    let defined = parser.templates.into_iter().map(|template| template.body.unwrap_or_default()).collect();
    parser.references.sort_by_key(|reference| reference.range.start);
    Ok(Tree { body, defined, references: parser.references.into(), length })
}

/// The end of a list of nodes.
#[derive(Clone, Copy, PartialEq)]
enum BlockEnd {
    End,
    /// An `{{else` that was read up to the word.
    Else,
}

impl Parser<'_> {
    /// Parses all nodes; returns them with the start of the text after the last action.
    fn root(&mut self) -> ParseResult<(Body, u32)> {
        // A path that begins with a parameter has one node.
        let mut nodes = Vec::with_capacity(1);
        let end = loop {
            let token = self.next();
            match token.kind {
                TokenKind::Text if self.peek().kind == TokenKind::End && self.lex_error.is_none() => {
                    break token.start;
                }
                TokenKind::Text => nodes.push(Node::Text(self.text_of(token).into())),
                TokenKind::Open => match self.peek_word() {
                    word if word.kind == TokenKind::Keyword(Keyword::Define) => {
                        self.next();
                        self.define()?;
                    }
                    word if word.kind == TokenKind::Keyword(Keyword::End) => {
                        return Self::stray_keyword(word, "end");
                    }
                    word if word.kind == TokenKind::Keyword(Keyword::Else) => {
                        return Self::stray_keyword(word, "else");
                    }
                    _ => nodes.push(self.action()?),
                },
                TokenKind::End if self.lex_error.is_none() => break token.start,
                _ => return self.unexpected(token, "the text"),
            }
        };
        self.check_called()?;
        Ok((nodes.into(), end))
    }

    /// Parses nodes up to `{{end}}` or `{{else`; variables declared in between go out of scope.
    fn list(&mut self, opened: Token, keyword: &'static str) -> ParseResult<(Body, BlockEnd)> {
        let scope = self.variables.len();
        let mut nodes = Vec::new();
        let ended = loop {
            let token = self.next();
            match token.kind {
                TokenKind::Text => nodes.push(Node::Text(self.text_of(token).into())),
                TokenKind::Open => match self.peek_word().kind {
                    TokenKind::Keyword(Keyword::End) => {
                        self.next();
                        self.close("`end`")?;
                        break BlockEnd::End;
                    }
                    TokenKind::Keyword(Keyword::Else) => {
                        self.next();
                        break BlockEnd::Else;
                    }
                    _ => nodes.push(self.nested(token, Self::action)?),
                },
                TokenKind::End if self.lex_error.is_none() => {
                    return Self::error(
                        opened,
                        Kind::invalid(format!("`{keyword}` is not closed: `{{{{end}}}}` is missing")),
                    );
                }
                _ => return self.unexpected(token, "the block"),
            }
        };
        self.variables.truncate(scope);
        Ok((nodes.into(), ended))
    }

    /// Parses the body of a block without an `{{else}}`.
    fn whole_list(&mut self, opened: Token, keyword: &'static str) -> ParseResult<Body> {
        let (body, ended) = self.list(opened, keyword)?;
        if ended == BlockEnd::Else {
            return Self::stray_keyword(self.last_token(), "else");
        }
        Ok(body)
    }

    /// Returns the token that was read last.
    fn last_token(&self) -> Token {
        self.tokens.get(self.at.saturating_sub(1)).copied().unwrap_or_else(|| self.peek())
    }

    fn close(&mut self, context: &'static str) -> ParseResult<()> {
        let token = self.next_word();
        if token.kind == TokenKind::Close { Ok(()) } else { self.unexpected(token, context) }
    }

    /// Parses the action after `{{`.
    fn action(&mut self) -> ParseResult<Node> {
        let word = self.peek_word();
        let TokenKind::Keyword(keyword) = word.kind else {
            let pipeline = self.pipeline("the action", TokenKind::Close)?;
            // An assignment in parentheses has a value: `{{($x := 1)}}` prints it.
            let sets = word.kind == TokenKind::Variable && matches!(pipeline.kind, ExprKind::Bind(_));
            return Ok(if sets { Node::Set(pipeline) } else { Node::Action(pipeline) });
        };
        if matches!(keyword, Keyword::Nil | Keyword::True | Keyword::False) {
            return Ok(Node::Action(self.pipeline("the action", TokenKind::Close)?));
        }
        self.next();
        match keyword {
            Keyword::If => self.scoped(|parser| parser.if_block(word)),
            Keyword::Range => self.scoped(|parser| parser.range_block(word)),
            Keyword::With => self.scoped(|parser| parser.with_block(word)),
            Keyword::Template => self.template_call(),
            Keyword::Block => self.block(word),
            Keyword::Break => self.jump(word, "break", Node::Break),
            Keyword::Continue => self.jump(word, "continue", Node::Continue),
            _ => self.unexpected(word, "the action"),
        }
    }

    fn scoped<T>(&mut self, step: impl FnOnce(&mut Self) -> ParseResult<T>) -> ParseResult<T> {
        let scope = self.variables.len();
        let result = step(self);
        self.variables.truncate(scope);
        result
    }

    fn stray_keyword<T>(token: Token, keyword: &str) -> ParseResult<T> {
        Self::error(token, Kind::invalid(format!("`{{{{{keyword}}}}}` belongs to no block")))
    }

    fn jump(&mut self, word: Token, keyword: &'static str, node: Node) -> ParseResult<Node> {
        self.close("the action")?;
        if self.loops == 0 {
            return Self::error(word, Kind::invalid(format!("`{{{{{keyword}}}}}` outside of `range`")));
        }
        Ok(node)
    }

    fn if_block(&mut self, opened: Token) -> ParseResult<Node> {
        let mut arms = Vec::new();
        loop {
            let condition = self.pipeline("`if`", TokenKind::Close)?;
            let (body, ended) = self.list(opened, "if")?;
            arms.push((condition, body));
            let otherwise = match ended {
                BlockEnd::End => Body::default(),
                BlockEnd::Else if self.peek_word().kind == TokenKind::Keyword(Keyword::If) => {
                    self.next();
                    continue;
                }
                BlockEnd::Else => self.otherwise(opened, "if")?,
            };
            return Ok(Node::If(Box::new(If { arms: arms.into(), otherwise })));
        }
    }

    /// Parses the branch after `{{else`.
    fn otherwise(&mut self, opened: Token, keyword: &'static str) -> ParseResult<Body> {
        self.close("`else`")?;
        self.whole_list(opened, keyword)
    }

    fn with_block(&mut self, opened: Token) -> ParseResult<Node> {
        let value = self.pipeline("`with`", TokenKind::Close)?;
        let (body, ended) = self.list(opened, "with")?;
        let otherwise = match ended {
            BlockEnd::End => Body::default(),
            BlockEnd::Else => self.otherwise(opened, "with")?,
        };
        Ok(Node::With(Box::new(With { value, body, otherwise })))
    }

    fn range_block(&mut self, opened: Token) -> ParseResult<Node> {
        let (slots, collection) = self.range_pipeline()?;
        let (index, item) = match slots[..] {
            [] => (None, None),
            [item] => (None, Some(item)),
            [index, item, ..] => (Some(index), Some(item)),
        };
        self.loops += 1;
        let listed = self.list(opened, "range");
        self.loops -= 1;
        let (body, ended) = listed?;
        let otherwise = match ended {
            BlockEnd::End => Body::default(),
            BlockEnd::Else => self.otherwise(opened, "range")?,
        };
        Ok(Node::Range(Box::new(Range { index, item, over: collection, body, otherwise })))
    }
}
