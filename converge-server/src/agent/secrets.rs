//! The secrets of a module on its machine.

use std::collections::BTreeMap;
use std::fmt;

use converge_controller::Typed;
use serde::{Deserialize, Serialize};

use super::server_client::{Remote, RemoteError};
use crate::fleet::types::{Assignment, Content};

/// The values of secrets by name.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Secrets(BTreeMap<String, Known>);

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    /// The generation of the secret that was read.
    ///
    /// A new value has a new generation.
    generation: String,
    value: String,
}

impl Secrets {
    /// Returns one known secret.
    #[cfg(test)]
    pub(super) fn known(name: &str, value: &str) -> Self {
        let known = Known { generation: "1".to_owned(), value: value.to_owned() };
        Self(BTreeMap::from([(name.to_owned(), known)]))
    }

    /// Whether these are exactly the secrets of an assignment, in their current generations.
    pub(super) fn match_assignment(&self, assignment: &Assignment) -> bool {
        let generations = self.0.iter().map(|(name, known)| (name, &known.generation));
        generations.eq(&assignment.secrets)
    }

    /// Requests the secrets of an assignment that are missing or outdated.
    ///
    /// Known values stay while the server is away.
    ///
    /// # Errors
    ///
    /// A secret that the module needs is not known; the error states the reason.
    pub(super) async fn ask(
        &mut self,
        remote: &Remote,
        assignment: &Typed<Assignment>,
        content: &Content,
    ) -> Result<(), String> {
        self.0.retain(|name, _| assignment.secrets.contains_key(name));
        for name in content.secrets.values() {
            let Some(target) = assignment.secrets.get(name) else {
                return Err(format!("there is no secret {name}: `converge secret set {name}` makes it"));
            };
            let secret = self.0.get(name);
            if secret.is_some_and(|secret| secret.generation == *target) {
                continue;
            }
            match remote.secret(&assignment.id().tenancy, name).await {
                Ok((value, generation)) => {
                    self.0.insert(name.clone(), Known { generation, value });
                }
                Err(RemoteError::Client(error)) if error.is_away() && secret.is_some() => {
                    tracing::info!(secret = %name, %error, "the server does not return a newer value: the known value stays");
                }
                Err(error) => return Err(format!("the secret {name} is not given to this machine: {error}")),
            }
        }
        Ok(())
    }

    /// Returns the values of the secret parameters.
    pub(super) fn params(&self, content: &Content) -> BTreeMap<String, String> {
        let value = |name: &String| self.0.get(name).map(|secret| secret.value.clone());
        content.secrets.iter().filter_map(|(param, name)| Some((param.clone(), value(name)?))).collect()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
