//! The `converge node revoke` command.

use clap::Args;

use super::certificates::{certificates, node_of};
use crate::args::ServerArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::remote::Named;

#[derive(Debug, Args)]
pub(super) struct RevokeArgs {
    /// The names of the nodes
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,

    #[command(flatten)]
    server: ServerArgs,
}

impl RevokeArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let resource_type = types.find("access.v1.NodeCertificate")?;
        let all_certificates = certificates(&server, &types)?;
        let mut missing = Vec::new();
        for name in &self.names {
            let of_node: Vec<_> =
                all_certificates.iter().filter(|certificate| node_of(certificate) == name).collect();
            if of_node.is_empty() {
                // The name may be misspelt, which would leave the certificate of the intended node valid.
                missing.push(name.as_str());
            }
            for certificate in of_node {
                let id = Named {
                    resource_type: resource_type.clone(),
                    name: certificate.name().to_owned(),
                    partition: certificate.partition().to_owned(),
                    namespace: String::new(),
                };
                server.delete(&id, &id.query())?;
            }
        }
        if missing.is_empty() {
            return Ok(Exit::Done);
        }
        Err(CliError::Message(format!("there is no certificate of node {}", missing.join(", "))))
    }
}
