//! The arguments for the store of a server.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_controller::storage::{EtcdOptions, EtcdTls};

use super::error::CommandError;
use crate::content::{EtcdAddress, Store};

/// The location of the store, and the credentials of etcd.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// Trust etcd members with a certificate from an authority in this PEM file, instead of the machine's
    #[arg(long, value_name = "FILE", requires = "store")]
    etcd_ca: Option<PathBuf>,

    /// Client certificate (PEM) with which this server authenticates to etcd
    #[arg(long, value_name = "FILE", requires = "etcd_key")]
    etcd_cert: Option<PathBuf>,

    /// Private key (PEM) of that certificate
    #[arg(long, value_name = "FILE", requires = "etcd_cert")]
    etcd_key: Option<PathBuf>,

    /// User name in etcd
    #[arg(long, value_name = "NAME", requires = "etcd_password_file", requires = "store")]
    etcd_user: Option<String>,

    /// File with the password of the etcd user on its first line
    #[arg(long, value_name = "FILE", requires = "etcd_user")]
    etcd_password_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PlaceArgs {
    /// Keep everything in memory; it is lost when the server stops
    #[arg(long)]
    dev: bool,

    /// Keep everything in this folder, which is created if missing. Only one server at a time can use it.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Keep everything in etcd, which any number of servers share: `etcds://HOST:PORT,HOST:PORT`, or
    /// `etcd://` without TLS on this machine. The part after a `/` is the prefix of all keys [default:
    /// `/converge`].
    #[arg(long, value_name = "URL")]
    store: Option<EtcdAddress>,
}

impl StoreArgs {
    /// Returns the store with its certificates and password.
    pub(super) fn open(self) -> Result<Store, CommandError> {
        let Some(address) = &self.place.store else {
            return Ok(self.place.data.map_or(Store::Memory, Store::Folder));
        };
        let options = self.with_tls(address)?;
        let (Some(user), Some(file)) = (&self.etcd_user, &self.etcd_password_file) else {
            return Ok(Store::etcd(options));
        };
        let password = read(file)?;
        let password = String::from_utf8_lossy(&password);
        Ok(Store::etcd(options.user(user, password.lines().next().unwrap_or_default())))
    }

    fn with_tls(&self, address: &EtcdAddress) -> Result<EtcdOptions, CommandError> {
        let options = address.options();
        if !address.is_secure() {
            let has_certificates = self.etcd_ca.is_some() || self.etcd_cert.is_some();
            return if has_certificates { Err(CommandError::PlainWithCertificates) } else { Ok(options) };
        }
        let mut tls = EtcdTls::new();
        if let Some(file) = &self.etcd_ca {
            tls = tls.authority(read(file)?);
        }
        if let (Some(certificate), Some(key)) = (&self.etcd_cert, &self.etcd_key) {
            tls = tls.identity(read(certificate)?, read(key)?);
        }
        Ok(options.tls(tls))
    }
}

fn read(file: &Path) -> Result<Vec<u8>, CommandError> {
    fs::read(file).map_err(|error| CommandError::Read { file: file.to_owned(), error })
}
