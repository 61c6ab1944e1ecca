//! Evaluation of operators and conditionals.

use super::{EvalResult, Interpreter, failed};
use crate::language::convert::{self, Number};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::expression::tree::{Binary, Conditional, Expr, Unary};
use crate::language::operand::{Forced, marked, reveal};
use crate::syntax::{BinaryOperator, UnaryOperator};
use crate::types::value::Value;

impl<'a> Interpreter<'a> {
    pub(super) fn unary(&mut self, unary: &'a Unary) -> EvalResult<'a> {
        let Unary { operator, operand } = unary;
        let value = match operator {
            UnaryOperator::Not => match self.boolean(operand, "`!`")? {
                Forced::Unknown(unknown) => Value::Unknown(unknown),
                Forced::Known(value, secret) => marked(Value::Bool(!value), secret),
            },
            UnaryOperator::Negate => match self.number(operand, "`-`")? {
                Forced::Unknown(unknown) => Value::Unknown(unknown),
                Forced::Known(number, secret) => {
                    let overflow = || failed(operand.range(), overflow("-"));
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

    pub(super) fn conditional(&mut self, node: &'a Conditional) -> EvalResult<'a> {
        let (condition, secret) = match self.boolean(&node.condition, "the condition")? {
            Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown).into()),
            Forced::Known(condition, secret) => (condition, secret),
        };
        let branch = if condition { &node.yes } else { &node.no };
        if secret { Ok(marked(self.owned(branch)?, secret).into()) } else { self.eval(branch) }
    }

    pub(super) fn binary(&mut self, binary: &'a Binary) -> EvalResult<'a> {
        use BinaryOperator as Op;
        let value = match binary.operator {
            Op::And | Op::Or => self.short(binary)?,
            Op::Equal | Op::NotEqual => self.equality(binary)?,
            _ => self.numeric(binary)?,
        };
        Ok(value.into())
    }

    /// Evaluates `&&` and `||`; the right side only counts when the left side does not decide.
    fn short(&mut self, binary: &'a Binary) -> Result<Value, LanguageError> {
        let decides = binary.operator == BinaryOperator::Or;
        let place = if decides { "`||`" } else { "`&&`" };
        let (left, hidden) = match self.boolean(&binary.left, place)? {
            Forced::Unknown(unknown) => return Ok(Value::Unknown(unknown)),
            Forced::Known(left, secret) => (left, secret),
        };
        if left == decides {
            return Ok(marked(Value::Bool(left), hidden));
        }
        Ok(match self.boolean(&binary.right, place)? {
            Forced::Unknown(unknown) => Value::Unknown(unknown),
            Forced::Known(right, secret) => marked(Value::Bool(right), hidden || secret),
        })
    }

    fn equality(&mut self, binary: &'a Binary) -> Result<Value, LanguageError> {
        let left = self.eval(&binary.left)?;
        let right = self.eval(&binary.right)?;
        if let Some(unknown) = left.find_unknown().or_else(|| right.find_unknown()) {
            self.taint.note_unknown(unknown);
            return Ok(Value::Unknown(unknown.clone()));
        }
        for side in [&left, &right] {
            let counted = self.budget.spend_value(side).and_then(|()| self.budget.spend_text(side));
            counted.map_err(|kind| failed(binary.at.clone(), kind))?;
        }
        let secret = left.contains_secret() || right.contains_secret();
        self.taint.secret |= secret;
        let equal = if secret {
            convert::equal(&reveal(left.clone()), &reveal(right.clone()))
        } else {
            convert::equal(&left, &right)
        };
        Ok(marked(Value::Bool(equal == (binary.operator == BinaryOperator::Equal)), secret))
    }

    fn numeric(&mut self, binary: &'a Binary) -> Result<Value, LanguageError> {
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
        // Both sides are evaluated, so that an error on the right is found whatever the left side is.
        let left = self.number(&binary.left, place)?;
        let right = self.number(&binary.right, place)?;
        let (left, right, secret) = match (left, right) {
            (Forced::Unknown(unknown), _) | (_, Forced::Unknown(unknown)) => {
                return Ok(Value::Unknown(unknown));
            }
            (Forced::Known(left, hidden), Forced::Known(right, secret)) => (left, right, hidden || secret),
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
    ) -> Result<Forced<bool>, LanguageError> {
        self.converted(expr, place, "true or false", convert::boolean)
    }

    fn number(&mut self, expr: &'a Expr, place: &'static str) -> Result<Forced<Number>, LanguageError> {
        self.converted(expr, place, "a number", convert::number)
    }
}

fn arithmetic(
    which: BinaryOperator,
    operator: &'static str,
    left: Number,
    right: Number,
) -> Result<Number, Kind> {
    use BinaryOperator as Op;
    let overflow = || overflow(operator);
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
            // Only the remainder of the smallest integer by -1 overflows, and its true result is 0.
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

fn overflow(operator: &str) -> Kind {
    Kind::Invalid(format!("the result of `{operator}` does not fit into a number"))
}
