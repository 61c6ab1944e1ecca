//! Where a server keeps its resources, as its arguments say.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use converge_controller::storage::{EtcdOptions, EtcdTls};

use super::error::CommandError;
use crate::content::{EtcdAddress, Store};

/// Where resources are kept, and how etcd is reached where that is it.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    #[command(flatten)]
    place: PlaceArgs,

    /// Trust etcd when one of the authorities in this file (PEM) has signed its certificates, instead of those that the machine trusts.
    #[arg(long, value_name = "FILE", requires = "store")]
    etcd_ca: Option<PathBuf>,

    /// The certificate (PEM) by which etcd knows this server.
    #[arg(long, value_name = "FILE", requires = "etcd_key")]
    etcd_cert: Option<PathBuf>,

    /// The key (PEM) of that certificate.
    #[arg(long, value_name = "FILE", requires = "etcd_cert")]
    etcd_key: Option<PathBuf>,

    /// The user of etcd that this server is.
    #[arg(long, value_name = "NAME", requires = "etcd_password_file", requires = "store")]
    etcd_user: Option<String>,

    /// A file with the password of that user on its first line.
    #[arg(long, value_name = "FILE", requires = "etcd_user")]
    etcd_password_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct PlaceArgs {
    /// Keep everything in memory: it is gone when the server stops.
    #[arg(long)]
    dev: bool,

    /// Keep everything in this folder, which is made when it is not there. One server at a time has it.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Keep everything in etcd, which any number of servers share: `etcds://HOST:PORT,HOST:PORT`, or `etcd://` on this machine, without
    /// TLS. What is behind a `/` is the prefix of all keys [default: `/converge`].
    #[arg(long, value_name = "URL")]
    store: Option<EtcdAddress>,
}

impl StoreArgs {
    /// The store, with the certificates and the password that it needs.
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
