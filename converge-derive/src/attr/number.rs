//! Parsing of numbers in attributes.

use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

#[derive(Clone)]
pub(crate) struct Number {
    pub(crate) expr: Expr,
    pub(crate) value: f64,
    /// The value if the number is whole.
    pub(crate) whole: Option<i128>,
}

impl Number {
    /// Reads `5`, `-5`, `0x1f`, `1.5` and the like.
    pub(crate) fn read(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr: inner, .. }) => {
                let positive = Self::read_positive(inner)?;
                Some(Self {
                    expr: expr.clone(),
                    value: -positive.value,
                    whole: positive.whole.and_then(i128::checked_neg),
                })
            }
            _ => Self::read_positive(expr),
        }
    }

    fn read_positive(expr: &Expr) -> Option<Self> {
        let (value, integer) = match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
                let integer: i128 = number.base10_parse().ok()?;
                (number.base10_digits().parse().ok()?, Some(integer))
            }
            Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => (number.base10_parse().ok()?, None),
            Expr::Group(group) => return Self::read(&group.expr),
            _ => return None,
        };
        Some(Self { expr: expr.clone(), value, whole: integer })
    }
}

impl quote::ToTokens for Number {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        self.expr.to_tokens(tokens);
    }
}
