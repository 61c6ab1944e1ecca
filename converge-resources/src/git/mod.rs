//! Repositories of git: the types `git.*`.

pub mod checkout;
