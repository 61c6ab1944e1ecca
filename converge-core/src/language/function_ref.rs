//! What the name in a call stands for, in an expression as in a template.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::types::function::ModuleFunction;

/// What a call calls. `F` is what is known of a function.
pub(super) enum FunctionRef<F: 'static> {
    /// A function of the language.
    Standard(&'static F),
    /// One of the program.
    Own(Arc<OwnFunction<F>>),
}

/// A function of the program, with what is known of it.
pub(super) struct OwnFunction<F> {
    about: F,
    function: Arc<ModuleFunction>,
}

impl<F> FunctionRef<F> {
    pub(super) fn own(about: F, function: &Arc<ModuleFunction>) -> Self {
        Self::Own(Arc::new(OwnFunction { about, function: Arc::clone(function) }))
    }

    /// The function of the program that this is, if it is one.
    pub(super) fn as_own(&self) -> Option<&ModuleFunction> {
        match self {
            Self::Standard(_) => None,
            Self::Own(own) => Some(&own.function),
        }
    }
}

/// How many arguments a function of the program takes.
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
