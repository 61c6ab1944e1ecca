//! Native expressions: attributes that are written without quotes.

mod error;

pub use error::{ExpressionError, ExpressionErrorKind};

use crate::scope::Scope;
use crate::syntax;
use crate::template::Reference;
use crate::value::Value;

/// A native expression, with its names and functions checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    tree: syntax::Expression,
    references: Box<[Reference]>,
}

impl Expression {
    /// Takes the tree of an expression. `text` is the whole text of its file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong whatever the values are: functions that do not exist, numbers of arguments,
    /// templates in strings that cannot be read.
    pub(crate) fn lower(tree: syntax::Expression, _text: &str) -> Result<Self, Vec<ExpressionError>> {
        Ok(Self { tree, references: Box::default() })
    }

    /// Every use of a name, in the order of the text, in branches that are not taken too. Ranges are bytes of
    /// the file.
    pub fn references(&self) -> &[Reference] {
        &self.references
    }

    /// The value.
    ///
    /// # Errors
    ///
    /// What went wrong, and where. A message never shows a secret.
    pub fn evaluate(&self, _scope: &dyn Scope) -> Result<Value, ExpressionError> {
        Err(ExpressionError { kind: ExpressionErrorKind::NotYet, range: self.tree.range.clone() })
    }
}
