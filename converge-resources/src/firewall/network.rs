//! IP addresses and networks.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use converge_sdk::prelude::*;
use ipnet::IpNet;

/// An address or a network, without insignificant bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Network(IpNet);

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = match text.split_once('/') {
            Some((_, prefix)) if prefix.starts_with('+') => None,
            Some((address, prefix)) => address
                .parse()
                .ok()
                .zip(prefix.parse().ok())
                .and_then(|(a, prefix)| IpNet::new(a, prefix).ok()),
            None => text.parse::<IpAddr>().ok().map(IpNet::from),
        };
        network.map(|network| Self(network.trunc())).ok_or_else(|| {
            format!("{text:?} is neither an address, such as 192.0.2.1, nor a network, such as 192.0.2.0/24")
        })
    }
}

impl Network {
    pub(super) fn is_ipv4(self) -> bool {
        self.0.addr().is_ipv4()
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        self.0.contains(&address)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(network) = self;
        if network.prefix_len() == network.max_prefix_len() {
            return network.addr().fmt(f);
        }
        network.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks() {
        let check = |text: &str, expect: Option<&str>| {
            let actual = text.parse::<Network>().ok().map(|network| network.to_string());
            assert_eq!(actual.as_deref(), expect, "{text}");
        };
        check("192.0.2.1", Some("192.0.2.1"));
        check("192.0.2.1/32", Some("192.0.2.1"));
        check("10.1.2.3/8", Some("10.0.0.0/8"));
        check("10.1.2.3/0", Some("0.0.0.0/0"));
        check("2001:DB8::1/32", Some("2001:db8::/32"));
        for text in ["", "any", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "10.0.0.0/255.0.0.0", "x/8", "-1"]
        {
            check(text, None);
        }
    }

    #[test]
    fn addresses_of_networks() {
        let check = |network: &str, address: &str, expect: bool| {
            assert_eq!(
                network.parse::<Network>().unwrap().has(address.parse().unwrap()),
                expect,
                "{network} {address}"
            );
        };
        check("10.0.0.0/8", "10.255.0.1", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("0.0.0.0/0", "11.0.0.1", true);
        check("0.0.0.0/0", "::1", false);
        check("2001:db8::/32", "2001:db8:1::1", true);
        check("192.0.2.1", "192.0.2.2", false);
    }
}
