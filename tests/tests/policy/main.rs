//! The rules of this workspace as tests.
//!
//! Each failure lists all violations and says what to do instead.

#[cfg(test)]
mod documents;
#[cfg(test)]
mod errors;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod links;
#[cfg(test)]
mod manifests;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod sources;
mod style;
#[cfg(test)]
mod workspace;
