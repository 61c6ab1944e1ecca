//! Native expressions, as HCL 2 has them: what stands where a value is expected and is no plain literal.
//!
//! The masker calls [`parse`] at the first byte of such a value, and puts a plain name of the same length
//! into its copy. Names here hold no dots, and strings are those of HCL 1: `${` in them is text.

mod collection;
mod cursor;
mod operand;

use std::ops::Range;

use self::cursor::Cursor;
use super::error::SyntaxErrorKind as Kind;
use super::lexer::Lexer;
use super::tree::{BinaryOperator, ByteRange, Expression, ExpressionKind, Native, UnaryOperator};

pub(super) use self::cursor::begins_for;

/// The deepest nesting that is read: of brackets in the text, and of nodes in the tree, with the blocks and
/// lists around the expression counted. The tree of `a + b + c` is as deep as the chain is long.
pub(super) const MAX_DEPTH: usize = 64;

/// Whether an expression goes on in the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lines {
    /// It ends with its line.
    End,
    /// It is in brackets, where line ends are space.
    Free,
}

/// Where an expression begins.
pub(super) struct Start {
    /// Its first byte.
    pub(super) at: usize,
    /// The token before it.
    pub(super) after: Range<usize>,
    pub(super) lines: Lines,
    /// How many blocks, lists and maps it is in.
    pub(super) depth: usize,
}

/// An expression that was read.
pub(super) struct Parsed {
    pub(super) expression: Expression,
    /// Where its text ends. The expression in parentheses ends before them.
    pub(super) end: usize,
}

/// An expression that could not be read; the problem is noted.
#[derive(Debug)]
pub(super) struct Broken {
    /// How far it was read.
    pub(super) at: usize,
    /// What closes the brackets that are open there.
    pub(super) open: Vec<char>,
}

/// Reads the expression that begins at `start`. The problems go to the lexer.
pub(super) fn parse(lexer: &mut Lexer<'_>, start: Start) -> Result<Parsed, Broken> {
    let Start { at, after, lines, depth } = start;
    let mut parser =
        Parser { cursor: Cursor::new(lexer, at, after, lines), outside: depth, depth, open: Vec::new() };
    match parser.expression().and_then(|tree| parser.finish().map(|()| tree)) {
        Ok(tree) => Ok(Parsed { expression: tree.expression, end: parser.cursor.at() }),
        Err(Bad) => Err(Broken { at: parser.cursor.at(), open: parser.open }),
    }
}

/// The expression cannot be read; the problem is noted.
#[derive(Debug)]
struct Bad;

/// A part of the tree, with what the tree does not say.
#[derive(Debug)]
struct Tree {
    expression: Expression,
    /// Where it is written, with the parentheses around it.
    outer: Range<usize>,
    /// The longest way down to a leaf, which has height 0.
    height: usize,
}

impl Tree {
    fn leaf(kind: ExpressionKind, outer: Range<usize>) -> Self {
        let expression = Expression { kind, range: narrow(&outer) };
        Self { expression, outer, height: 0 }
    }
}

/// How an operator is written.
struct Symbol {
    length: usize,
    /// How it should be.
    meant: Option<&'static str>,
}

struct Parser<'l, 'a> {
    cursor: Cursor<'l, 'a>,
    /// The depth at which the expression begins.
    outside: usize,
    depth: usize,
    /// What closes the brackets that are open.
    open: Vec<char>,
}

impl Parser<'_, '_> {
    /// Notes a problem.
    fn fail<T>(&mut self, at: Range<usize>, kind: Kind) -> Result<T, Bad> {
        self.cursor.error(at, kind);
        Err(Bad)
    }

    /// A node above others, of which the tallest is given.
    fn node(&mut self, kind: ExpressionKind, outer: Range<usize>, below: usize) -> Result<Tree, Bad> {
        if self.outside + below >= MAX_DEPTH {
            let last = self.cursor.last();
            return self.fail(last, Kind::TooDeep { limit: MAX_DEPTH });
        }
        let expression = Expression { kind, range: narrow(&outer) };
        Ok(Tree { expression, outer, height: below + 1 })
    }

    fn native(&mut self, native: Native, outer: Range<usize>, below: usize) -> Result<Tree, Bad> {
        self.node(ExpressionKind::Native(Box::new(native)), outer, below)
    }

    /// Runs `inside` one level deeper.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, Bad>) -> Result<T, Bad> {
        if self.depth == MAX_DEPTH {
            let last = self.cursor.last();
            return self.fail(last, Kind::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// An expression of any kind.
    fn expression(&mut self) -> Result<Tree, Bad> {
        let condition = self.binary(1)?;
        let Some(question) = self.cursor.eat("?") else { return Ok(condition) };
        let yes = self.nested(Self::expression)?;
        if self.cursor.eat(":").is_none() {
            let end = self.cursor.at();
            return self.fail(end..end, Kind::NoOther { question });
        }
        let no = self.nested(Self::expression)?;
        let outer = condition.outer.start..no.outer.end;
        let below = condition.height.max(yes.height).max(no.height);
        let native =
            Native::Conditional { condition: condition.expression, yes: yes.expression, no: no.expression };
        self.native(native, outer, below)
    }

    /// Operands with operators between them, of which none binds less than `lowest`.
    fn binary(&mut self, lowest: u8) -> Result<Tree, Bad> {
        let mut left = self.unary()?;
        while let Some((symbol, operator)) = self.binary_operator()
            && precedence(operator) >= lowest
        {
            let at = self.cursor.advance(symbol.length);
            if let Some(meant) = symbol.meant {
                let found = self.cursor.slice(&at);
                self.cursor.error(at.clone(), Kind::NoOperator { found, meant });
            }
            let right = self.binary(precedence(operator) + 1)?;
            let outer = left.outer.start..right.outer.end;
            let below = left.height.max(right.height);
            let native =
                Native::Binary { operator, at: narrow(&at), left: left.expression, right: right.expression };
            left = self.native(native, outer, below)?;
        }
        Ok(left)
    }

    /// The operator ahead. What is only likely to be meant as one is read too, and is an error then.
    fn binary_operator(&mut self) -> Option<(Symbol, BinaryOperator)> {
        use BinaryOperator as Operator;
        let rest = self.cursor.rest();
        let (length, operator) = match rest.as_bytes() {
            [b'|', b'|', ..] => (2, Operator::Or),
            [b'&', b'&', ..] => (2, Operator::And),
            [b'=', b'=', ..] => (2, Operator::Equal),
            [b'!', b'=', ..] => (2, Operator::NotEqual),
            [b'<', b'=', ..] => (2, Operator::LessOrEqual),
            [b'>', b'=', ..] => (2, Operator::GreaterOrEqual),
            // A heredoc.
            [b'<', b'<', ..] => return None,
            [b'<', ..] => (1, Operator::Less),
            [b'>', ..] => (1, Operator::Greater),
            [b'+', ..] => (1, Operator::Add),
            [b'-', ..] => (1, Operator::Subtract),
            [b'*', ..] => (1, Operator::Multiply),
            [b'/', ..] => (1, Operator::Divide),
            [b'%', ..] => (1, Operator::Remainder),
            _ => {
                let (length, meant, operator) = match rest.as_bytes() {
                    [b'&', ..] => (1, "&&", Operator::And),
                    [b'|', ..] => (1, "||", Operator::Or),
                    // `=>` stands in `for`.
                    [b'=', next, ..] if *next != b'>' => (1, "==", Operator::Equal),
                    _ => match self.cursor.word()? {
                        "and" => (3, "&&", Operator::And),
                        "or" => (2, "||", Operator::Or),
                        _ => return None,
                    },
                };
                return Some((Symbol { length, meant: Some(meant) }, operator));
            }
        };
        Some((Symbol { length, meant: None }, operator))
    }

    /// An operand with the operators before it.
    fn unary(&mut self) -> Result<Tree, Bad> {
        let mut operators = Vec::new();
        loop {
            let (symbol, operator) = match self.cursor.rest().as_bytes() {
                [b'!', ..] => ("!", UnaryOperator::Not),
                // The sign of a number belongs to it.
                [b'-', b'0'..=b'9', ..] => break,
                [b'-', ..] => ("-", UnaryOperator::Negate),
                _ => break,
            };
            if let Some(at) = self.cursor.eat(symbol) {
                operators.push((operator, at.start));
            }
        }
        let mut tree = self.operand()?;
        for (operator, start) in operators.into_iter().rev() {
            let outer = start..tree.outer.end;
            tree = self.native(Native::Unary { operator, operand: tree.expression }, outer, tree.height)?;
        }
        Ok(tree)
    }

    /// Whether what follows may follow an expression that is a whole value.
    fn finish(&mut self) -> Result<(), Bad> {
        let rest = self.cursor.rest();
        let begins_value = |c: char| matches!(c, '"' | '{' | '[' | '(') || c.is_ascii_digit();
        let junk = match rest.chars().next() {
            None | Some('}' | ']' | ')' | ',' | '"') => false,
            Some(c) if super::lexer::is_name_start(c) => false,
            // The list says that a comma is missing.
            Some(c) if self.cursor.lines() == Lines::Free => !begins_value(c) && !rest.starts_with("<<"),
            Some(_) => true,
        };
        if junk { self.unexpected("an operator or the end of the value") } else { Ok(()) }
    }

    /// What is ahead may not stand there.
    fn unexpected<T>(&mut self, expected: &'static str) -> Result<T, Bad> {
        let (at, found) = self.cursor.found();
        self.fail(at, Kind::Unexpected { found, expected })
    }
}

/// How tightly the operator binds.
fn precedence(operator: BinaryOperator) -> u8 {
    use BinaryOperator as Operator;
    match operator {
        Operator::Or => 1,
        Operator::And => 2,
        Operator::Equal | Operator::NotEqual => 3,
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => 4,
        Operator::Add | Operator::Subtract => 5,
        Operator::Multiply | Operator::Divide | Operator::Remainder => 6,
    }
}

/// Offsets fit because sources are limited to 16 MiB.
fn narrow(range: &Range<usize>) -> ByteRange {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}
