//! A plugin that tests run.

use converge_tests::plugins::{Note, Tour, Trouble};

converge_core::plugin!(Note, Tour, Trouble);
