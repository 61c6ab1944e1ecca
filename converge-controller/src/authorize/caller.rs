//! Who asks.

use std::fmt;
use std::sync::Arc;

use crate::identity::{Namespace, Partition};

use super::question::{Authorizer, Everything, Question};

/// The units that a caller means where it names none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TenancyDefaults {
    /// The partition.
    pub partition: Partition,
    /// The namespace.
    pub namespace: Namespace,
}

/// Who asks the service: what it may do, and what it means where it names no tenancy.
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
    /// A caller of which an authorizer knows what it may do.
    pub fn new(authorizer: impl Authorizer) -> Self {
        Self { authorizer: Arc::new(authorizer), defaults: TenancyDefaults::default() }
    }

    /// The program itself, which may do everything.
    pub fn system() -> Self {
        Self::new(Everything)
    }

    /// The same caller, who means other units where it names none.
    pub fn with_defaults(self, defaults: TenancyDefaults) -> Self {
        Self { defaults, ..self }
    }

    /// The units that it means where it names none.
    pub fn defaults(&self) -> &TenancyDefaults {
        &self.defaults
    }

    /// Whether it may do something.
    pub fn may(&self, question: &Question<'_>) -> bool {
        self.authorizer.allows(question)
    }

    /// What knows what it may do.
    pub fn authorizer(&self) -> &dyn Authorizer {
        &*self.authorizer
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller").field("defaults", &self.defaults).finish_non_exhaustive()
    }
}
