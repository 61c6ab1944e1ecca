//! The JSON types that the listeners write and the commands read.

mod controllers;
mod graph;

pub(crate) use controllers::{Controller, Controllers, Event, Failing, Queue};
pub(crate) use graph::GraphFormat;
