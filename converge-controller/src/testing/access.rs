//! What a type lets pass: resources that are valid, and callers who may.

use crate::authorize::{Access, Policy, PolicyError, Rule, Token, TokenHash};
use crate::identity::{Namespace, Partition, TenancyPattern};
use crate::registry::{Registration, StoredResource, Typed};
use crate::resource::Resource;

/// What a type makes of a resource: the data as they would be stored, or why it is refused.
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
/// The text of the refusal.
pub fn admit<T: StoredResource>(resource: Resource) -> Result<T, String> {
    let hooks = Registration::of::<T>().hooks;
    if let Some(data) = &resource.data {
        hooks.check_data(data).map_err(|error| error.to_string())?;
    }
    let mutated = hooks.mutate(&resource).map_err(|error| error.to_string())?;
    let resource = mutated.unwrap_or(resource);
    hooks.validate(&resource).map_err(|error| error.to_string())?;
    Typed::<T>::decode(resource).map(|resource| resource.data).map_err(|error| error.to_string())
}

/// What a caller may do to a resource: each of the three answers of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accesses {
    /// Read it.
    pub read: bool,
    /// Write it.
    pub write: bool,
    /// List and watch what is in its tenancy.
    pub list: bool,
}

/// What a caller with these rules may do to a resource, by the hooks of its type. A test has a table of it for each type.
///
/// # Errors
///
/// The rules cannot be.
pub fn accesses<T: StoredResource>(rules: Vec<Rule>, resource: &Resource) -> Result<Accesses, PolicyError> {
    const TOKEN: &str = "the token of the test";
    let token = Token {
        name: "test".to_owned(),
        sha256: TokenHash::of(TOKEN),
        partition: Partition::default(),
        namespace: Namespace::default(),
        rules,
    };
    let policy = Policy::new([token])?;
    let caller = policy.caller(TOKEN).expect("the token of the policy");
    let (authorizer, registration) = (caller.authorizer(), Registration::of::<T>());
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
