//! From tokens to the tree: the blocks of a template. Expressions are in [`expression`], templates inside of
//! a template in [`defined`].

mod defined;
mod expression;

use crate::report::close_names;

use super::Template;
use super::ast::{Body, ExprKind, If, Node, Range, Slot, With};
use super::error::{TemplateError, TemplateErrorKind as Kind};
use super::functions::Function;
use super::lexer::{Keyword, Token, TokenKind, lex};
use super::references::Reference;
use defined::Defined;

/// How deep blocks, parentheses and the stages of a pipeline may nest.
pub(super) const MAX_NESTING: usize = 60;

/// As much as a source file may have.
const MAX_LENGTH: usize = 16 << 20;

/// Parses a template that may call the functions of all tables.
pub(super) fn parse(text: &str, functions: &[&'static [Function]]) -> Result<Template, TemplateError> {
    if text.len() > MAX_LENGTH {
        return Err(TemplateError::new(Kind::TooLong { limit: MAX_LENGTH }, 0, 0));
    }
    let lexed = lex(text);
    let mut parser = Parser {
        text,
        tokens: lexed.tokens,
        at: 0,
        lex_error: lexed.error,
        functions,
        variables: vec!["$"],
        templates: Vec::new(),
        references: Vec::new(),
        depth: 0,
        loops: 0,
    };
    let body = parser.root()?;
    let defined = parser.templates.into_iter().map(|template| template.body.unwrap_or_default()).collect();
    parser.references.sort_by_key(|reference| reference.range.start);
    Ok(Template {
        body,
        defined,
        references: parser.references.into(),
        length: u32::try_from(text.len()).unwrap_or(u32::MAX),
    })
}

type Parsed<T> = Result<T, TemplateError>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    lex_error: Option<TemplateError>,
    functions: &'a [&'static [Function]],
    /// Names in scope; the index of a name is its slot.
    variables: Vec<&'a str>,
    templates: Vec<Defined>,
    references: Vec<Reference>,
    depth: usize,
    /// How many `range` are around.
    loops: usize,
}

/// What ended a list of nodes.
#[derive(Clone, Copy, PartialEq)]
enum Ended {
    End,
    /// `{{else`, read up to the word.
    Else,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        let end = Token { kind: TokenKind::End, start: 0, end: 0 };
        self.tokens.get(self.at).or(self.tokens.last()).copied().unwrap_or(end)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn skip_space(&mut self) {
        while self.peek().kind == TokenKind::Space {
            self.at += 1;
        }
    }

    fn peek_word(&mut self) -> Token {
        self.skip_space();
        self.peek()
    }

    fn next_word(&mut self) -> Token {
        self.skip_space();
        self.next()
    }

    fn text_of(&self, token: Token) -> &'a str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    fn error<T>(token: Token, kind: Kind) -> Parsed<T> {
        Err(TemplateError { kind, range: token.start..token.end })
    }

    /// The error for a token that cannot stand where it does. When the text could not be cut into tokens
    /// from here on, that is the error.
    fn unexpected<T>(&mut self, token: Token, context: &'static str) -> Parsed<T> {
        if token.kind == TokenKind::End
            && let Some(error) = self.lex_error.take()
        {
            return Err(error);
        }
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Space => "a space".to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        };
        Self::error(token, Kind::Unexpected { found, context })
    }

    /// Runs a step one level deeper.
    fn nested<T>(&mut self, token: Token, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Self::error(token, Kind::TooDeep { limit: MAX_NESTING });
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    fn root(&mut self) -> Parsed<Body> {
        let mut nodes = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                TokenKind::Text => nodes.push(Node::Text(self.text_of(token).into())),
                TokenKind::Open => match self.peek_word() {
                    word if word.kind == TokenKind::Keyword(Keyword::Define) => {
                        self.next();
                        self.define()?;
                    }
                    word if word.kind == TokenKind::Keyword(Keyword::End) => {
                        return Self::error(word, Kind::StrayKeyword { keyword: "end" });
                    }
                    word if word.kind == TokenKind::Keyword(Keyword::Else) => {
                        return Self::error(word, Kind::StrayKeyword { keyword: "else" });
                    }
                    _ => nodes.push(self.action()?),
                },
                TokenKind::End if self.lex_error.is_none() => break,
                _ => return self.unexpected(token, "the text"),
            }
        }
        self.check_called()?;
        Ok(nodes.into())
    }

    /// Nodes up to `{{end}}` or `{{else`. Variables declared in between are gone after them.
    fn list(&mut self, opened: Token, keyword: &'static str) -> Parsed<(Body, Ended)> {
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
                        break Ended::End;
                    }
                    TokenKind::Keyword(Keyword::Else) => {
                        self.next();
                        break Ended::Else;
                    }
                    _ => nodes.push(self.nested(token, Self::action)?),
                },
                TokenKind::End if self.lex_error.is_none() => {
                    return Self::error(opened, Kind::UnclosedBlock { keyword });
                }
                _ => return self.unexpected(token, "the block"),
            }
        };
        self.variables.truncate(scope);
        Ok((nodes.into(), ended))
    }

    /// The body of a block that has no `{{else}}`.
    fn whole_list(&mut self, opened: Token, keyword: &'static str) -> Parsed<Body> {
        let (body, ended) = self.list(opened, keyword)?;
        if ended == Ended::Else {
            return Self::error(self.before(), Kind::StrayKeyword { keyword: "else" });
        }
        Ok(body)
    }

    /// The token that was read last.
    fn before(&self) -> Token {
        self.tokens.get(self.at.saturating_sub(1)).copied().unwrap_or_else(|| self.peek())
    }

    fn close(&mut self, context: &'static str) -> Parsed<()> {
        let token = self.next_word();
        if token.kind == TokenKind::Close { Ok(()) } else { self.unexpected(token, context) }
    }

    /// What stands after `{{`.
    fn action(&mut self) -> Parsed<Node> {
        let word = self.peek_word();
        let TokenKind::Keyword(keyword) = word.kind else {
            let pipeline = self.pipeline("the action", TokenKind::Close)?;
            // Parentheses around it give the value: `{{($x := 1)}}` prints.
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

    /// Forgets the variables of a step after it.
    fn scoped<T>(&mut self, step: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let scope = self.variables.len();
        let result = step(self);
        self.variables.truncate(scope);
        result
    }

    fn jump(&mut self, word: Token, keyword: &'static str, node: Node) -> Parsed<Node> {
        self.close("the action")?;
        if self.loops == 0 {
            return Self::error(word, Kind::OutsideRange { keyword });
        }
        Ok(node)
    }

    fn if_block(&mut self, opened: Token) -> Parsed<Node> {
        let mut arms = Vec::new();
        loop {
            let condition = self.pipeline("`if`", TokenKind::Close)?;
            let (body, ended) = self.list(opened, "if")?;
            arms.push((condition, body));
            let otherwise = match ended {
                Ended::End => Body::default(),
                Ended::Else if self.peek_word().kind == TokenKind::Keyword(Keyword::If) => {
                    self.next();
                    continue;
                }
                Ended::Else => self.otherwise(opened, "if")?,
            };
            return Ok(Node::If(Box::new(If { arms: arms.into(), otherwise })));
        }
    }

    /// What follows `{{else`.
    fn otherwise(&mut self, opened: Token, keyword: &'static str) -> Parsed<Body> {
        self.close("`else`")?;
        self.whole_list(opened, keyword)
    }

    fn with_block(&mut self, opened: Token) -> Parsed<Node> {
        let value = self.pipeline("`with`", TokenKind::Close)?;
        let (body, ended) = self.list(opened, "with")?;
        let otherwise = match ended {
            Ended::End => Body::default(),
            Ended::Else => self.otherwise(opened, "with")?,
        };
        Ok(Node::With(Box::new(With { value, body, otherwise })))
    }

    fn range_block(&mut self, opened: Token) -> Parsed<Node> {
        let (slots, over) = self.range_pipeline()?;
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
            Ended::End => Body::default(),
            Ended::Else => self.otherwise(opened, "range")?,
        };
        Ok(Node::Range(Box::new(Range { index, item, over, body, otherwise })))
    }

    /// Makes a name a variable from here on.
    fn declare(&mut self, token: Token, context: &'static str) -> Parsed<Slot> {
        let Ok(slot) = Slot::try_from(self.variables.len()) else {
            return Self::error(token, Kind::TooManyVariables { context });
        };
        let name = self.text_of(token);
        self.variables.push(name);
        Ok(slot)
    }

    /// The slot of a variable that was declared before; of several with one name the last.
    fn variable(&self, token: Token) -> Parsed<Slot> {
        let name = self.text_of(token);
        let slot = self.variables.iter().rposition(|known| *known == name);
        if let Some(slot) = slot.and_then(|slot| Slot::try_from(slot).ok()) {
            return Ok(slot);
        }
        let close = close_names(name, self.variables.iter().copied());
        let close = close.into_iter().map(str::to_owned).collect();
        Self::error(token, Kind::UndefinedVariable { name: name.to_owned(), close })
    }
}
