//! The follower of type definitions in the store.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use converge_controller::service::{Client, List, ResourceWatch, Service, ServiceError};
use converge_controller::storage::{Consistency, WatchEvent};
use converge_controller::{Name, Resource, StoredResource as _, TenancyPattern, Typed};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{States, TypeSnapshot, Types, Undescribed};
use crate::definitions::{DefinitionSet, TypeDefinition};
use crate::json::Codec;
use crate::openapi;

/// The delay before a watch that has ended is restarted.
const AGAIN: Duration = Duration::from_secs(1);

/// A reason why the current types are not available.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FollowError {
    /// The definitions cannot be read.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The types cannot be described for clients.
    #[error(transparent)]
    Describe(Undescribed),
}

/// Keeps the types of a server in line with the stored definitions.
pub(crate) struct Follower {
    client: Client,
    told: watch::Sender<Arc<TypeSnapshot>>,
    served: watch::Sender<States>,
    /// The built-in types.
    base: Codec,
    defined: DefinitionSet,
    /// Whether the state was lost and must be read again.
    lost: bool,
}

/// A change to the definitions.
enum Change {
    Put(Box<Typed<TypeDefinition>>),
    Gone(Name),
    /// These are all definitions; all others were deleted.
    Only(Vec<Name>),
}

impl Follower {
    /// Reads all definitions.
    ///
    /// Definitions that cannot be used are skipped and logged.
    ///
    /// # Errors
    ///
    /// The definitions cannot be read, or the built-in types cannot be described.
    pub(crate) async fn begin(client: Client) -> Result<(Types, Self), FollowError> {
        let list = definitions().consistency(Consistency::Strong);
        let changes: Vec<_> = client.list(&list).await?.into_iter().map(change).collect();
        let base = Codec::new(client.service().own_types()).map_err(FollowError::Describe)?;
        let first =
            known(client.service(), &base, &DefinitionSet::default()).map_err(FollowError::Describe)?;
        let (types_sender, receiver) = watch::channel(Arc::new(first));
        let (sender, served) = watch::channel(States::new());
        let follower = Self {
            client,
            told: types_sender,
            served: sender,
            base,
            defined: DefinitionSet::default(),
            lost: false,
        };
        Ok((Types { known: receiver, served }, follower.apply(changes).await))
    }

    /// Follows the definitions until the server stops.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let (client, list) = (self.client.clone(), definitions());
        loop {
            let ended = tokio::select! {
                () = stop.cancelled() => return,
                watched = client.watch_list(&list) => match watched {
                    Ok(mut watch) => {
                        let (follower, error) = self.follow(&mut watch, &stop).await;
                        self = follower;
                        error
                    }
                    Err(error) => Some(error),
                }
            };
            if let Some(error) = ended {
                tracing::warn!(%error, "the watch of type definitions is restarted");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(AGAIN) => {}
            }
        }
    }

    /// Follows until the watch ends or the server stops; returns the error that ended the watch.
    async fn follow(
        mut self,
        watch: &mut ResourceWatch,
        stop: &CancellationToken,
    ) -> (Self, Option<ServiceError>) {
        let mut snapshot = Some(Vec::new());
        loop {
            let event = tokio::select! {
                () = stop.cancelled() => return (self, None),
                event = watch.next() => event,
            };
            let changes = match event {
                Ok(WatchEvent::Upsert(stored)) => match &mut snapshot {
                    Some(snapshot) => {
                        snapshot.push(stored);
                        continue;
                    }
                    None => vec![change(stored)],
                },
                Ok(WatchEvent::Delete(last)) => vec![Change::Gone(last.id.name.clone())],
                Ok(WatchEvent::EndOfSnapshot) => {
                    let resources = snapshot.take().unwrap_or_default();
                    let names = resources.iter().map(|stored| stored.id.name.clone()).collect();
                    resources.into_iter().map(change).chain([Change::Only(names)]).collect()
                }
                Err(error) => return (self, Some(error)),
            };
            self = self.apply(changes).await;
            if mem::take(&mut self.lost) {
                return (self, None);
            }
        }
    }

    /// Applies changes, and publishes the new types if any definition changed.
    async fn apply(mut self, changes: Vec<Change>) -> Self {
        let service = self.client.service().clone();
        let (mut defined, base) = (mem::take(&mut self.defined), self.base.clone());
        // Compiling and describing all types keeps a thread busy for a while.
        let task = spawn_blocking(move || {
            let mut is_new = false;
            for change in changes {
                is_new |= match change {
                    Change::Put(definition) => defined.put(service.own_types(), &definition),
                    Change::Gone(name) => defined.remove(&name),
                    Change::Only(names) => defined.keep(&names),
                };
            }
            let types = is_new.then(|| known(&service, &base, &defined));
            (defined, types)
        });
        match task.await {
            Ok((defined, known)) => {
                self.defined = defined;
                match known {
                    Some(Ok(known)) => self.tell(known),
                    Some(Err(error)) => {
                        tracing::error!(%error, "the types that are defined cannot be described");
                    }
                    None => {}
                }
            }
            Err(error) => {
                tracing::error!(%error, "the types that are defined cannot be compiled");
                self.lost = true;
            }
        }
        self
    }

    fn tell(&self, types: TypeSnapshot) {
        // The descriptions come first, so that no client gets answers of a type without its description.
        self.told.send_replace(Arc::new(types));
        if let Err(error) = self.defined.define(self.client.service()) {
            tracing::error!(%error, "the types that are defined cannot be registered");
        }
        // This comes last, because the client that wrote the definition is answered now and may use its types
        // at once.
        self.served.send_replace(self.defined.states());
    }
}

fn definitions() -> List {
    List::new(TypeDefinition::resource_type().clone()).in_tenancy(TenancyPattern::Cluster)
}

/// Converts a stored definition to a change.
fn change(stored: Arc<Resource>) -> Change {
    let name = stored.id.name.clone();
    match Typed::try_from(stored) {
        Ok(definition) => Change::Put(Box::new(definition)),
        Err(error) => {
            tracing::warn!(definition = %name, %error, "a stored definition of types cannot be read");
            Change::Gone(name)
        }
    }
}

/// Creates the snapshot for these definitions.
fn known(service: &Service, base: &Codec, defined: &DefinitionSet) -> Result<TypeSnapshot, Undescribed> {
    let files = defined.files();
    let mut pool = base.pool().clone();
    files.extend(&mut pool)?;
    let types = defined.merged_with(service.own_types())?;
    let openapi = openapi::document(&types, &pool)?.to_string().into();
    Ok(TypeSnapshot { codec: Codec::from_pool(pool), openapi, files })
}
