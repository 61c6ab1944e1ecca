use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU16;

use converge_sdk::footprint::Names;

use crate::docker::text_type::text_type;

const PORT: &str = "not a port of a container: write a number from 1 to 65535, with `/udp` or `/sctp` after it where \
    it is not TCP";
const MAPPING: &str = "not a published port: write `CONTAINER`, `HOST:CONTAINER`, `IP:HOST:CONTAINER` or \
    `IP::CONTAINER`, with `/udp` or `/sctp` at the end where it is not TCP";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Port {
    number: NonZeroU16,
    protocol: Protocol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Protocol {
    Tcp,
    Udp,
    Sctp,
}

/// A port of a container that is published on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mapping {
    /// The address of the machine; `None` for all addresses.
    pub(super) ip: Option<IpAddr>,
    /// The port of the machine; `None` if the engine chooses one.
    pub(super) host: Option<NonZeroU16>,
    pub(super) port: Port,
}

text_type!(Port);
text_type!(Mapping);

impl Port {
    /// Parses `80`, `80/tcp`, `80/udp` and `80/sctp`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let (number, protocol) = text.split_once('/').unwrap_or((text, "tcp"));
        let protocol = match protocol.to_ascii_lowercase().as_str() {
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            "sctp" => Protocol::Sctp,
            _ => return Err(PORT),
        };
        Ok(Self { number: port_number(number).ok_or(PORT)?, protocol })
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
            Protocol::Sctp => "sctp",
        };
        write!(f, "{}/{protocol}", self.number)
    }
}

/// The footprint names the port of the machine, if one is declared.
impl Names for Mapping {
    fn names(&self, _: &'static str, add: &mut dyn FnMut(&str)) {
        if let Some(port) = self.host {
            add(&port.to_string());
        }
    }
}

impl Mapping {
    /// Parses the syntax of `docker run --publish`, except for ranges.
    ///
    /// An IPv6 address may be in brackets.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut parts = text.rsplitn(3, ':');
        let port = Port::parse(parts.next().unwrap_or_default()).map_err(|_| MAPPING)?;
        let host = match parts.next() {
            None | Some("") => None,
            Some(host) => Some(port_number(host).ok_or(MAPPING)?),
        };
        let ip = match parts.next() {
            None | Some("") => None,
            Some(ip) => {
                let address = ip.strip_prefix('[').and_then(|ip| ip.strip_suffix(']')).unwrap_or(ip);
                Some(address.parse().map_err(|_| MAPPING)?)
            }
        };
        Ok(Self { ip, host, port })
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ip {
            Some(IpAddr::V6(ip)) => write!(f, "[{ip}]:")?,
            Some(IpAddr::V4(ip)) => write!(f, "{ip}:")?,
            None => {}
        }
        match self.host {
            Some(host) => write!(f, "{host}:")?,
            None if self.ip.is_some() => write!(f, ":")?,
            None => {}
        }
        write!(f, "{}", self.port)
    }
}

/// Parses a port of digits only: no sign, which the standard library would accept.
fn port_number(text: &str) -> Option<NonZeroU16> {
    if text.chars().all(|sign| sign.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ports() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(Port::parse(text).ok().map(|port| port.to_string()).as_deref(), expect, "{text}");
        };
        check("80", Some("80/tcp"));
        check("53/udp", Some("53/udp"));
        check("53/UDP", Some("53/udp"));
        check("9/sctp", Some("9/sctp"));
        check("0", None);
        check("65536", None);
        check("+80", None);
        check("", None);
        check("80/", None);
        check("80/icmp", None);
        check("80-90", None);
    }

    #[test]
    fn mappings() {
        let check = |text: &str, expect: Option<&str>| {
            assert_eq!(
                Mapping::parse(text).ok().map(|mapping| mapping.to_string()).as_deref(),
                expect,
                "{text}"
            );
        };
        check("80", Some("80/tcp"));
        check(":80", Some("80/tcp"));
        check("8080:80", Some("8080:80/tcp"));
        check("8080:80/udp", Some("8080:80/udp"));
        check("127.0.0.1:8080:80/udp", Some("127.0.0.1:8080:80/udp"));
        check("127.0.0.1::80", Some("127.0.0.1::80/tcp"));
        check("[::1]:8080:80", Some("[::1]:8080:80/tcp"));
        check("::1:8080:80", Some("[::1]:8080:80/tcp"));
        check("[::]::80", Some("[::]::80/tcp"));
        check("localhost:8080:80", None);
        check("8080:80:tcp", None);
        check("8080-8090:80", None);
        check("8080:", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = Port::parse(&text);
            let _ = Mapping::parse(&text);
        }

        #[test]
        fn a_mapping_and_its_text_are_the_same(
            ip: Option<IpAddr>,
            host in proptest::option::of(1_u16..),
            number in 1_u16..,
            protocol in 0..3,
        ) {
            let protocol = [Protocol::Tcp, Protocol::Udp, Protocol::Sctp][usize::try_from(protocol).unwrap()];
            let port = Port { number: NonZeroU16::new(number).unwrap(), protocol };
            let mapping = Mapping { ip, host: host.and_then(NonZeroU16::new), port };
            prop_assert_eq!(Port::parse(&port.to_string()), Ok(port));
            prop_assert_eq!(Mapping::parse(&mapping.to_string()), Ok(mapping));
        }
    }
}
