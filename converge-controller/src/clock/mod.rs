//! What is not decided by a program: the time, and chance. Both are handed in, so that a test decides them.

mod random;
mod time;

pub use random::Random;
pub use time::Clock;
