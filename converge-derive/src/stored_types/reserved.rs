//! Parsing of `reserved(..)` and `reserved_names(..)`: numbers and names that must not be reused.

use std::ops::RangeInclusive;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, RangeLimits, UnOp};

use super::attrs::{Attrs, bare};
use crate::error_collector::Ctxt;

#[derive(Default)]
pub(super) struct Reserved {
    pub(super) numbers: Vec<RangeInclusive<i32>>,
    pub(super) names: Vec<String>,
}

impl Reserved {
    /// Reads the reserved numbers, which must be within `bounds`, and the reserved names.
    pub(super) fn read(cx: &Ctxt, attrs: &Attrs, bounds: &RangeInclusive<i32>) -> Self {
        let mut reserved = Self::default();
        for expr in attrs.list(cx, "reserved") {
            let Some(range) = range(&expr) else {
                cx.error(&expr, "write a number or a range of them: `reserved(2, 5..=7)`");
                continue;
            };
            if range.is_empty() {
                cx.error(&expr, "the range is empty: write the smaller number first");
            } else if !(bounds.contains(range.start()) && bounds.contains(range.end())) {
                let message = format!("a number is from {} to {}", bounds.start(), bounds.end());
                cx.error(&expr, message);
            } else if reserved
                .numbers
                .iter()
                .any(|have| have.start() <= range.end() && range.start() <= have.end())
            {
                cx.error(&expr, "this is already reserved: remove one of the two");
            } else {
                reserved.numbers.push(range);
            }
        }
        for expr in attrs.list(cx, "reserved_names") {
            match &expr {
                Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if reserved.names.contains(&name.value()) => {
                    cx.error(name, format!("{:?} is in the list twice: remove one", name.value()));
                }
                Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) => reserved.names.push(name.value()),
                other => cx.error(other, "write a text: `reserved_names(\"old\")`"),
            }
        }
        reserved
    }

    pub(super) fn has_number(&self, number: i32) -> bool {
        self.numbers.iter().any(|range| range.contains(&number))
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|have| have == name)
    }
}

impl ToTokens for Reserved {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let ranges = self.numbers.iter().map(|range| {
            let (start, end) =
                (Literal::i32_unsuffixed(*range.start()), Literal::i32_unsuffixed(*range.end()));
            quote!(::core::ops::RangeInclusive::new(#start, #end))
        });
        let names = &self.names;
        tokens.extend(quote! {
            ::converge_controller::protobuf::Reserved {
                numbers: ::std::vec::Vec::from([#(#ranges),*]),
                names: ::std::vec::Vec::from([#(#names),*]),
            }
        });
    }
}

fn range(expr: &Expr) -> Option<RangeInclusive<i32>> {
    match bare(expr) {
        Expr::Range(range) if matches!(range.limits, RangeLimits::Closed(_)) => {
            Some(number(range.start.as_ref()?)?..=number(range.end.as_ref()?)?)
        }
        other => number(other).map(|number| number..=number),
    }
}

pub(super) fn number(expr: &Expr) -> Option<i32> {
    match bare(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match bare(&unary.expr) {
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
                let number: i64 = number.base10_parse().ok()?;
                i32::try_from(-number).ok()
            }
            _ => None,
        },
        _ => None,
    }
}
