//! A rule of ufw, in its declaration and in the output of `ufw show added`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use converge_sdk::prelude::*;

use crate::firewall::network::Network;

/// The treatment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum Action {
    /// The connection is allowed.
    Allow,
    /// The connection is dropped, without an answer.
    Deny,
    /// The connection is refused, with an answer.
    Reject,
    /// The connection is allowed, unless there were many from the same address.
    Limit,
}

impl Action {
    const ALL: [Self; 4] = [Self::Allow, Self::Deny, Self::Reject, Self::Limit];

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }

    pub(super) fn lets_in(self) -> bool {
        matches!(self, Self::Allow | Self::Limit)
    }
}

/// The direction of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclEnum)]
pub(crate) enum Direction {
    /// The connection comes to the machine.
    #[default]
    In,
    /// The connection goes out from the machine.
    Out,
}

/// The protocols of ufw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Authentication header of `IPsec`.
    Ah,
    /// Encapsulating security payload of `IPsec`.
    Esp,
    /// Generic routing encapsulation.
    Gre,
    /// IPv6 in IPv4.
    Ipv6,
    /// Multicast group management.
    Igmp,
}

impl Protocol {
    const ALL: [Self; 7] = [Self::Tcp, Self::Udp, Self::Ah, Self::Esp, Self::Gre, Self::Ipv6, Self::Igmp];

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|proto| proto.as_str() == word)
    }
}

/// Ports: one, a range, or several of these: `80,443,8000:8100`.
#[derive(Clone, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Ports(Vec<(u16, u16)>);

/// A rule of ufw for connections to or from the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) action: Action,
    pub(super) direction: Direction,
    pub(super) interface: Option<String>,
    pub(super) from: Option<Network>,
    pub(super) from_port: Option<Ports>,
    pub(super) to: Option<Network>,
    pub(super) port: Option<Ports>,
    pub(super) proto: Option<Protocol>,
    pub(super) comment: String,
}

impl FromStr for Ports {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            format!("{text:?} is not a port from 1 to 65535, a range such as 8000:8100, or a list of these")
        };
        let port = |text: &str| {
            text.parse().ok().filter(|port| *port > 0 && text.bytes().all(|b| b.is_ascii_digit()))
        };
        let range = |text: &str| {
            let (first, last) = text.split_once(':').unwrap_or((text, text));
            let (first, last): (u16, u16) = (port(first)?, port(last)?);
            (first <= last).then_some((first, last))
        };
        let ranges: Option<Vec<_>> = text.split(',').map(|part| range(part.trim())).collect();
        let mut ranges = ranges.ok_or_else(error)?;
        // ufw accepts no more.
        if ranges.iter().map(|(first, last)| if first == last { 1 } else { 2 }).sum::<usize>() > 15 {
            return Err(format!("{text:?} has more than 15 ports, where a range counts as two"));
        }
        ranges.sort_unstable();
        Ok(Self(ranges))
    }
}

impl Ports {
    pub(super) fn has(&self, port: u16) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&port))
    }

    /// Whether ufw requires a protocol with these ports.
    pub(super) fn is_several(&self) -> bool {
        !matches!(self.0.as_slice(), [(first, last)] if first == last)
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |(first, last): &(u16, u16)| {
            if first == last { first.to_string() } else { format!("{first}:{last}") }
        };
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

impl Rule {
    /// Parses a line of `ufw show added`.
    ///
    /// Returns `None` for rules that no resource declares: routes, logging, application profiles.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (line, comment) = match line.split_once(" comment '") {
            Some((line, comment)) => (line, comment.strip_suffix('\'')?),
            None => (line, ""),
        };
        let mut words = line.strip_prefix("ufw ")?.split_whitespace().peekable();
        let action = Action::named(words.next()?)?;
        let mut rule = Self {
            action,
            direction: Direction::In,
            interface: None,
            from: None,
            from_port: None,
            to: None,
            port: None,
            proto: None,
            comment: comment.to_owned(),
        };
        let mut after_from = false;
        while let Some(word) = words.next() {
            match word {
                "in" => rule.direction = Direction::In,
                "out" => rule.direction = Direction::Out,
                "on" => rule.interface = Some(words.next()?.to_owned()),
                "from" | "to" => {
                    after_from = word == "from";
                    let place = words.next()?;
                    let network = if place == "any" { None } else { Some(place.parse().ok()?) };
                    if after_from { rule.from = network } else { rule.to = network }
                }
                "port" => {
                    let ports = Some(words.next()?.parse().ok()?);
                    if after_from { rule.from_port = ports } else { rule.port = ports }
                }
                "proto" => rule.proto = Some(Protocol::named(words.next()?)?),
                // This is the short form: `22/tcp`.
                short => {
                    let (port, proto) =
                        short.split_once('/').map_or((short, None), |(port, proto)| (port, Some(proto)));
                    rule.port = Some(port.parse().ok()?);
                    rule.proto = match proto {
                        Some(proto) => Some(Protocol::named(proto)?),
                        None => None,
                    };
                }
            }
        }
        Some(rule)
    }

    /// Whether both rules are about the same connections; ufw keeps only one of them.
    pub(super) fn has_same_connections(&self, other: &Self) -> bool {
        *other == Self { action: other.action, comment: other.comment.clone(), ..self.clone() }
    }

    /// Whether the rule is about such connections.
    ///
    /// `guess` is the result for conditions on properties that are not known.
    pub(super) fn concerns(&self, endpoints: Option<(IpAddr, IpAddr)>, port: u16, guess: bool) -> bool {
        let is_in = |network: &Option<Network>, address: Option<IpAddr>| match (network, address) {
            (None, _) => true,
            (Some(network), Some(address)) => network.has(address),
            (Some(_), None) => guess,
        };
        self.direction == Direction::In
            && matches!(self.proto, None | Some(Protocol::Tcp))
            && self.port.as_ref().is_none_or(|ports| ports.has(port))
            && is_in(&self.from, endpoints.map(|(client, _)| client))
            && is_in(&self.to, endpoints.map(|(_, server)| server))
            && (self.interface.is_none() || guess)
            && (self.from_port.is_none() || guess)
    }

    pub(super) fn arguments(&self) -> Vec<String> {
        let mut words = vec![self.action.as_str().to_owned(), self.direction.as_str().to_owned()];
        let mut add = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        let or_any = |network: &Option<Network>| {
            network.map_or_else(|| "any".to_owned(), |network| network.to_string())
        };
        add("on", self.interface.clone());
        add("proto", self.proto.map(|proto| proto.as_str().to_owned()));
        add("from", Some(or_any(&self.from)));
        add("port", self.from_port.as_ref().map(Ports::to_string));
        add("to", Some(or_any(&self.to)));
        add("port", self.port.as_ref().map(Ports::to_string));
        words
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.arguments().join(" "))?;
        if self.comment.is_empty() { Ok(()) } else { write!(f, " comment '{}'", self.comment) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ports() {
        let check = |text: &str, expect: Option<&str>| {
            let actual = text.parse::<Ports>().ok().map(|ports| ports.to_string());
            assert_eq!(actual.as_deref(), expect, "{text}");
        };
        check("22", Some("22"));
        check("443, 80", Some("80,443"));
        check("8000:8100,22", Some("22,8000:8100"));
        for text in
            ["", "0", "65536", "2:1", "+22", "ssh", "22/tcp", "1,", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"]
        {
            check(text, None);
        }
    }

    /// Uses lines printed by ufw 0.36.2, and the arguments with the same meaning.
    #[test]
    fn lines_of_ufw() {
        let check = |line: &str, expect: Option<&str>| {
            assert_eq!(Rule::parse(line).map(|rule| rule.to_string()).as_deref(), expect, "{line}");
        };
        check(
            "ufw allow 22/tcp comment 'ssh it'",
            Some("allow in proto tcp from any to any port 22 comment 'ssh it'"),
        );
        check(
            "ufw limit from 10.0.0.0/8 to any port 80,443 proto tcp",
            Some("limit in proto tcp from 10.0.0.0/8 to any port 80,443"),
        );
        check(
            "ufw deny out on eth0 to 192.0.2.1 port 25",
            Some("deny out on eth0 from any to 192.0.2.1 port 25"),
        );
        check("ufw allow in on eth0", Some("allow in on eth0 from any to any"));
        check("ufw allow 53", Some("allow in from any to any port 53"));
        check("ufw allow 1000:2000/udp", Some("allow in proto udp from any to any port 1000:2000"));
        check("ufw reject from 2001:db8::1", Some("reject in from 2001:db8::1 to any"));
        check("ufw allow from any port 53 proto udp", Some("allow in proto udp from any port 53 to any"));
        for line in [
            "ufw route allow in on eth0 out on eth1",
            "ufw allow log 99/tcp",
            "ufw allow OpenSSH",
            "(None)",
            "ufw",
        ] {
            check(line, None);
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "(ufw |allow |in |on |from |to |port |proto |comment '|[0-9a-z./:,']{0,9} ?){0,12}") {
            if let Some(rule) = Rule::parse(&line) {
                prop_assert_eq!(Rule::parse(&format!("ufw {rule}")), Some(rule));
            }
        }
    }
}
