//! Units of systemd, over D-Bus.
//!
//! [`unit`](mod@unit), [`unit_file`] and [`query`] are what modules use. Below them, [`bus`] gives a connection to the system bus, [`manager`] speaks to systemd
//! over it, and [`properties`] turns what systemd says into values of the module language.

mod bus;
mod error;
mod manager;
#[cfg(test)]
mod model;
mod properties;
pub mod query;
pub mod unit;
pub mod unit_file;
