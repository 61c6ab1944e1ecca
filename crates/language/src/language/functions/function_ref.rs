//! The resolved target of a function call, in an expression or a template.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::function::{Function, Implementation, Strictness};
use crate::types::function::{ModuleFunction, Purity};

/// The function that a call resolves to.
#[derive(Clone)]
pub(crate) enum FunctionRef {
    /// A function of the language.
    Standard(&'static Function),
    /// A function that the program registered.
    Own(Arc<OwnFunction>),
}

/// A function that the program registered, with its description.
pub(crate) struct OwnFunction {
    description: Function,
    function: Arc<ModuleFunction>,
}

impl FunctionRef {
    pub(super) fn own(function: &Arc<ModuleFunction>) -> Self {
        let count = u8::try_from(function.parameters().len()).unwrap_or(u8::MAX);
        let description = Function::new(function.name(), "", function.doc(), ["", ""]);
        // The arguments that the closure reads are not known here, so all are treated as read.
        let description =
            description.takes(count, count).piped_last().runs(Strictness::Deep, Implementation::Own);
        let description = if function.purity() == Purity::InRun { description.reads() } else { description };
        Self::Own(Arc::new(OwnFunction { description, function: Arc::clone(function) }))
    }

    /// Returns the function if the program registered it.
    pub(crate) fn as_own(&self) -> Option<&ModuleFunction> {
        match self {
            Self::Standard(_) => None,
            Self::Own(own) => Some(&own.function),
        }
    }
}

impl Deref for FunctionRef {
    type Target = Function;

    fn deref(&self) -> &Function {
        match self {
            Self::Standard(function) => function,
            Self::Own(own) => &own.description,
        }
    }
}

impl PartialEq for FunctionRef {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for FunctionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
