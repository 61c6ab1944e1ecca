//! A store, its controllers and its doors, in one process.

mod error;
mod running;
#[cfg(test)]
mod tests;

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
pub use running::Running;

use crate::access::{Gate, Joining};
use crate::content::{Content, Store};
use crate::doors::{Bodies, Current, Door, Doors, Limits, Protocol, Tls, serve};
use crate::fleet;
use crate::grpc::{self, Pool};
use crate::http;
use crate::known::Follower;
use crate::metrics::Metrics;
use crate::seal::{Seal, SecretKeys};

/// Where HTTP is spoken, when nobody says otherwise.
pub(crate) const HTTP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8500);

/// Where gRPC is spoken, when nobody says otherwise.
pub(crate) const GRPC: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8502);

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
    grpc: Option<SocketAddr>,
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
        Self { content, store, http: HTTP, grpc: None, policy: None, tls: None, joining: None, secrets: None }
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

    /// Speaks gRPC too: at an address that no other machine reaches, unless there are TLS and a policy.
    pub fn with_grpc(self, grpc: SocketAddr) -> Self {
        Self { grpc: Some(grpc), ..self }
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
        let (http, listener) = listen(http, is_safe).await?;
        let grpc = match grpc {
            Some(address) => Some(listen(address, is_safe).await?),
            None => None,
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
        let requests = Door {
            protocol: Protocol::Http1,
            tls: tls.clone(),
            routes: http::routes(doors.clone()),
            limits,
            counts: Arc::clone(metrics.http()),
        };
        let (grpc, calls) = grpc.unzip();
        let calls = match calls {
            Some(listener) => {
                let pool =
                    Pool::new(service.own_types()).map_err(|error| StartError::Describe(error.into()))?;
                let counts = Arc::clone(metrics.grpc());
                let routes = grpc::routes(Doors { counts: Arc::clone(&counts), ..doors }, pool);
                let calls = Door { protocol: Protocol::Http2, routes, counts, ..requests.clone() };
                Some(serve(listener, calls, closing.clone()))
            }
            None => None,
        };
        let requests = serve(listener, requests, closing.clone());
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

/// Listens at an address: one of this machine alone, unless it `is_safe` to be asked by others.
async fn listen(address: SocketAddr, is_safe: bool) -> Result<(SocketAddr, TcpListener), StartError> {
    if !is_safe && !address.ip().is_loopback() {
        return Err(StartError::NotLoopback { address });
    }
    let refused = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    Ok((listener.local_addr().map_err(refused)?, listener))
}
