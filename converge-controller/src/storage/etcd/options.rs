//! Options of the connection to etcd.

use std::fmt;
use std::time::Duration;

use crate::clock::Random;

/// The addresses of an etcd cluster, and the options of connections to it.
///
/// ```
/// use converge_controller::storage::{EtcdOptions, EtcdTls};
///
/// let members = ["https://etcd-1:2379", "https://etcd-2:2379", "https://etcd-3:2379"];
/// let options = EtcdOptions::new(members)
///     .tls(EtcdTls::new().authority("-----BEGIN CERTIFICATE-----\n..."))
///     .user("converge", "secret");
/// assert!(!format!("{options:?}").contains("secret"));
/// ```
#[derive(Clone)]
pub struct EtcdOptions {
    pub(super) endpoints: Vec<String>,
    pub(super) prefix: String,
    pub(super) tls: Option<EtcdTls>,
    pub(super) user: Option<User>,
    pub(super) connect_timeout: Duration,
    pub(super) request_timeout: Duration,
    pub(super) lease_time: Duration,
    pub(super) random: Random,
}

/// The user of the login.
#[derive(Clone)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) password: String,
}

impl EtcdOptions {
    /// Creates options with the addresses of one or more members.
    ///
    /// An address is `http://HOST:PORT` or `https://HOST:PORT`.
    pub fn new<T: Into<String>>(endpoints: impl IntoIterator<Item = T>) -> Self {
        Self {
            endpoints: endpoints.into_iter().map(Into::into).collect(),
            prefix: "/converge".to_owned(),
            tls: None,
            user: None,
            connect_timeout: Duration::from_secs(2),
            request_timeout: Duration::from_secs(5),
            lease_time: Duration::from_secs(10),
            random: Random::from_machine(),
        }
    }

    /// Sets the prefix of all keys, by default `/converge`.
    ///
    /// Different prefixes are different stores.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// Sets the verification of the certificates of `https` addresses.
    ///
    /// By default, an authority that the machine trusts must have signed them.
    pub fn tls(self, tls: EtcdTls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Sets the user and password of the login.
    pub fn user(self, name: impl Into<String>, password: impl Into<String>) -> Self {
        Self { user: Some(User { name: name.into(), password: password.into() }), ..self }
    }

    /// Sets the timeout of connecting, by default 2 seconds.
    pub fn connect_timeout(self, connect_timeout: Duration) -> Self {
        Self { connect_timeout, ..self }
    }

    /// Sets the timeout of a request with all its attempts, by default 5 seconds.
    pub fn request_timeout(self, request_timeout: Duration) -> Self {
        Self { request_timeout, ..self }
    }

    /// Sets the time to live of a lease in whole seconds, by default 10.
    ///
    /// When the holder dies, its work stops for this long.
    pub fn lease_time(self, lease_time: Duration) -> Self {
        Self { lease_time, ..self }
    }

    /// Sets the source of random numbers for the delays between attempts.
    pub fn random(self, random: Random) -> Self {
        Self { random, ..self }
    }
}

impl fmt::Debug for EtcdOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdOptions")
            .field("endpoints", &self.endpoints)
            .field("prefix", &self.prefix)
            .field("tls", &self.tls)
            .field("user", &self.user.as_ref().map(|user| &user.name))
            .field("connect_timeout", &self.connect_timeout)
            .field("request_timeout", &self.request_timeout)
            .field("lease_time", &self.lease_time)
            .finish_non_exhaustive()
    }
}

/// TLS options for both directions of authentication.
///
/// All certificates and keys are PEM.
#[derive(Clone, Default)]
pub struct EtcdTls {
    pub(super) authority: Option<Vec<u8>>,
    pub(super) identity: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) server_name: Option<String>,
}

impl EtcdTls {
    /// Creates options that trust the authorities of the machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the authorities that may have signed the certificates of the members.
    ///
    /// They replace those of the machine.
    pub fn authority(self, certificates: impl Into<Vec<u8>>) -> Self {
        Self { authority: Some(certificates.into()), ..self }
    }

    /// Sets the client certificate and its key, for members that require one.
    pub fn identity(self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self { identity: Some((certificate.into(), key.into())), ..self }
    }

    /// Sets the name that the certificates of the members must have.
    ///
    /// It replaces the hosts of their addresses.
    pub fn server_name(self, name: impl Into<String>) -> Self {
        Self { server_name: Some(name.into()), ..self }
    }
}

impl fmt::Debug for EtcdTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EtcdTls")
            .field("authority", &self.authority.is_some())
            .field("identity", &self.identity.is_some())
            .field("server_name", &self.server_name)
            .finish()
    }
}
