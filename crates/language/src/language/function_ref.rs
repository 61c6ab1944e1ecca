//! The resolved target of a function call, in an expression or a template.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::types::function::ModuleFunction;

/// The function that a call resolves to, described by `F`.
pub(super) enum FunctionRef<F: 'static> {
    /// A function of the language.
    Standard(&'static F),
    /// A function that the program registered.
    Own(Arc<OwnFunction<F>>),
}

/// A function that the program registered, with its description.
pub(super) struct OwnFunction<F> {
    about: F,
    function: Arc<ModuleFunction>,
}

impl<F> FunctionRef<F> {
    pub(super) fn own(description: F, function: &Arc<ModuleFunction>) -> Self {
        Self::Own(Arc::new(OwnFunction { about: description, function: Arc::clone(function) }))
    }

    /// Returns the function if the program registered it.
    pub(super) fn as_own(&self) -> Option<&ModuleFunction> {
        match self {
            Self::Standard(_) => None,
            Self::Own(own) => Some(&own.function),
        }
    }
}

/// Returns the number of arguments of a function that the program registered.
pub(super) fn arity(function: &ModuleFunction) -> u8 {
    u8::try_from(function.parameters().len()).unwrap_or(u8::MAX)
}

impl<F> Clone for FunctionRef<F> {
    fn clone(&self) -> Self {
        match self {
            Self::Standard(function) => Self::Standard(function),
            Self::Own(own) => Self::Own(Arc::clone(own)),
        }
    }
}

impl<F> Deref for FunctionRef<F> {
    type Target = F;

    fn deref(&self) -> &F {
        match self {
            Self::Standard(function) => function,
            Self::Own(own) => &own.about,
        }
    }
}

impl<F: PartialEq> PartialEq for FunctionRef<F> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<F: fmt::Debug> fmt::Debug for FunctionRef<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
