//! The stores that are measured, and what is put into them.

use std::path::Path;
use std::sync::Arc;

use converge_controller::storage::{Backend, Change, Memory, Query, Redb, Transaction};
use converge_controller::{Data, Id, Resource, Scope, Type, Uid};

use crate::error::BenchError;

/// Bytes of data of a resource.
pub(super) const SIZE: usize = 1_024;

/// A store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Memory,
    Redb,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Memory, Self::Redb];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Redb => "redb",
        }
    }

    /// A store in a folder.
    pub(super) async fn open(self, folder: &Path) -> Result<Arc<dyn Backend>, BenchError> {
        Ok(match self {
            Self::Memory => Arc::new(Memory::new()),
            Self::Redb => Arc::new(open(folder).await?),
        })
    }
}

pub(super) async fn open(folder: &Path) -> Result<Redb, BenchError> {
    Redb::open(folder.join("resources.redb")).await.map_err(BenchError::store)
}

fn resource_type() -> Result<Type, BenchError> {
    "bench.v1.Entry".parse().map_err(BenchError::store)
}

/// A resource of this number that says a kilobyte.
pub(super) fn resource(number: usize) -> Result<Resource, BenchError> {
    let resource_type = resource_type()?;
    let name = format!("entry-{number:07}").parse().map_err(BenchError::store)?;
    let data = Data::new(&resource_type, vec![7; SIZE]);
    let id = Id::new(resource_type, Scope::Namespace.default_tenancy(), name);
    let uid = Uid::from_bits(number as u128 + 1);
    Ok(Resource { data: Some(data), ..Resource::new(id.with_uid(uid)) })
}

/// All resources.
pub(super) fn everything() -> Result<Query, BenchError> {
    Ok(Query::new(&resource_type()?, Scope::Namespace.default_tenancy().into()))
}

/// Puts so many resources into a store.
pub(super) async fn fill(store: &dyn Backend, resources: usize) -> Result<(), BenchError> {
    const TOGETHER: usize = 500;
    for from in (0..resources).step_by(TOGETHER) {
        let put = |number| Ok(Change::Put(Box::new(resource(number)?)));
        let changes = (from..resources.min(from + TOGETHER)).map(put).collect::<Result<_, BenchError>>()?;
        store.commit(Transaction { changes, ..Transaction::default() }).await.map_err(BenchError::store)?;
    }
    Ok(())
}
