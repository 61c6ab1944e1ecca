//! The user whom programs run as.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(super) use linux::Account;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Account;
