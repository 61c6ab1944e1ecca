//! The rules that this workspace keeps, as tests. A rule that nothing checks is soon broken.
//!
//! Each failure lists every place that breaks the rule and says what to do instead.

#[cfg(test)]
mod documents;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod layers;
#[cfg(test)]
mod manifests;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod sources;
#[cfg(test)]
mod workspace;
