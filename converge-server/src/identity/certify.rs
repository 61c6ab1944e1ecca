//! The certificate authority and its certificates.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose, PublicKeyData as _, date_time_ymd,
};
use sha2::{Digest as _, Sha256};

use super::hexadecimal;
use super::key::PublicKey;

/// The lifetime of an authority in days.
///
/// It is long, because machines trust the authority as long as it is used.
const AUTHORITY_DAYS: i64 = 3650;
/// The lifetime of a server certificate in days.
const SERVER_DAYS: i64 = 397;
/// The number of digits of the key's hash in the name of an authority.
const DIGITS: usize = 16;

/// A reason why a certificate cannot be created.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CertifyError {
    #[error("{0:?} is not the name of a host, nor an address")]
    Host(String),
    #[error("a certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
    #[error("a certificate cannot be made: {0}")]
    Date(#[from] jiff::Error),
}

/// A certificate as PEM text and as bytes.
pub(crate) struct Signed {
    pub(crate) pem: String,
    pub(crate) der: Vec<u8>,
}

/// A certificate authority.
pub(crate) struct Authority {
    key: KeyPair,
    params: CertificateParams,
}

impl Authority {
    /// Creates an authority with a new key.
    pub(super) fn new() -> Result<Self, CertifyError> {
        Self::with_key(KeyPair::generate()?)
    }

    /// Restores the authority that has this key.
    pub(crate) fn from_key(pem: &str) -> Result<Self, CertifyError> {
        Self::with_key(KeyPair::from_pem(pem)?)
    }

    fn with_key(key: KeyPair) -> Result<Self, CertifyError> {
        let mut params = CertificateParams::default();
        // The hash in the name distinguishes authorities, and makes the name depend on the key alone.
        let mut name = "Converge authority ".to_owned();
        name.push_str(&hexadecimal(&Sha256::digest(key.der_bytes())[..DIGITS / 2]));
        params.distinguished_name = named(&name);
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages =
            vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        good_for(&mut params, AUTHORITY_DAYS)?;
        Ok(Self { key, params })
    }

    /// Returns the authority's own certificate in PEM.
    pub(super) fn certificate(&self) -> Result<String, CertifyError> {
        Ok(self.params.self_signed(&self.key)?.pem())
    }

    /// Returns the private key in PEM.
    pub(super) fn key(&self) -> String {
        self.key.serialize_pem()
    }

    /// Creates a key and a certificate for a server with these names and addresses.
    pub(super) fn server(&self, hosts: &[String]) -> Result<String, CertifyError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::default();
        for host in hosts {
            let error = |_| CertifyError::Host(host.clone());
            let host_params = CertificateParams::new(vec![host.clone()]).map_err(error)?;
            if !is_host(host) {
                return Err(CertifyError::Host(host.clone()));
            }
            params.subject_alt_names.extend(host_params.subject_alt_names);
        }
        params.distinguished_name = named("Converge server");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        good_for(&mut params, SERVER_DAYS)?;
        let issuer = Issuer::from_params(&self.params, &self.key);
        let certificate = params.signed_by(&key, &issuer)?;
        Ok(key.serialize_pem() + &certificate.pem())
    }

    /// Creates a certificate for a node's key.
    ///
    /// It allows client authentication only, and expires after the given number of days.
    pub(crate) fn node(&self, name: &str, key: &PublicKey, days: i64) -> Result<Signed, CertifyError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = named(&format!("Converge node {name}"));
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        good_for(&mut params, days)?;
        let certificate = params.signed_by(key, &Issuer::from_params(&self.params, &self.key))?;
        Ok(Signed { pem: certificate.pem(), der: certificate.der().to_vec() })
    }
}

fn named(name: &str) -> DistinguishedName {
    let mut subject = DistinguishedName::new();
    subject.push(DnType::CommonName, name);
    subject
}

/// Whether the text is an address or a name that can be resolved.
///
/// The certificate would accept other texts, but no client could use them.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        !label.is_empty() && label.len() <= 63 && label.bytes().all(is_legal)
    };
    let name = host.strip_prefix("*.").unwrap_or(host);
    host.parse::<std::net::IpAddr>().is_ok() || (name.len() <= 253 && name.split('.').all(is_label))
}

/// Sets the validity from yesterday, because clocks differ, for the given number of days.
fn good_for(params: &mut CertificateParams, days: i64) -> Result<(), CertifyError> {
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let date_time = |date: Date| {
        let part = |part: i8| u8::try_from(part).unwrap_or(1);
        date_time_ymd(date.year().into(), part(date.month()), part(date.day()))
    };
    params.not_before = date_time(today.checked_sub(1.day())?);
    params.not_after = date_time(today.checked_add(days.days())?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts() {
        let check = |host: &str, expect: bool| {
            let result = Authority::new().unwrap().server(&[host.to_owned()]);
            assert_eq!(result.is_ok(), expect, "{host}");
        };
        check("localhost", true);
        check("server-1.example.org", true);
        check("*.example.org", true);
        check("10.0.0.1", true);
        check("::1", true);
        for invalid in ["", "a b", "https://a", "a:8500", "a..b", "é.org"] {
            check(invalid, false);
        }
    }

    #[test]
    fn an_authority_is_known_by_its_key() {
        let first = Authority::new().unwrap();
        let second = Authority::from_key(&first.key()).unwrap();
        assert_eq!(first.params, second.params);
    }
}
