use super::*;

mod dependencies;
mod failures;
mod hostile_input;
mod leases;
mod outages;
mod register;
mod seen;
mod spans;
mod stage;
mod turns;
mod watches;
