//! An editor's side of `converge lsp`: a real client over the two streams of the process.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the real command on real, temporary files; they are not resources"
)]

#[cfg(test)]
mod answers;
#[cfg(test)]
mod client;
#[cfg(test)]
mod fixes;
#[cfg(test)]
mod links;
#[cfg(test)]
mod problems;
#[cfg(test)]
mod session;
