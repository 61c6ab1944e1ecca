//! Resources for images, containers, networks and volumes of a Docker engine.

pub mod container;
mod credentials;
mod differences;
mod engine;
pub mod image;
#[cfg(test)]
mod model;
pub mod network;
mod reference;
mod replacement;
mod text_type;
pub mod volume;
