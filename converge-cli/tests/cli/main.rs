//! Tests of the command as a process: arguments, standard streams, signals and exit codes.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the real command on real, temporary files; they are not resources"
)]

#[cfg(test)]
mod command;
#[cfg(test)]
mod env;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod fmt;
#[cfg(test)]
mod for_each_files;
#[cfg(test)]
mod foreign_arguments;
#[cfg(test)]
mod healthcheck;
#[cfg(test)]
mod language;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod new;
#[cfg(all(test, unix))]
mod order;
#[cfg(test)]
mod output;
#[cfg(test)]
mod outputs;
#[cfg(test)]
mod params;
#[cfg(test)]
mod shared_things;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod sources;
