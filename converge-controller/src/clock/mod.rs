//! Time and randomness.
//!
//! Both are passed in, so that tests control them.

mod random;
mod time;

pub use random::Random;
pub use time::Clock;
