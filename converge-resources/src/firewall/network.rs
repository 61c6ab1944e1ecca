//! IP addresses and networks.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// An address or a network, without insignificant bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclText)]
pub(crate) struct Network {
    address: IpAddr,
    prefix: u8,
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error = || {
            format!("{text:?} is neither an address, such as 192.0.2.1, nor a network, such as 192.0.2.0/24")
        };
        let (address, prefix) =
            text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| error())?;
        let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = match prefix {
            None => bits(address),
            Some(prefix) => Some(prefix)
                .filter(is_number)
                .and_then(|prefix| prefix.parse().ok())
                .filter(|prefix| *prefix <= bits(address))
                .ok_or_else(error)?,
        };
        let host_bits = |total: u32| total.saturating_sub(u32::from(prefix));
        let address = match address {
            IpAddr::V4(address) => {
                IpAddr::V4((u32::MAX.checked_shl(host_bits(32)).unwrap_or(0) & address.to_bits()).into())
            }
            IpAddr::V6(address) => {
                IpAddr::V6((u128::MAX.checked_shl(host_bits(128)).unwrap_or(0) & address.to_bits()).into())
            }
        };
        Ok(Self { address, prefix })
    }
}

impl Network {
    pub(super) fn is_ipv4(self) -> bool {
        self.address.is_ipv4()
    }

    pub(super) fn has(&self, address: IpAddr) -> bool {
        bits(address) == bits(self.address)
            && format!("{address}/{}", self.prefix).parse::<Self>().is_ok_and(|network| network == *self)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.address)?;
        if self.prefix == bits(self.address) { Ok(()) } else { write!(f, "/{}", self.prefix) }
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
