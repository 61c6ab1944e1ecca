//! Where etcd is, and how it is talked to.

use std::fmt;
use std::time::Duration;

use crate::clock::Random;

/// Where etcd is, and how it is talked to.
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

/// Who logs in.
#[derive(Clone)]
pub(super) struct User {
    pub(super) name: String,
    pub(super) password: String,
}

impl EtcdOptions {
    /// The addresses of members of a cluster, one or more: `http://HOST:PORT` or `https://HOST:PORT`.
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

    /// What all keys begin with; `/converge` unless it is said. Stores with other prefixes are other stores.
    pub fn prefix(self, prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), ..self }
    }

    /// How the certificates of `https` addresses are checked. Unless it is said, the authorities that the machine trusts
    /// have to have signed them.
    pub fn tls(self, tls: EtcdTls) -> Self {
        Self { tls: Some(tls), ..self }
    }

    /// Logs in as a user of etcd.
    pub fn user(self, name: impl Into<String>, password: impl Into<String>) -> Self {
        Self { user: Some(User { name: name.into(), password: password.into() }), ..self }
    }

    /// How long a connection may take to come about; 2 seconds unless it is said.
    pub fn connect_timeout(self, connect_timeout: Duration) -> Self {
        Self { connect_timeout, ..self }
    }

    /// How long a request may take, with all attempts at it; 5 seconds unless it is said.
    pub fn request_timeout(self, request_timeout: Duration) -> Self {
        Self { request_timeout, ..self }
    }

    /// How long a lease lasts when its holder is not heard of, in whole seconds; 10 unless it is said. What it is for
    /// stands still for so long when its holder dies.
    pub fn lease_time(self, lease_time: Duration) -> Self {
        Self { lease_time, ..self }
    }

    /// What decides how long is waited before another attempt.
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

/// How members of etcd prove who they are, and we to them. All certificates and keys are PEM.
#[derive(Clone, Default)]
pub struct EtcdTls {
    pub(super) authority: Option<Vec<u8>>,
    pub(super) identity: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) server_name: Option<String>,
}

impl EtcdTls {
    /// TLS with the authorities that the machine trusts.
    pub fn new() -> Self {
        Self::default()
    }

    /// The certificates of the authorities that may have signed those of the members, in place of those that the machine
    /// trusts.
    pub fn authority(self, certificates: impl Into<Vec<u8>>) -> Self {
        Self { authority: Some(certificates.into()), ..self }
    }

    /// Our own certificate and its key, for members that ask for one.
    pub fn identity(self, certificate: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self { identity: Some((certificate.into(), key.into())), ..self }
    }

    /// The name that the certificates of the members have to be for, in place of the hosts of their addresses.
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
