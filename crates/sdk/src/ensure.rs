//! The desired existence of an object.

/// The desired existence of an object: the field `state = "present"` or `"absent"` of most resources.
///
/// ```
/// use converge_core::prelude::*;
///
/// /// An entry of a table.
/// #[derive(Debug, Preparer, Export)]
/// #[preparer(name = "entry", task = Self, register = false)]
/// struct Entry {
///     /// Its name.
///     #[hcl(required)]
///     #[export]
///     name: String,
///     /// Whether it is to be there.
///     #[hcl(removes = "absent")]
///     #[export]
///     state: Ensure,
/// }
/// # impl Task for Entry {
/// #     async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
/// #     async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
/// # }
///
/// assert_eq!(Ensure::default(), Ensure::Present);
/// assert_eq!(Ensure::Absent.as_str(), "absent");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, converge_derive::SdkHclEnum)]
pub enum Ensure {
    /// The object exists.
    #[default]
    Present,
    /// The object does not exist.
    Absent,
}

impl Ensure {
    /// Whether the object should exist.
    pub const fn is_present(self) -> bool {
        matches!(self, Self::Present)
    }
}
