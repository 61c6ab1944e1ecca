//! Arguments that several resource commands share.

use clap::Args;

use crate::args::{ServerArgs, TenancyArgs};
use crate::error::CliError;
use crate::remote::{Named, Query, Server, Types};

/// A resource, by type and name.
#[derive(Debug, Args)]
pub(super) struct NameArgs {
    /// The type: `demo.v2.Artist`, or only the kind, in any case, if a single type has it
    #[arg(value_name = "TYPE")]
    resource_type: String,

    /// The name
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    tenancy: TenancyArgs,

    #[command(flatten)]
    pub(super) server: ServerArgs,
}

impl NameArgs {
    pub(super) fn named(&self, server: &Server) -> Result<(Named, Types), CliError> {
        let types = server.types()?;
        let TenancyArgs { partition, namespace } = &self.tenancy;
        let id = Named {
            resource_type: types.find(&self.resource_type)?.clone(),
            name: self.name.clone(),
            partition: partition.clone(),
            namespace: namespace.clone(),
        };
        Ok((id, types))
    }
}

/// A selection of the resources of a type.
#[derive(Debug, Args)]
pub(super) struct SelectArgs {
    /// The type: `demo.v2.Artist`, or only the kind, in any case, if a single type has it
    #[arg(value_name = "TYPE")]
    pub(super) resource_type: String,

    /// Only resources whose names begin with this prefix
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    name_prefix: String,

    /// Only resources whose metadata match: `team=web`, `team!=web`, `team in (web,db)`, separated by
    /// commas
    #[arg(short = 'l', long, value_name = "RULES", default_value = "", hide_default_value = true)]
    selector: String,

    /// Their partition, or `*` for all [default: that of the caller, `default`]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    partition: String,

    /// Their namespace, or `*` for all [default: that of the caller, `default`]
    #[arg(short, long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
}

impl SelectArgs {
    pub(super) fn query(&self) -> Query {
        Query::default()
            .with_non_empty("partition", &self.partition)
            .with_non_empty("namespace", &self.namespace)
            .with_non_empty("name_prefix", &self.name_prefix)
            .with_non_empty("selector", &self.selector)
    }
}
