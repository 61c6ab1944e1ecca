//! What comes over the network: files, archives, ports.

mod access;
mod date;
mod download;
pub mod fetch;
mod hash;
mod origin;
pub mod port;
pub mod query;
pub mod request;
mod source;
#[cfg(test)]
mod tests;
pub mod unarchive;
