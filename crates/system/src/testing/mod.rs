//! Helpers for tests without resources: a server, a private folder, other users, mutated text.

#[doc(hidden)]
pub mod mutate;
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub mod other_user;
mod private_folder;
#[doc(hidden)]
pub mod server;

pub use private_folder::private_folder;
