//! Tests of the hooks of a type: validation and authorization.

use crate::authorize::{Access, Policy, PolicyError, Rule, Token, TokenHash};
use crate::identity::{Namespace, Partition, TenancyPattern};
use crate::registry::{Registration, StoredResource, Typed};
use crate::resource::Resource;

/// Returns the data that the service would store for a resource, after the hooks of its type.
///
/// ```
/// use converge_controller::StoredResource;
/// use converge_controller::testing::{admit, resource};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
/// #[stored(group = "demo", version = "v2", scope = namespace)]
/// struct Artist {
///     #[stored(tag = 1)]
///     genre: String,
/// }
///
/// let korn = Artist { genre: "metal".into() };
/// assert_eq!(admit(resource("korn").with_data(korn.clone()).build()), Ok(korn));
/// ```
///
/// # Errors
///
/// Returns the text of the error if the resource is refused.
pub fn admit<T: StoredResource>(resource: Resource) -> Result<T, String> {
    let hooks = Registration::for_type::<T>().hooks;
    if let Some(data) = &resource.data {
        hooks.check_data(data).map_err(|error| error.to_string())?;
    }
    let mutated = hooks.mutate(&resource).map_err(|error| error.to_string())?;
    let resource = mutated.unwrap_or(resource);
    hooks.validate(&resource).map_err(|error| error.to_string())?;
    Typed::<T>::decode(resource).map(|resource| resource.data).map_err(|error| error.to_string())
}

/// The operations that a caller may do on a resource, as decided by its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// Whether the caller may read it.
    pub read: bool,
    /// Whether the caller may write it.
    pub write: bool,
    /// Whether the caller may list and watch its tenancy.
    pub list: bool,
}

/// Returns what a caller with these rules may do with a resource, by the hooks of its type.
///
/// A test typically has a table of these for each type.
///
/// # Errors
///
/// Fails if the rules are invalid.
pub fn accesses<T: StoredResource>(rules: Vec<Rule>, resource: &Resource) -> Result<Accesses, PolicyError> {
    const TOKEN: &str = "the token of the test";
    let token = Token {
        name: "test".to_owned(),
        sha256: TokenHash::from_token(TOKEN),
        partition: Partition::default(),
        namespace: Namespace::default(),
        rules,
    };
    let policy = Policy::new([token])?;
    let caller = policy.caller(TOKEN).expect("the token of the policy");
    let (authorizer, registration) = (caller.authorizer(), Registration::for_type::<T>());
    let hooks = &registration.hooks;
    let read = match hooks.authorize_read(authorizer, &resource.id, None) {
        Access::NeedResource => hooks.authorize_read(authorizer, &resource.id, Some(resource)),
        access => access,
    };
    let tenancy = TenancyPattern::from(resource.id.tenancy.clone());
    let list = hooks.authorize_list(authorizer, &registration.resource_type, &tenancy);
    Ok(Accesses {
        read: read == Access::Allow,
        write: hooks.authorize_write(authorizer, resource) == Access::Allow,
        list: list == Access::Allow,
    })
}
