//! Stories of resources on disposable hosts: what must never be changed on the machine at hand. One file for each family.

mod disposable;
mod file_owner;
mod systemd;
