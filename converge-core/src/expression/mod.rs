//! Native expressions: attributes that are written without quotes.

mod convert;
mod error;
mod eval;
mod functions;
mod held;
mod lower;
mod tree;
mod work;

pub use error::{ExpressionError, ExpressionErrorKind, Found};
pub use functions::{Function, functions};

use crate::scope::Scope;
use crate::syntax;
use crate::template::Reference;
use crate::value::Value;

use eval::Machine;
use tree::{Expr, Name};
use work::Work;

/// A native expression, with its names and functions checked.
///
/// It does not keep its text: offsets in [`Reference`]s and [`ExpressionError`]s are bytes of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    root: Expr,
    /// What the scope is asked for.
    names: Box<[Name]>,
    references: Box<[Reference]>,
}

impl Expression {
    /// Takes the tree of an expression. `text` is the whole text of its file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong whatever the values are: functions that do not exist, numbers of arguments,
    /// names that stand for nothing, templates in strings that cannot be read, and parts of constants that
    /// can only fail.
    pub(crate) fn lower(tree: syntax::Expression, text: &str) -> Result<Self, Vec<ExpressionError>> {
        let lower::Lowered { root, names, references } = lower::lower(tree, text)?;
        Ok(Self { root, names, references })
    }

    /// Every use of a name, in the order of the text, in branches that are not taken too. Ranges are bytes of
    /// the file.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The value.
    ///
    /// It is unknown when an unknown value decides it, and secret when a secret does. A list or a map keeps
    /// unknown and secret items as items.
    ///
    /// # Errors
    ///
    /// What went wrong, and where. A message never shows a secret.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, ExpressionError> {
        Machine::new(&self.names, scope, Work::new()).run(&self.root)
    }
}
