//! Parsing of templates inside a template: `define`, `template` and `block`.

use crate::diagnostic::{Suggest, close_names};

use super::super::lexer::{Token, TokenKind};
use super::super::literal;
use super::super::tree::{Expr, Invoke, Node};
use super::cursor::{Defined, ParseResult, Parser};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};

impl Parser<'_> {
    pub(super) fn check_called(&self) -> ParseResult<()> {
        let missing = self.templates.iter().filter(|template| template.body.is_none());
        let Some((template, (start, end))) =
            missing.filter_map(|template| Some((template, template.called?))).min_by_key(|(_, place)| *place)
        else {
            return Ok(());
        };
        let defined = self.templates.iter().filter(|template| template.body.is_some());
        let close = close_names(&template.name, defined.map(|template| template.name.as_str()));
        let kind =
            Kind::invalid(format!("the template {:?} is not defined{}", template.name, Suggest(&close)));
        Err(LanguageError { kind, range: start..end })
    }

    /// Reads the name after `define`, `template` or `block`.
    fn template_name(&mut self, context: &'static str) -> ParseResult<(String, Token)> {
        let token = self.next_word();
        let name = match token.kind {
            TokenKind::Quoted => literal::unquote(self.text_of(token), '"')
                .map_err(|kind| LanguageError { kind, range: token.start..token.end })?,
            TokenKind::Raw => self.text_of(token).trim_matches('`').to_owned(),
            _ => return self.unexpected(token, context),
        };
        Ok((name, token))
    }

    fn template_index(&mut self, name: &str) -> usize {
        self.templates.iter().position(|template| template.name == name).unwrap_or_else(|| {
            self.templates.push(Defined { name: name.to_owned(), body: None, called: None });
            self.templates.len() - 1
        })
    }

    pub(super) fn define(&mut self) -> ParseResult<()> {
        let (name, token) = self.template_name("`define`")?;
        self.close("`define`")?;
        self.definition(&name, token, "define")
    }

    /// Parses the body of a definition, which sees no variables and loops of its surroundings.
    fn definition(&mut self, name: &str, token: Token, keyword: &'static str) -> ParseResult<()> {
        let variables = std::mem::replace(&mut self.variables, vec!["$"]);
        let loops = std::mem::take(&mut self.loops);
        let body = self.whole_list(token, keyword);
        self.variables = variables;
        self.loops = loops;
        let body = body?;
        let index = self.template_index(name);
        let Some(template) = self.templates.get_mut(index) else { return Ok(()) };
        // As in Go, a body of white space does not replace another definition.
        match &template.body {
            Some(old) if !is_blank(old) && !is_blank(&body) => {
                Self::error(token, Kind::invalid(format!("the template {name:?} is defined twice")))
            }
            Some(old) if !is_blank(old) => Ok(()),
            _ => {
                template.body = Some(body);
                Ok(())
            }
        }
    }

    pub(super) fn template_call(&mut self) -> ParseResult<Node> {
        let (name, token) = self.template_name("`template`")?;
        let dot = if self.peek_word().kind == TokenKind::Close {
            self.next();
            None
        } else {
            Some(self.pipeline("`template`", TokenKind::Close)?)
        };
        Ok(self.invoke(&name, token, dot))
    }

    fn invoke(&mut self, name: &str, token: Token, dot: Option<Expr>) -> Node {
        let index = self.template_index(name);
        if let Some(template) = self.templates.get_mut(index) {
            template.called.get_or_insert((token.start, token.end));
        }
        let template = u32::try_from(index).unwrap_or(u32::MAX);
        Node::Template(Box::new(Invoke { start: token.start, end: token.end, template, dot }))
    }

    pub(super) fn block(&mut self, opened: Token) -> ParseResult<Node> {
        let (name, token) = self.template_name("`block`")?;
        let dot = self.pipeline("`block`", TokenKind::Close)?;
        self.nested(opened, |parser| parser.definition(&name, token, "block"))?;
        Ok(self.invoke(&name, token, Some(dot)))
    }
}

fn is_blank(body: &[Node]) -> bool {
    body.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}
