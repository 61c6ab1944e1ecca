//! The parser of unary, binary and conditional operators.

use super::parser::{ErrorReported, ParsedNode, Parser};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::tree::{BinaryOperator, Computed, UnaryOperator, byte_range};

impl Parser<'_, '_> {
    pub(super) fn expression(&mut self) -> Result<ParsedNode, ErrorReported> {
        let condition = self.binary(1)?;
        let Some(question) = self.cursor.eat("?") else { return Ok(condition) };
        let then_branch = self.nested(Self::expression)?;
        if self.cursor.eat(":").is_none() {
            let end = self.cursor.at;
            return self.fail(end..end, SyntaxErrorKind::NoOther { question });
        }
        let else_branch = self.nested(Self::expression)?;
        let outer = condition.outer.start..else_branch.outer.end;
        let inner_height = condition.height.max(then_branch.height).max(else_branch.height);
        let computed = Computed::Conditional {
            condition: condition.expression,
            yes: then_branch.expression,
            no: else_branch.expression,
        };
        self.computed(computed, outer, inner_height)
    }

    /// Parses operands joined by operators with a precedence of at least `lowest`.
    fn binary(&mut self, lowest: u8) -> Result<ParsedNode, ErrorReported> {
        let mut left = self.unary()?;
        while let Some((length, operator, suggestion)) = self.binary_operator()
            && precedence(operator) >= lowest
        {
            let range = self.cursor.advance(length);
            if let Some(suggestion) = suggestion {
                let actual = self.cursor.slice(&range);
                self.cursor
                    .error(range.clone(), SyntaxErrorKind::NoOperator { found: actual, meant: suggestion });
            }
            let right = self.binary(precedence(operator) + 1)?;
            let outer = left.outer.start..right.outer.end;
            let inner_height = left.height.max(right.height);
            let computed = Computed::Binary {
                operator,
                at: byte_range(&range),
                left: left.expression,
                right: right.expression,
            };
            left = self.computed(computed, outer, inner_height)?;
        }
        Ok(left)
    }

    /// Returns the operator ahead and its length.
    ///
    /// Likely misspellings of an operator are accepted too, together with the correct spelling for the error.
    fn binary_operator(&mut self) -> Option<(usize, BinaryOperator, Option<&'static str>)> {
        use BinaryOperator as Operator;
        let rest = self.cursor.rest();
        let (length, operator) = match rest.as_bytes() {
            [b'|', b'|', ..] => (2, Operator::Or),
            [b'&', b'&', ..] => (2, Operator::And),
            [b'=', b'=', ..] => (2, Operator::Equal),
            [b'!', b'=', ..] => (2, Operator::NotEqual),
            [b'<', b'=', ..] => (2, Operator::LessOrEqual),
            [b'>', b'=', ..] => (2, Operator::GreaterOrEqual),
            // This is a heredoc.
            [b'<', b'<', ..] => return None,
            [b'<', ..] => (1, Operator::Less),
            [b'>', ..] => (1, Operator::Greater),
            [b'+', ..] => (1, Operator::Add),
            [b'-', ..] => (1, Operator::Subtract),
            [b'*', ..] => (1, Operator::Multiply),
            [b'/', ..] => (1, Operator::Divide),
            [b'%', ..] => (1, Operator::Remainder),
            _ => {
                let (length, suggestion, operator) = match rest.as_bytes() {
                    [b'&', ..] => (1, "&&", Operator::And),
                    [b'|', ..] => (1, "||", Operator::Or),
                    // `=>` belongs to `for`.
                    [b'=', next, ..] if *next != b'>' => (1, "==", Operator::Equal),
                    _ => match self.cursor.word()? {
                        "and" => (3, "&&", Operator::And),
                        "or" => (2, "||", Operator::Or),
                        _ => return None,
                    },
                };
                return Some((length, operator, Some(suggestion)));
            }
        };
        Some((length, operator, None))
    }

    fn unary(&mut self) -> Result<ParsedNode, ErrorReported> {
        let mut operators = Vec::new();
        loop {
            let (symbol, operator) = match self.cursor.rest().as_bytes() {
                [b'!', ..] => ("!", UnaryOperator::Not),
                // The sign belongs to the number.
                [b'-', b'0'..=b'9', ..] => break,
                [b'-', ..] => ("-", UnaryOperator::Negate),
                _ => break,
            };
            if let Some(range) = self.cursor.eat(symbol) {
                operators.push((operator, range.start));
            }
        }
        let mut tree = self.operand()?;
        for (operator, start) in operators.into_iter().rev() {
            let outer = start..tree.outer.end;
            tree =
                self.computed(Computed::Unary { operator, operand: tree.expression }, outer, tree.height)?;
        }
        Ok(tree)
    }
}

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
