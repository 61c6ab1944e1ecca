//! The kernel's tables of sockets.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use converge_sdk::prelude::*;

/// A protocol with ports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub(super) enum Protocol {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
}

impl Protocol {
    /// Returns the tables of the protocol: that of IPv4, and that of IPv6, which may be missing.
    pub(super) fn tables(self) -> [&'static str; 2] {
        match self {
            Self::Tcp => ["/proc/net/tcp", "/proc/net/tcp6"],
            Self::Udp => ["/proc/net/udp", "/proc/net/udp6"],
        }
    }

    /// Returns the state of a listening socket.
    fn listening(self) -> &'static str {
        match self {
            Self::Tcp => "0A",
            Self::Udp => "07",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Listener {
    pub(super) address: IpAddr,
    pub(super) uid: u32,
}

/// Returns the sockets in a table that listen on a port, in order of their addresses.
///
/// # Errors
///
/// Returns a line that does not have the format of the table.
pub(super) fn listeners(table: &str, protocol: Protocol, port: u16) -> Result<Vec<Listener>, String> {
    let mut entries = Vec::new();
    for line in table.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        let (local_port, state, listener) =
            socket(line).ok_or_else(|| line.trim().chars().take(80).collect::<String>())?;
        if local_port == port && state == protocol.listening() {
            entries.push(listener);
        }
    }
    entries.sort_unstable();
    entries.dedup_by_key(|listener| listener.address);
    Ok(entries)
}

/// Parses the port, the state and the rest of a line.
fn socket(line: &str) -> Option<(u16, &str, Listener)> {
    let mut words = line.split_ascii_whitespace();
    let (address, port) = words.nth(1)?.split_once(':')?;
    let state = words.nth(1)?;
    let uid = words.nth(3)?.parse().ok()?;
    let port = u16::from_str_radix(port, 16).ok()?;
    Some((port, state, Listener { address: self::address(address)?, uid }))
}

/// Parses an address as the kernel writes it: 32-bit words in the byte order of this machine.
fn address(text: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(text.get(at * 8..at * 8 + 8)?, 16).ok()?.to_ne_bytes());
    match text.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let mut bytes = [0; 16];
            bytes.chunks_exact_mut(4).zip(words).for_each(|(bytes, word)| bytes.copy_from_slice(&word));
            Some(Ipv6Addr::from(bytes).into())
        }
        _ => None,
    }
}
