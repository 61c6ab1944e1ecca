//! The elements of a firewalld zone.

use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

use crate::firewall::network::Network;

/// One or several ports with their protocol: `80/tcp`, `8000-8100/udp`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct ZonePort {
    first: u16,
    last: u16,
    protocol: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Service(String),
    Port(ZonePort),
    Source(Network),
    Interface(String),
    RichRule(String),
    Masquerade,
}

impl FromStr for ZonePort {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || format!("{text:?} is not a port with its protocol, such as 80/tcp or 8000-8100/udp");
        let (ports, protocol) = text.split_once('/').ok_or_else(error)?;
        let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
        let port = |text: &str| {
            text.parse::<u16>()
                .ok()
                .filter(|port| *port > 0 && text.bytes().all(|byte| byte.is_ascii_digit()))
        };
        match (port(first), port(last)) {
            (Some(first), Some(last))
                if first <= last && ["tcp", "udp", "sctp", "dccp"].contains(&protocol) =>
            {
                Ok(Self { first, last, protocol: protocol.to_owned() })
            }
            _ => Err(error()),
        }
    }
}

impl ZonePort {
    /// Whether the ports include this TCP port.
    pub(super) fn has(&self, port: u16) -> bool {
        self.protocol == "tcp" && (self.first..=self.last).contains(&port)
    }
}

impl fmt::Display for ZonePort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last, protocol } = self;
        if first == last { write!(f, "{first}/{protocol}") } else { write!(f, "{first}-{last}/{protocol}") }
    }
}

impl Element {
    /// Returns firewalld's name of the kind of element.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Service(_) => "service",
            Self::Port(_) => "port",
            Self::Source(_) => "source",
            Self::Interface(_) => "interface",
            Self::RichRule(_) => "rich-rule",
            Self::Masquerade => "masquerade",
        }
    }

    /// Returns the option that queries, adds or removes the element.
    pub(super) fn option(&self, verb: &str) -> String {
        let value = self.to_string();
        if value.is_empty() {
            format!("--{verb}-{}", self.kind())
        } else {
            format!("--{verb}-{}={value}", self.kind())
        }
    }
}

/// Writes the value, or nothing for an element without one.
impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(text) | Self::Interface(text) | Self::RichRule(text) => f.write_str(text),
            Self::Port(port) => port.fmt(f),
            Self::Source(network) => network.fmt(f),
            Self::Masquerade => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports() {
        for text in ["80/tcp", "8000-8100/udp", "1/sctp"] {
            assert_eq!(text.parse::<ZonePort>().map(|port| port.to_string()), Ok(text.to_owned()));
        }
        for text in [
            "",
            "80",
            "tcp",
            "80/",
            "80/icmp",
            "0/tcp",
            "2-1/tcp",
            "1-/tcp",
            "+1/tcp",
            "65536/tcp",
            "80/tcp ",
        ] {
            assert!(text.parse::<ZonePort>().is_err(), "{text}");
        }
        assert!("20-30/tcp".parse::<ZonePort>().unwrap().has(22));
        assert!(!"20-30/udp".parse::<ZonePort>().unwrap().has(22));
    }
}
