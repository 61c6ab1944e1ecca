//! A builder of registries that reports all errors together.

use crate::registry::{Registry, RegistryError, ResourceType};
use crate::resource::Resource;
use crate::types::function::ModuleFunction;

/// A builder of a [`Registry`], which reports all errors at the end.
///
/// ```
/// use converge_core::prelude::*;
/// use converge_core::Registry;
///
/// # /// Nothing.
/// # #[derive(Debug, Export)]
/// # struct Nothing {}
/// # impl Task for Nothing {
/// #     async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
/// #     async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
/// # }
/// # macro_rules! resources { ($($ty:ident $name:literal)*) => {$(
/// #     /// A resource.
/// #     #[derive(Debug, Preparer)]
/// #     #[preparer(name = $name, task = Nothing, register = false)]
/// #     struct $ty {}
/// #     impl Resource for $ty {
/// #         async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<Nothing> { Ok(Nothing {}) }
/// #     }
/// # )*} }
/// # resources! { Host "fleet.host" Zone "fleet.zone" Switch "switch" }
/// # fn main() -> std::result::Result<(), converge_core::RegistryError> {
/// let registry = Registry::builder().with::<Host>().with::<Zone>().build()?;
/// assert_eq!(registry.iter().count(), 2);
///
/// let refused = registry.into_builder().with::<Host>().with::<Switch>().build().unwrap_err();
/// assert!(refused.to_string().starts_with("two resource types are named `fleet.host`: "));
/// assert!(refused.to_string().contains("\n`switch` belongs to the module language: "));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
#[must_use = "it is a registry when it is built"]
pub struct RegistryBuilder {
    registry: Registry,
    refused: Vec<RegistryError>,
}

impl Registry {
    /// Creates a builder, which takes many types and returns one result.
    pub fn builder() -> RegistryBuilder {
        Self::new().into_builder()
    }

    /// Creates a builder that adds to this registry.
    pub fn into_builder(self) -> RegistryBuilder {
        RegistryBuilder { registry: self, refused: Vec::new() }
    }
}

impl RegistryBuilder {
    /// Adds a type, like [`Registry::with`].
    pub fn with<R: Resource>(self) -> Self {
        self.add(|registry| registry.insert(ResourceType::for_resource::<R>()))
    }

    /// Adds a function that modules can call, like [`Registry::with_function`].
    pub fn with_function(self, function: ModuleFunction) -> Self {
        self.add(|registry| registry.insert_function(function))
    }

    /// Declares a type that the program was built without, like [`Registry::with_absent`].
    pub fn with_absent(mut self, name: &'static str, needs: &'static str) -> Self {
        self.registry = self.registry.with_absent(name, needs);
        self
    }

    /// Returns the registry.
    ///
    /// # Errors
    ///
    /// The error, or [`RegistryError::Several`] with all errors in the order of the additions.
    pub fn build(self) -> Result<Registry, RegistryError> {
        RegistryError::combine(self.refused).map_or(Ok(self.registry), Err)
    }

    fn add(mut self, add: impl FnOnce(&mut Registry) -> Result<(), RegistryError>) -> Self {
        self.refused.extend(add(&mut self.registry).err());
        self
    }
}
