//! An etcd for the time of the measurements, and the least that a client of it has to do.

mod bare;
mod server;

pub(super) use bare::writes;
pub(super) use server::Server;
