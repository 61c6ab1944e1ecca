//! The plugin of the tests.

use converge_tests::plugins::{Note, Tour, Trouble};

converge_core::plugin!(Note, Tour, Trouble);
