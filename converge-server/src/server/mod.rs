//! A store, its controllers and its listeners, in one process.

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

use crate::access::{Authenticator, Joining};
use crate::content::{Content, Store};
use crate::fleet;
use crate::grpc::{self, Pool};
use crate::http;
use crate::listeners::{BodyBudget, Current, Limits, ListenerSettings, ListenerState, Routes, Tls, serve};
use crate::metrics::{ListenerCounts, Metrics};
use crate::secret_seal::{Seal, SecretKeys};
use crate::type_snapshot::Follower;

/// The default address of HTTP.
pub(crate) const HTTP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8500);

/// The default address of gRPC.
pub(crate) const GRPC: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8502);

/// The address of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    Nowhere,
    At(SocketAddr),
    BesideHttp,
}

/// A server that is configured but not started.
///
/// ```
/// use converge_server::Server;
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Port 0 selects a free port.
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
    /// Creates a server with a store in memory, on the loopback port 8500.
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

    /// Sets the store of the resources.
    pub fn with_store(self, store: Store) -> Self {
        Self { store, ..self }
    }

    /// Sets the address of HTTP.
    ///
    /// It must be a loopback address unless the server has TLS and a policy.
    pub fn with_http(self, http: SocketAddr) -> Self {
        Self { http, ..self }
    }

    /// Adds gRPC at an address, which must be a loopback address unless the server has TLS and a policy.
    ///
    /// With the address of HTTP, both share it, see [`with_grpc_beside_http`](Self::with_grpc_beside_http).
    /// Port 0 is always a separate port.
    pub fn with_grpc(self, grpc: SocketAddr) -> Self {
        Self { grpc: Calls::At(grpc), ..self }
    }

    /// Adds gRPC at the address of HTTP, which then also serves HTTP/2.
    ///
    /// With TLS, clients negotiate the version; without TLS, their first bytes tell it. The content type
    /// `application/grpc` distinguishes gRPC calls from other requests.
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

    /// Requires authentication by a token of this policy or a stored `access.v1.Token`.
    ///
    /// Without a policy, everyone who reaches the server may do everything.
    pub fn with_policy(self, policy: Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Uses TLS with this certificate on all listeners.
    ///
    /// With TLS and a policy, other machines may reach the server.
    pub fn with_tls(self, tls: Tls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Lets nodes with a join token join, and afterwards authenticate with a certificate.
    ///
    /// This needs TLS that knows [the same authority](Tls::from_pem_with_nodes).
    pub fn with_joining(self, joining: Joining) -> Self {
        Self { joining: Some(joining), ..self }
    }

    /// Encrypts secrets with these keys.
    ///
    /// Without keys the server accepts and returns no secrets. All servers of a store need the same keys.
    pub fn with_secrets(self, keys: SecretKeys) -> Self {
        Self { secrets: Some(keys), ..self }
    }

    /// Starts the server.
    ///
    /// It answers requests when the function returns.
    ///
    /// # Errors
    ///
    /// The server cannot listen at an address, the store cannot be opened, or types or controllers conflict.
    pub async fn start(self) -> Result<Running, StartError> {
        let Self { content, store, http, grpc, policy, tls, joining, secrets } = self;
        // Checks without side effects come first, in case one fails.
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
        // The types are read before any request is answered, so that no defined type is ever unknown.
        let (types, follower) = Follower::begin(client.clone()).await?;
        let limits = Limits::default();
        let gate = match policy {
            Some(policy) => Authenticator::with_policy(client.clone(), policy),
            None => Authenticator::open(client.clone()),
        };
        let seal = Seal::new(secrets);
        let doors = ListenerState {
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
            graphs: Arc::new(Semaphore::new(limits.graphs)),
            compilations: Arc::new(Semaphore::new(limits.compilations)),
            bodies: BodyBudget::new(&limits),
            limits: limits.clone(),
            stopping: stopping.clone(),
        };
        metrics.set_certificate_expiry(tls.as_ref().and_then(Tls::end));
        let tls = tls.map(Current::new);
        let door = |routes, counts: &Arc<ListenerCounts>| ListenerSettings {
            tls: tls.clone(),
            routes,
            limits: limits.clone(),
            counts: Arc::clone(counts),
        };
        let served = http::routes(doors.clone());
        let grpc_routes = || {
            let pool = Pool::new(service.own_types()).map_err(StartError::Describe)?;
            Ok::<_, StartError>(grpc::routes(
                ListenerState { counts: Arc::clone(metrics.grpc()), ..doors },
                pool,
            ))
        };
        let (grpc, requested, calls) = match (grpc, calls) {
            (Calls::Nowhere, _) => (None, Routes::Http(served), None),
            (_, None) => (Some(http), Routes::Both { http: served, grpc: grpc_routes()? }, None),
            (_, Some((address, listener))) => {
                let door = door(Routes::Grpc(grpc_routes()?), metrics.grpc());
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

/// Listens at a separate address for gRPC.
async fn listen_beside(
    http: SocketAddr,
    grpc: SocketAddr,
    is_safe: bool,
) -> Result<(SocketAddr, TcpListener), StartError> {
    listen(grpc, is_safe).await.map_err(|error| match error {
        // Addresses with the same port can overlap, such as an unspecified address and a specific one.
        StartError::Listen { source, .. } if source.kind() == AddrInUse && http.port() == grpc.port() => {
            StartError::SharedPort { grpc, http }
        }
        error => error,
    })
}

/// Listens at an address, which must be a loopback address unless `is_safe`.
async fn listen(address: SocketAddr, is_safe: bool) -> Result<(SocketAddr, TcpListener), StartError> {
    if !is_safe && !address.ip().is_loopback() {
        return Err(StartError::NotLoopback { address });
    }
    let refused = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    Ok((listener.local_addr().map_err(refused)?, listener))
}
