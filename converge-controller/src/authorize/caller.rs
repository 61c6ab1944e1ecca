//! The caller of a request.

use std::fmt;
use std::sync::Arc;

use crate::identity::{Namespace, Partition};

use super::question::{Authorizer, Everything, Question};

/// The tenancy of requests in which a caller names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TenancyDefaults {
    /// The default partition.
    pub partition: Partition,
    /// The default namespace.
    pub namespace: Namespace,
}

/// The caller of a request: its permissions, and its default tenancy.
///
/// ```
/// use converge_controller::authorize::Caller;
///
/// assert_eq!(Caller::system().defaults().namespace.as_str(), "default");
/// ```
#[derive(Clone)]
pub struct Caller {
    authorizer: Arc<dyn Authorizer>,
    defaults: TenancyDefaults,
}

impl Caller {
    /// Creates a caller whose permissions are decided by an authorizer.
    pub fn new(authorizer: impl Authorizer) -> Self {
        Self { authorizer: Arc::new(authorizer), defaults: TenancyDefaults::default() }
    }

    /// Returns the caller that stands for the program itself and may do everything.
    pub fn system() -> Self {
        Self::new(Everything)
    }

    /// Sets the default tenancy.
    pub fn with_defaults(self, defaults: TenancyDefaults) -> Self {
        Self { defaults, ..self }
    }

    /// Returns the default tenancy.
    pub fn defaults(&self) -> &TenancyDefaults {
        &self.defaults
    }

    /// Returns whether the caller may do something.
    pub fn may(&self, question: &Question<'_>) -> bool {
        self.authorizer.allows(question)
    }

    /// Returns the authorizer that decides the permissions of the caller.
    pub fn authorizer(&self) -> &dyn Authorizer {
        &*self.authorizer
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}
