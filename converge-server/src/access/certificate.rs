//! Certificates of nodes.

use std::sync::Arc;

use converge_controller::authorize::TokenHash;
use converge_controller::protobuf::Timestamp;
use converge_controller::validation::{Cause, Invalid};
use converge_controller::{Id, InvalidName, Partition, StoredResource, Tenancy, Typed};
use sha2::{Digest as _, Sha256};

use crate::fleet::types::Node;
use crate::identity::hexadecimal;

/// The number of digits of the hash in the name of a certificate; the full hash is too long for a name.
const DIGITS: usize = 32;

/// The SHA-256 of a certificate as hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(Arc<str>);

impl Fingerprint {
    /// Computes the fingerprint of a certificate in DER.
    pub(crate) fn from_der(der: &[u8]) -> Self {
        Self(hexadecimal(&Sha256::digest(der)).into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the id of the stored certificate, in the partition of all agents.
    pub(super) fn id(&self) -> Result<Id, InvalidName> {
        let tenancy = Tenancy::Partition(Partition::default());
        Ok(Id::new(NodeCertificate::resource_type().clone(), tenancy, self.0[..DIGITS].parse()?))
    }
}

/// A certificate that identifies a node.
///
/// To revoke it, delete it. The node owns it, so it is deleted with the node. Its name is the beginning of
/// its SHA-256, which the server uses to find it.
///
/// The type is in the group of the tokens, because a caller with write access to it decides which callers are
/// nodes.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "access", version = "v1", scope = partition, validate = NodeCertificate::check)]
pub(crate) struct NodeCertificate {
    /// The SHA-256 of the certificate (DER), as 64 hexadecimal digits.
    #[stored(tag = 1)]
    pub sha256: String,
    /// The time at which the certificate expires.
    #[stored(tag = 2)]
    pub expires: Option<Timestamp>,
    /// The SHA-256 of the public key of the certificate.
    #[stored(tag = 3)]
    pub key: String,
    /// The token with which the node joined; empty if the certificate is the successor of another one.
    #[stored(tag = 4)]
    pub token: String,
    /// Whether the certificate has been used.
    ///
    /// At its first use, the server revokes the certificates and the token that it replaces.
    #[stored(tag = 5)]
    pub used: bool,
}

impl NodeCertificate {
    fn check(certificate: &Typed<Self>) -> Result<(), Invalid> {
        let mut invalid = Invalid::collect();
        if let Err(error) = certificate.sha256.parse::<TokenHash>() {
            invalid.field("sha256").add(format!("is wrong: {error}"));
        } else if certificate.sha256[..DIGITS] != *certificate.id().name.as_str() {
            invalid.field("id").field("name").add(format!("is not the first {DIGITS} digits of its sha256"));
        }
        invalid.field("expires").require(certificate.expires.is_some(), Cause::Missing);
        invalid.field("owner").require(certificate.owner().is_some(), Cause::Missing);
        invalid.owner_type(certificate.owner(), &[Node::resource_type()]);
        invalid.finish()
    }

    /// Returns the node that the certificate identifies.
    pub(crate) fn node(certificate: &Typed<Self>) -> Option<&Id> {
        certificate.owner()
    }

    pub(super) fn matches(&self, fingerprint: &Fingerprint) -> bool {
        self.sha256 == fingerprint.as_str()
    }

    pub(super) fn has_expired(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|end| end <= now)
    }
}
