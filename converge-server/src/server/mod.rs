//! A store, its controllers and its doors, in one process.

mod error;
mod running_server;
#[cfg(test)]
mod tests;

use std::io::ErrorKind::AddrInUse;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use converge_controller::authorize::{Caller, Policy};
use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};
use futures_util::future::OptionFuture;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use error::StartError;
pub use running_server::Running;

use crate::access::{Gate, Joining};
use crate::content::{Content, Store};
use crate::fleet;
use crate::grpc::{self, Pool};
use crate::http;
use crate::listeners::{Bodies, Current, Door, Doors, Limits, Routes, Tls, serve};
use crate::metrics::{DoorCounts, Metrics};
use crate::secret_seal::{Seal, SecretKeys};
use crate::type_snapshot::Follower;

/// Where HTTP is spoken, when nobody says otherwise.
pub(crate) const HTTP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8500);

/// Where gRPC is spoken, when nobody says otherwise.
pub(crate) const GRPC: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8502);

/// Where gRPC is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    Nowhere,
    At(SocketAddr),
    BesideHttp,
}

/// A server, before it runs.
///
/// ```
/// use converge_server::Server;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Port 0 is one that is free.
/// let running = Server::new().with_http("127.0.0.1:0".parse()?).start().await?;
/// println!("http://{}", running.http());
/// running.stop().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Server {
    content: Content,
    store: Store,
    http: SocketAddr,
    grpc: Calls,
    policy: Option<Policy>,
    tls: Option<Tls>,
    joining: Option<Joining>,
    secrets: Option<SecretKeys>,
}

impl Default for Server {
    fn default() -> Self {
        Self::new()
    }
}

impl Server {
    /// A server with a store in memory, on port 8500 of this machine alone.
    pub fn new() -> Self {
        Self::with_content(Content::default())
    }

    pub(crate) fn with_content(content: Content) -> Self {
        let store = Store::Memory;
        Self {
            content,
            store,
            http: HTTP,
            grpc: Calls::Nowhere,
            policy: None,
            tls: None,
            joining: None,
            secrets: None,
        }
    }

    /// Adds types; usually the `register_types` of a package of types.
    pub fn with_types(
        mut self,
        register: impl Fn(&mut TypeRegistry) -> Result<(), RegistryError> + Send + Sync + 'static,
    ) -> Self {
        self.content.add_types(register);
        self
    }

    /// Adds controllers; usually the `register_controllers` of a package.
    pub fn with_controllers(
        mut self,
        register: impl Fn(&mut Manager) -> Result<(), RegisterError> + Send + Sync + 'static,
    ) -> Self {
        self.content.add_controllers(register);
        self
    }

    /// Says where resources are kept.
    pub fn with_store(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// Says where HTTP is spoken: an address that no other machine reaches, unless there are TLS and a policy.
    pub fn with_http(self, http: SocketAddr) -> Self {
        Self { http, ..self }
    }

    /// Speaks gRPC too: at an address that no other machine reaches, unless there are TLS and a policy. Where it is that of HTTP, both are
    /// spoken there, as [`with_grpc_beside_http`](Self::with_grpc_beside_http) says; port 0 is always another one.
    pub fn with_grpc(self, grpc: SocketAddr) -> Self {
        Self { grpc: Calls::At(grpc), ..self }
    }

    /// Speaks gRPC too, where HTTP is spoken. HTTP is then spoken as HTTP/2 as well: with TLS as clients agree on, and without it as their first
    /// bytes tell. What is called is told from what is asked by its content type, `application/grpc`.
    ///
    /// ```
    /// use converge_server::Server;
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let running = Server::new().with_http("127.0.0.1:0".parse()?).with_grpc_beside_http().start().await?;
    /// assert_eq!(running.grpc(), Some(running.http()));
    /// running.stop().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_grpc_beside_http(self) -> Self {
        Self { grpc: Calls::BesideHttp, ..self }
    }

    /// Asks everybody who they are: by a token of this policy, or by one that is stored as `access.v1.Token`. Without it everybody
    /// who reaches the server may do everything.
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Speaks TLS at all doors, with this certificate. With it and with tokens, the server may be reached from other machines.
    pub fn with_tls(self, tls: Tls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Lets nodes join that have a token for it, and be known by a certificate from then on. It needs TLS that knows
    /// [the same authority](Tls::from_pem_with_nodes).
    pub fn with_joining(self, joining: Joining) -> Self {
        Self { joining: Some(joining), ..self }
    }

    /// Seals secrets with these keys. Without them it takes no secrets and gives none. All servers of a store need the same.
    pub fn with_secrets(self, keys: SecretKeys) -> Self {
        Self { secrets: Some(keys), ..self }
    }

    /// Starts it. When this returns, it answers.
    ///
    /// # Errors
    ///
    /// It cannot listen there, the store cannot be opened, or types or controllers cannot stand side by side.
    pub async fn start(self) -> Result<Running, StartError> {
        let Self { content, store, http, grpc, policy, tls, joining, secrets } = self;
        // First what leaves nothing behind when something else is wrong.
        let is_safe = tls.is_some() && policy.is_some();
        let (http, requests) = listen(http, is_safe).await?;
        let calls = match grpc {
            Calls::At(address) if address != http => Some(listen_beside(http, address, is_safe).await?),
            Calls::Nowhere | Calls::At(_) | Calls::BesideHttp => None,
        };
        let metrics = Arc::new(Metrics::new(store.file()));
        let service = content.service(metrics.counting(store.open().await?))?;
        let manager = content.manager(&service)?;
        service.start().await?;

        let client = service.client(Caller::system());
        let (stopping, closing) = (CancellationToken::new(), CancellationToken::new());
        // Before anybody is answered, so that no type that is defined is ever unknown.
        let (types, follower) = Follower::begin(client.clone()).await?;
        let limits = Limits::default();
        let gate = match policy {
            Some(policy) => Gate::with_policy(client.clone(), policy),
            None => Gate::open(client.clone()),
        };
        let seal = Seal::new(secrets);
        let doors = Doors {
            own: client.clone(),
            gate: gate.clone(),
            joining: joining.filter(|_| tls.is_some()),
            seal: seal.clone(),
            types,
            controllers: manager.handle(),
            dependencies: manager.dependencies(),
            counts: Arc::clone(metrics.http()),
            metrics: Arc::clone(&metrics),
            watches: Arc::new(Semaphore::new(limits.watches)),
            bodies: Bodies::new(&limits),
            limits: limits.clone(),
            stopping: stopping.clone(),
        };
        metrics.certificate_ends(tls.as_ref().and_then(Tls::end));
        let tls = tls.map(Current::new);
        let door = |routes, counts: &Arc<DoorCounts>| Door {
            tls: tls.clone(),
            routes,
            limits: limits.clone(),
            counts: Arc::clone(counts),
        };
        let served = http::routes(doors.clone());
        let called = || {
            let pool = Pool::new(service.own_types()).map_err(|error| StartError::Describe(error.into()))?;
            Ok::<_, StartError>(grpc::routes(Doors { counts: Arc::clone(metrics.grpc()), ..doors }, pool))
        };
        let (grpc, requested, calls) = match (grpc, calls) {
            (Calls::Nowhere, _) => (None, Routes::Http(served), None),
            (_, None) => (Some(http), Routes::Both { http: served, grpc: called()? }, None),
            (_, Some((address, listener))) => {
                let door = door(Routes::Grpc(called()?), metrics.grpc());
                (Some(address), Routes::Http(served), Some(serve(listener, door, closing.clone())))
            }
        };
        let requests = serve(requests, door(requested, metrics.http()), closing.clone());
        let serving = async {
            tokio::join!(requests, OptionFuture::from(calls));
        };
        let (controllers, stop) = (manager.run(stopping.clone()), stopping.clone());
        let controllers = async move {
            tokio::join!(controllers, follower.run(stop));
        };
        Ok(Running {
            http,
            grpc,
            client,
            gate,
            seal,
            tls,
            census: tokio::spawn(fleet::count(service, Arc::clone(metrics.fleet()), stopping.clone())),
            metrics,
            controllers: tokio::spawn(controllers),
            doors: tokio::spawn(serving),
            stopping,
            closing,
        })
    }
}

/// Listens at an address for gRPC.
async fn listen_beside(
    http: SocketAddr,
    grpc: SocketAddr,
    is_safe: bool,
) -> Result<(SocketAddr, TcpListener), StartError> {
    listen(grpc, is_safe).await.map_err(|error| match error {
        // The addresses of one port may still lie within each other.
        StartError::Listen { source, .. } if source.kind() == AddrInUse && http.port() == grpc.port() => {
            StartError::SharedPort { grpc, http }
        }
        error => error,
    })
}

/// Listens at an address: one of this machine alone, unless it `is_safe` to be asked by others.
async fn listen(address: SocketAddr, is_safe: bool) -> Result<(SocketAddr, TcpListener), StartError> {
    if !is_safe && !address.ip().is_loopback() {
        return Err(StartError::NotLoopback { address });
    }
    let refused = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    Ok((listener.local_addr().map_err(refused)?, listener))
}
