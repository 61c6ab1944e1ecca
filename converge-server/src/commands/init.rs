//! `server init` and `server renew`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::error::CommandError;
use crate::identity::{self, AUTHORITY, FIRST_TOKEN, FOLDER, SECRETS_KEY};

/// The names and addresses of the local machine.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The arguments of `server init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Folder of the store. It is created if missing; `identity` is created inside and must not exist
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    #[command(flatten)]
    hosts: HostArgs,
}

/// The arguments of `server renew`.
#[derive(Debug, Args)]
pub(super) struct RenewArgs {
    /// Folder of the store, with `identity` inside
    #[arg(long, value_name = "DIR")]
    data: PathBuf,

    #[command(flatten)]
    hosts: HostArgs,
}

#[derive(Debug, Args)]
struct HostArgs {
    /// Additional name or address of the server, besides the host name, `localhost`, 127.0.0.1 and `::1`
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
}

impl HostArgs {
    fn all(self) -> Vec<String> {
        let machine = rustix::system::uname().nodename().to_string_lossy().to_ascii_lowercase();
        let mut hosts = self.hosts;
        for host in HERE.into_iter().chain([machine.as_str()]) {
            if !hosts.iter().any(|entry| entry == host) {
                hosts.push(host.to_owned());
            }
        }
        hosts
    }
}

impl InitArgs {
    pub(super) fn run(self) -> Result<String, CommandError> {
        let hosts = self.hosts.all();
        let folder = identity::make(&self.data, &hosts)?;
        let (data, authority) = (self.data.display(), folder.join(AUTHORITY));
        let (authority, token) = (authority.display(), folder.join(FIRST_TOKEN));
        let key = folder.join(SECRETS_KEY);
        let mut message = format!(
            "made {}: an authority, a certificate for {}, a token, and a key for secrets\n",
            folder.display(),
            hosts.join(", ")
        );
        let _ = write!(
            message,
            "\nThe server:\n  converge server --data {data} --http 0.0.0.0:8500 --grpc 0.0.0.0:8502\n\
             \nClients on this machine:\n  export CONVERGE_SERVER=https://localhost:8500 CONVERGE_CA={authority} CONVERGE_TOKEN_FILE={}\n  \
             converge token create NAME --read-only\n\
             \nOther machines need {authority} and a token of their own. Nobody else needs the other files. Keep a copy of\n\
             {} where no backup of the store is: secrets cannot be read without it.\n",
            token.display(),
            key.display()
        );
        Ok(message)
    }
}

impl RenewArgs {
    pub(super) fn run(self) -> Result<String, CommandError> {
        let hosts = self.hosts.all();
        let path = identity::renew(&folder(&self.data), &hosts)?;
        let hosts = hosts.join(", ");
        Ok(format!("wrote {} for {hosts}; SIGHUP makes a running server read it\n", path.display()))
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join(FOLDER)
}
