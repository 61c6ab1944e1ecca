//! A field with its attributes.

use crate::ast::Field;
use crate::attr::{FieldAttrs, Relation, RelationKind};
use crate::error_collector::Ctxt;

/// A field of a resource or of a block, with its attributes and documentation.
pub(crate) struct HclField<'a> {
    pub(crate) field: Field<'a>,
    pub(crate) attrs: FieldAttrs,
    /// The name of the field in modules.
    pub(crate) name: String,
}

impl HclField<'_> {
    /// Returns the tokens that name the field, for messages.
    pub(crate) fn name_tokens(&self) -> &dyn quote::ToTokens {
        match &self.attrs.name {
            Some(literal) => literal,
            None => self.field.ident,
        }
    }

    /// Returns the mutually exclusive set to which `required` applies, if the field is in one.
    pub(super) fn required_group(&self) -> Option<&Relation> {
        self.attrs.required.as_ref()?;
        self.attrs.relations.iter().find(|relation| relation.kind == RelationKind::MutuallyExclusive)
    }

    pub(super) fn is_always_written(&self) -> bool {
        self.attrs.required.is_some() && self.required_group().is_none()
    }
}

/// Reports a field or an export without a doc comment.
///
/// `converge docs` shows the comment even if the field is private.
pub(crate) fn documented(cx: &Ctxt, field: &Field<'_>, subject: &str) {
    if field.doc.is_empty() {
        let message = format!(
            "the {subject} `{}` has no documentation, which is what those who write modules read of it: write `/// ..` above it",
            field.name
        );
        cx.error(field.ident, message);
    }
}
