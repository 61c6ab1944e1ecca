//! What the doors say, and what the commands that ask them read.

mod controllers;
mod graph;

pub(crate) use controllers::{Controller, Controllers, Event, Failing, Queue};
pub(crate) use graph::GraphFormat;
