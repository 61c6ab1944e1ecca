//! A client of an etcd cluster: the choice of members, timeouts, retries and the login.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prost::Message;
use tokio::time::{Instant, sleep, timeout_at};
use tonic::client::Grpc;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::codegen::tokio_stream::{self, StreamExt as _};
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Streaming};
use tonic_prost::ProstCodec;

use crate::clock::Random;

use super::super::error::Unavailable;
use super::failure::{Failure, Kind};
use super::options::{EtcdOptions, EtcdTls, User};
use super::wire::{AuthenticateRequest, AuthenticateResponse, Method, WatchAction, WatchCreateRequest};
use super::wire::{WatchRequest, WatchResponse};

/// The interval of pings to a silent member while a request waits for it.
///
/// Etcd allows no less than 5 seconds.
const PING_EVERY: Duration = Duration::from_secs(6);
/// The timeout of a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(3);
/// The initial delay before another attempt.
const FIRST_WAIT: Duration = Duration::from_millis(25);
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The members of a cluster. One of them gets all requests until it fails.
pub(super) struct Client {
    members: Vec<Member>,
    /// The index of the current member.
    current: AtomicUsize,
    user: Option<User>,
    token: Mutex<Option<MetadataValue<Ascii>>>,
    timeout: Duration,
    random: Mutex<Random>,
    /// The newest revision known in this process.
    seen: AtomicI64,
}

struct Member {
    address: String,
    channel: Channel,
}

/// The delays between attempts: doubled each time and randomized, so that clients do not retry in step.
pub(super) struct Waits<'a> {
    client: &'a Client,
    next: Duration,
}

impl Waits<'_> {
    pub(super) async fn wait(&mut self) {
        let wait = {
            let mut random = self.client.random.lock().unwrap_or_else(PoisonError::into_inner);
            random.duration(self.next / 2, self.next)
        };
        self.next = (self.next * 2).min(LONGEST_WAIT);
        sleep(wait).await;
    }

    pub(super) fn reset(&mut self) {
        self.next = FIRST_WAIT;
    }
}

/// The attempts at one request.
struct Attempts<'a> {
    client: &'a Client,
    repeatable: bool,
    deadline: Instant,
    waits: Waits<'a>,
    made: usize,
    logins: usize,
}

impl<'a> Attempts<'a> {
    fn new(client: &'a Client, method: Method) -> Self {
        let deadline = Instant::now() + client.timeout;
        let waits = client.waits();
        Self { client, repeatable: method.repeatable, deadline, waits, made: 0, logins: 0 }
    }

    /// Makes one attempt as a logged-in user, within the time limit.
    async fn limit<A>(
        &self,
        member: &Member,
        once: impl Future<Output = Result<A, Failure>>,
    ) -> Result<A, Failure> {
        // A repeatable request leaves time for the other members; any other gets all of the time.
        let members = u32::try_from(self.client.members.len()).unwrap_or(u32::MAX);
        let share = self.client.timeout / if self.repeatable { members } else { 1 };
        let deadline = self.deadline.min(Instant::now() + share);
        let answer = timeout_at(deadline, async {
            self.client.log_in(member).await?;
            once.await
        });
        answer.await.unwrap_or_else(|_| Err(Failure::timeout(&member.address)))
    }

    /// Waits until another attempt is allowed, or returns the failure if none is.
    async fn again_after(&mut self, number: usize, failure: Failure) -> Result<(), Failure> {
        self.client.learn(number, &failure);
        let can_retry = match failure.kind {
            Kind::NotDone => true,
            Kind::Unknown => self.repeatable,
            Kind::NotLoggedIn => {
                self.logins += 1;
                self.client.user.is_some() && self.logins <= 2
            }
            Kind::OtherRevision | Kind::TooLarge | Kind::Refused => false,
        };
        self.made += 1;
        // Each member is asked once before a delay.
        if can_retry && self.made.is_multiple_of(self.client.members.len()) {
            // The deadline is checked below.
            let _ = timeout_at(self.deadline, self.waits.wait()).await;
        }
        if can_retry && Instant::now() < self.deadline { Ok(()) } else { Err(failure) }
    }
}

impl Client {
    pub(super) fn new(options: &EtcdOptions) -> Result<Self, Unavailable> {
        let members = options.endpoints.iter().map(|address| Member::new(address, options));
        let members: Vec<_> = members.collect::<Result<_, _>>()?;
        if members.is_empty() {
            return Err(Unavailable::new(
                "no address of etcd is given: give one or more, such as http://HOST:2379",
            ));
        }
        let mut random = options.random.clone();
        // Clients should not all use the same member.
        let current = AtomicUsize::new(random.below(members.len()));
        Ok(Self {
            members,
            current,
            user: options.user.clone(),
            token: Mutex::default(),
            timeout: options.request_timeout,
            random: Mutex::new(random),
            seen: AtomicI64::new(0),
        })
    }

    /// Returns the newest revision known in this process. Reads must not return anything older.
    pub(super) fn seen(&self) -> i64 {
        self.seen.load(Ordering::Acquire)
    }

    /// Records a revision that this process is about to know.
    pub(super) fn see(&self, revision: i64) {
        self.seen.fetch_max(revision, Ordering::AcqRel);
    }

    pub(super) fn waits(&self) -> Waits<'_> {
        Waits { client: self, next: FIRST_WAIT }
    }

    /// Sends a request, and retries at other members as long as that is safe and time is left.
    pub(super) async fn call<Q, A>(&self, method: Method, request: Q) -> Result<A, Failure>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        self.attempt(method, |member| self.unary(member, method, request.clone())).await
    }

    /// Like [`call`](Self::call), for a request with a stream as response.
    ///
    /// Only the first message of the stream counts.
    pub(super) async fn call_streaming<Q, A>(&self, method: Method, request: Q) -> Result<A, Failure>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        self.attempt(method, |member| {
            let outgoing = tokio_stream::once(request.clone());
            async move {
                let mut answers = self.stream(member, method, outgoing).await?;
                let first = answers.message().await.map_err(|status| self.failure(member, status))?;
                first.ok_or_else(|| Failure::answer(&member.address, "ended the connection"))
            }
        })
        .await
    }

    /// Asks the members one after the other, as long as that is safe and time is left.
    async fn attempt<'a, A, F>(
        &'a self,
        method: Method,
        request: impl Fn(&'a Member) -> F,
    ) -> Result<A, Failure>
    where
        F: Future<Output = Result<A, Failure>>,
    {
        let mut attempts = Attempts::new(self, method);
        loop {
            let (number, member) = self.member();
            match attempts.limit(member, request(member)).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => attempts.again_after(number, failure).await?,
            }
        }
    }

    /// Returns the current member and its index.
    fn member(&self) -> (usize, &Member) {
        let number = self.current.load(Ordering::Relaxed);
        (number, &self.members[number])
    }

    /// Opens a watch at the current member, and returns the index of the member.
    pub(super) async fn watch(
        &self,
        create: WatchCreateRequest,
    ) -> Result<(usize, Streaming<WatchResponse>), Failure> {
        let (number, member) = self.member();
        let open = async {
            let request = WatchRequest { action: Some(WatchAction::Create(create)) };
            // The watch would end with the stream of requests.
            let outgoing = tokio_stream::once(request).chain(tokio_stream::pending());
            self.log_in(member).await?;
            self.stream(member, Method::WATCH, outgoing).await
        };
        let opened = timeout_at(Instant::now() + self.timeout, open).await;
        let opened = opened.unwrap_or_else(|_| Err(Failure::timeout(&member.address)));
        opened.map(|stream| (number, stream)).inspect_err(|failure| self.learn(number, failure))
    }

    /// Updates the member and the login after a failure.
    fn learn(&self, number: usize, failure: &Failure) {
        match failure.kind {
            Kind::NotLoggedIn => *self.token() = None,
            Kind::NotDone | Kind::Unknown => self.leave(number),
            Kind::OtherRevision | Kind::TooLarge | Kind::Refused => {}
        }
    }

    /// Switches to the next member, unless this one is no longer current.
    pub(super) fn leave(&self, number: usize) {
        let next = (number + 1) % self.members.len();
        let _ = self.current.compare_exchange(number, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Converts the status of a stream to a failure.
    pub(super) fn stream_failure(&self, number: usize, status: tonic::Status) -> Failure {
        let failure = self.failure(&self.members[number], status);
        self.learn(number, &failure);
        failure
    }

    /// Logs in if a user is configured and not yet logged in.
    async fn log_in(&self, member: &Member) -> Result<(), Failure> {
        let Some(user) = &self.user else { return Ok(()) };
        if self.token().is_some() {
            return Ok(());
        }
        let request = AuthenticateRequest { name: user.name.clone(), password: user.password.clone() };
        let answer: AuthenticateResponse = self.unary(member, Method::AUTHENTICATE, request).await?;
        let token = answer.token.parse();
        let token =
            token.map_err(|_| Failure::answer(&member.address, "gave a login that cannot be sent"))?;
        *self.token() = Some(token);
        Ok(())
    }

    fn token(&self) -> std::sync::MutexGuard<'_, Option<MetadataValue<Ascii>>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn unary<Q, A>(&self, member: &Member, method: Method, request: Q) -> Result<A, Failure>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.ready(member).await?.max_decoding_message_size(method.most_bytes);
        let answer = grpc.unary(self.request(request), path(method), ProstCodec::<Q, A>::default()).await;
        self.answer(member, answer)
    }

    async fn stream<Q, A>(
        &self,
        member: &Member,
        method: Method,
        outgoing: impl tokio_stream::Stream<Item = Q> + Send + 'static,
    ) -> Result<Streaming<A>, Failure>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.ready(member).await?;
        let answer =
            grpc.streaming(self.request(outgoing), path(method), ProstCodec::<Q, A>::default()).await;
        self.answer(member, answer)
    }

    /// Waits until a member is ready for a request.
    async fn ready(&self, member: &Member) -> Result<Grpc<Channel>, Failure> {
        let mut grpc = member.grpc();
        let ready = grpc.ready().await;
        ready.map_err(|error| self.failure(member, tonic::Status::from_error(error.into())))?;
        Ok(grpc)
    }

    fn answer<A>(
        &self,
        member: &Member,
        answer: Result<tonic::Response<A>, tonic::Status>,
    ) -> Result<A, Failure> {
        answer.map(tonic::Response::into_inner).map_err(|status| self.failure(member, status))
    }

    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        // A member without a leader then refuses at once instead of letting the request wait.
        request.metadata_mut().insert("hasleader", MetadataValue::from_static("true"));
        if let Some(token) = &*self.token() {
            request.metadata_mut().insert("token", token.clone());
        }
        request
    }

    fn failure(&self, member: &Member, status: tonic::Status) -> Failure {
        Failure::from_status(&member.address, self.user.as_ref().map(|user| user.name.as_str()), status)
    }
}

fn path(method: Method) -> PathAndQuery {
    PathAndQuery::from_static(method.path)
}

impl Member {
    fn new(address: &str, options: &EtcdOptions) -> Result<Self, Unavailable> {
        let error_for = |error| {
            Unavailable::because(
                format!("{address:?} is not an address of etcd: give http://HOST:PORT"),
                error,
            )
        };
        let endpoint = Endpoint::from_shared(address.to_owned()).map_err(error_for)?;
        let scheme = endpoint.uri().scheme_str().unwrap_or_default();
        let endpoint = match (scheme, &options.tls) {
            ("https", tls) => {
                let config = tls_config(tls.as_ref().unwrap_or(&EtcdTls::default()));
                let error_for = |error| {
                    Unavailable::because("a certificate or key for etcd cannot be used: give PEM", error)
                };
                endpoint.tls_config(config).map_err(error_for)?
            }
            ("http", None) => endpoint,
            ("http", Some(_)) => {
                let message = format!("TLS is configured, but {address:?} does not use it: write https://");
                return Err(Unavailable::new(message));
            }
            (..) => {
                let message = format!(
                    "{address:?} is not an address of etcd: give http://HOST:PORT or https://HOST:PORT"
                );
                return Err(Unavailable::new(message));
            }
        };
        let endpoint = endpoint
            .connect_timeout(options.connect_timeout)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_TIMEOUT)
            .keep_alive_while_idle(false);
        Ok(Self { address: address.to_owned(), channel: endpoint.connect_lazy() })
    }

    fn grpc(&self) -> Grpc<Channel> {
        // Responses with large resources exceed the default limit.
        Grpc::new(self.channel.clone()).max_decoding_message_size(usize::MAX)
    }
}

fn tls_config(tls: &EtcdTls) -> ClientTlsConfig {
    let mut config = ClientTlsConfig::new();
    config = match &tls.authority {
        Some(authority) => config.ca_certificate(Certificate::from_pem(authority)),
        None => config.with_native_roots(),
    };
    if let Some((certificate, key)) = &tls.identity {
        config = config.identity(Identity::from_pem(certificate, key));
    }
    if let Some(name) = &tls.server_name {
        config = config.domain_name(name);
    }
    config
}
