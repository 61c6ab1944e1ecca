//! Identities of resources.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Name, Tenancy, Type, Uid};

/// The identity of a resource.
///
/// Callers that create a resource omit the uid, and the store adds it. An identity with a uid means one
/// specific resource. Without a uid it means the resource that has the name now.
///
/// ```
/// use converge_controller::{Id, Scope};
///
/// let id = Id::new("demo.v2.Artist".parse()?, Scope::Namespace.default_tenancy(), "korn".parse()?);
/// assert_eq!(id.to_string(), "demo.v2.Artist/default/default/korn");
///
/// let stored = id.clone().with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?);
/// assert_ne!(stored, id);
/// assert_eq!(stored.without_uid(), id);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Id {
    /// The type of the resource.
    #[serde(rename = "type")]
    pub resource_type: Type,
    /// The tenancy of the resource.
    pub tenancy: Tenancy,
    /// The name of the resource.
    pub name: Name,
    /// The uid, which distinguishes resources that had the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<Uid>,
}

impl Id {
    /// Creates an identity without a uid, which means the resource that has the name now.
    pub fn new(resource_type: Type, tenancy: Tenancy, name: Name) -> Self {
        Self { resource_type, tenancy, name, uid: None }
    }

    /// Adds a uid, which makes the identity that of one specific resource.
    pub fn with_uid(self, uid: Uid) -> Self {
        Self { uid: Some(uid), ..self }
    }

    /// Removes the uid, so that the identity means the resource that has the name now.
    pub fn without_uid(self) -> Self {
        Self { uid: None, ..self }
    }
}

impl fmt::Display for Id {
    /// Writes type, units and name separated by `/`, which none of them can contain. The uid is omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.resource_type)?;
        if let Some(partition) = self.tenancy.partition() {
            write!(f, "{partition}/")?;
        }
        if let Some(namespace) = self.tenancy.namespace() {
            write!(f, "{namespace}/")?;
        }
        write!(f, "{}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads JSON, checks how the identity is displayed, and that it is written as it was read.
    #[track_caller]
    fn check(json: &str, expect: &str) {
        let id: Id = serde_json::from_str(json).expect("an identity");
        assert_eq!(id.to_string(), expect);
        assert_eq!(serde_json::to_string(&id).expect("text"), json);
    }

    const TYPE: &str = r#""type":{"group":"demo","group_version":"v2","kind":"Artist"}"#;

    #[test]
    fn texts() {
        check(&format!(r#"{{{TYPE},"tenancy":{{}},"name":"korn"}}"#), "demo.v2.Artist/korn");
        check(
            &format!(r#"{{{TYPE},"tenancy":{{"partition":"eu"}},"name":"korn"}}"#),
            "demo.v2.Artist/eu/korn",
        );
        check(
            &format!(
                r#"{{{TYPE},"tenancy":{{"partition":"eu","namespace":"music"}},"name":"korn","uid":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}}"#
            ),
            "demo.v2.Artist/eu/music/korn",
        );
    }

    #[test]
    fn wrong_parts_are_refused() {
        #[track_caller]
        fn check(rest: &str, expect: &str) {
            let error = serde_json::from_str::<Id>(&format!("{{{TYPE},{rest}}}")).unwrap_err().to_string();
            assert!(error.contains(expect), "{rest}: {error}");
        }
        check(r#""tenancy":{}"#, "missing field `name`");
        check(r#""name":"korn""#, "missing field `tenancy`");
        check(r#""tenancy":{},"name":"Korn""#, "\"Korn\" is not a name");
        check(r#""tenancy":{"namespace":"n"},"name":"korn""#, "without its partition");
        check(r#""tenancy":{},"name":"korn","uid":"1""#, "\"1\" is not a uid");
        check(r#""tenancy":{},"name":"korn","version":"1""#, "unknown field `version`");
    }
}
