//! Resources for units of systemd, over D-Bus.
//!
//! [`unit`](mod@unit), [`unit_file`] and [`query`] are the resources. Below them, [`bus`] connects to the
//! system bus, [`manager`] calls systemd over it, and [`properties`] converts systemd's properties to values
//! of the module language.

mod bus;
mod error;
mod manager;
#[cfg(test)]
mod model;
mod properties;
pub mod query;
pub mod unit;
pub mod unit_file;
