//! Operators and conditionals.

use super::{Evaluated, Machine, failed, wrong_kind};
use crate::expression::convert::{self, Number};
use crate::expression::error::{ExpressionError, ExpressionErrorKind as Kind};
use crate::expression::held::{Opened, marked, reveal};
use crate::expression::tree::{Binary, Conditional, Expr, Unary};
use crate::syntax::{BinaryOperator, UnaryOperator};
use crate::value::{Unknown, Value};

/// A part that must be known before there is a result.
pub(super) enum Part<T> {
    Unknown(Unknown),
    Known(T, Secrecy),
}

/// Whether what a result was made from is secret.
pub(super) type Secrecy = bool;

impl<'a> Machine<'a> {
    pub(super) fn unary(&mut self, unary: &'a Unary) -> Evaluated<'a> {
        let Unary { operator, operand } = unary;
        let value = match operator {
            UnaryOperator::Not => match self.boolean(operand, "`!`")? {
                Part::Unknown(unknown) => Value::Unknown(unknown),
                Part::Known(value, secret) => marked(Value::Bool(!value), secret),
            },
            UnaryOperator::Negate => match self.number(operand, "`-`")? {
                Part::Unknown(unknown) => Value::Unknown(unknown),
                Part::Known(number, secret) => {
                    let overflow = || failed(operand.range(), Kind::Overflow { operator: "-" });
                    let number = match number {
                        Number::Int(value) => Number::Int(value.checked_neg().ok_or_else(overflow)?),
                        Number::Float(value) => Number::Float(-value),
                    };
                    marked(number.into(), secret)
                }
            },
        };
        Ok(value.into())
    }

    pub(super) fn conditional(&mut self, node: &'a Conditional) -> Evaluated<'a> {
        let (condition, secret) = match self.boolean(&node.condition, "the condition")? {
            Part::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Part::Known(condition, secret) => (condition, secret),
        };
        let taken = if condition { &node.yes } else { &node.no };
        if secret { Ok(marked(self.owned(taken)?, secret).into()) } else { self.eval(taken) }
    }

    pub(super) fn binary(&mut self, binary: &'a Binary) -> Evaluated<'a> {
        use BinaryOperator as Op;
        let value = match binary.operator {
            Op::And | Op::Or => self.short(binary)?,
            Op::Equal | Op::NotEqual => self.equality(binary)?,
            _ => self.numeric(binary)?,
        };
        Ok(value.into())
    }

    /// `&&` and `||`: the right side only counts when the left one does not decide.
    fn short(&mut self, binary: &'a Binary) -> Result<Value, ExpressionError> {
        let decides = binary.operator == BinaryOperator::Or;
        let place = if decides { "`||`" } else { "`&&`" };
        let (left, hidden) = match self.boolean(&binary.left, place)? {
            Part::Unknown(unknown) => return Ok(Value::Unknown(unknown)),
            Part::Known(left, secret) => (left, secret),
        };
        if left == decides {
            return Ok(marked(Value::Bool(left), hidden));
        }
        Ok(match self.boolean(&binary.right, place)? {
            Part::Unknown(unknown) => Value::Unknown(unknown),
            Part::Known(right, secret) => marked(Value::Bool(right), hidden || secret),
        })
    }

    fn equality(&mut self, binary: &'a Binary) -> Result<Value, ExpressionError> {
        let left = self.eval(&binary.left)?;
        let right = self.eval(&binary.right)?;
        if let Some(unknown) = left.find_unknown().or_else(|| right.find_unknown()) {
            self.see_unknown(unknown);
            return Ok(Value::Unknown(unknown.clone()));
        }
        for side in [&left, &right] {
            let counted = self.work.spend_value(side).and_then(|()| self.work.spend_text(side));
            counted.map_err(|kind| failed(binary.at.clone(), kind))?;
        }
        let secret = left.contains_secret() || right.contains_secret();
        self.seen.secret |= secret;
        let equal = if secret {
            convert::equal(&reveal(left.clone()), &reveal(right.clone()))
        } else {
            convert::equal(&left, &right)
        };
        Ok(marked(Value::Bool(equal == (binary.operator == BinaryOperator::Equal)), secret))
    }

    fn numeric(&mut self, binary: &'a Binary) -> Result<Value, ExpressionError> {
        use BinaryOperator as Op;
        let (operator, place) = match binary.operator {
            Op::Less => ("<", "`<`"),
            Op::LessOrEqual => ("<=", "`<=`"),
            Op::Greater => (">", "`>`"),
            Op::GreaterOrEqual => (">=", "`>=`"),
            Op::Add => ("+", "`+`"),
            Op::Subtract => ("-", "`-`"),
            Op::Multiply => ("*", "`*`"),
            Op::Divide => ("/", "`/`"),
            Op::Remainder => ("%", "`%`"),
            Op::Or | Op::And | Op::Equal | Op::NotEqual => return Ok(Value::Null),
        };
        // Both sides are looked at, so that what is wrong with the right one is found whatever the left is.
        let left = self.number(&binary.left, place)?;
        let right = self.number(&binary.right, place)?;
        let (left, right, secret) = match (left, right) {
            (Part::Unknown(unknown), _) | (_, Part::Unknown(unknown)) => return Ok(Value::Unknown(unknown)),
            (Part::Known(left, hidden), Part::Known(right, secret)) => (left, right, hidden || secret),
        };
        let order = left.compare(right);
        let value = match binary.operator {
            Op::Less => Value::Bool(order.is_lt()),
            Op::LessOrEqual => Value::Bool(order.is_le()),
            Op::Greater => Value::Bool(order.is_gt()),
            Op::GreaterOrEqual => Value::Bool(order.is_ge()),
            _ => arithmetic(binary.operator, operator, left, right)
                .map_err(|kind| {
                    let range =
                        if kind == Kind::DivisionByZero { binary.right.range() } else { binary.at.clone() };
                    failed(range, kind)
                })?
                .into(),
        };
        Ok(marked(value, secret))
    }

    pub(super) fn boolean(
        &mut self,
        expr: &'a Expr,
        place: &'static str,
    ) -> Result<Part<bool>, ExpressionError> {
        self.part(expr, place, "true or false", convert::boolean)
    }

    fn number(&mut self, expr: &'a Expr, place: &'static str) -> Result<Part<Number>, ExpressionError> {
        self.part(expr, place, "a number", convert::number)
    }

    fn part<T>(
        &mut self,
        expr: &'a Expr,
        place: &'static str,
        expected: &'static str,
        convert: fn(&Value) -> Option<T>,
    ) -> Result<Part<T>, ExpressionError> {
        match self.opened(expr)? {
            Opened::Unknown(unknown) => Ok(Part::Unknown(unknown)),
            Opened::Known { value, secret } => match convert(&value) {
                Some(known) => Ok(Part::Known(known, secret)),
                None => Err(wrong_kind(expr, place, expected, &value, secret)),
            },
        }
    }
}

fn arithmetic(
    which: BinaryOperator,
    operator: &'static str,
    left: Number,
    right: Number,
) -> Result<Number, Kind> {
    use BinaryOperator as Op;
    let overflow = || Kind::Overflow { operator };
    if matches!(which, Op::Divide | Op::Remainder) && matches!(right, Number::Int(0)) {
        return Err(Kind::DivisionByZero);
    }
    if let (Number::Int(left), Number::Int(right)) = (left, right) {
        let result = match which {
            Op::Add => left.checked_add(right),
            Op::Subtract => left.checked_sub(right),
            Op::Multiply => left.checked_mul(right),
            Op::Divide if left.checked_rem(right).is_some_and(|rest| rest != 0) => {
                let (left, right) = (Number::Int(left).to_float(), Number::Int(right).to_float());
                return Number::from_float(left / right).ok_or_else(overflow);
            }
            Op::Divide => left.checked_div(right),
            // Only the smallest number by -1 is not there, and that leaves nothing.
            _ => Some(left.checked_rem(right).unwrap_or(0)),
        };
        return result.map(Number::Int).ok_or_else(overflow);
    }
    let (left, right) = (left.to_float(), right.to_float());
    let result = match which {
        Op::Add => left + right,
        Op::Subtract => left - right,
        Op::Multiply => left * right,
        Op::Divide => left / right,
        _ => left % right,
    };
    Number::from_float(result).ok_or_else(overflow)
}
