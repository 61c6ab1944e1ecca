//! Tests of `converge lsp` by a real client over standard input and output.
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
