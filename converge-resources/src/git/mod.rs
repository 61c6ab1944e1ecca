//! Resources for Git repositories: the types `git.*`.

pub mod checkout;
