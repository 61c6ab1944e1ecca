use super::*;

mod dependencies;
mod failures;
mod leases;
mod outages;
mod register;
mod seen;
mod spans;
mod stage;
mod turns;
mod watches;
