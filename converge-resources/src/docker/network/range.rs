//! Address ranges of networks: parsing and comparison.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind, PathSegment};
use indexmap::IndexMap;

/// A range of addresses.
#[derive(Debug, HclBlock, Export)]
pub struct IpamConfig {
    /// The range: `172.28.0.0/16`.
    #[hcl(required, nonempty)]
    #[export]
    pub(super) subnet: String,
    /// Address of the gateway in the range. The engine chooses one if none is given.
    #[export]
    pub(super) gateway: Option<String>,
    /// The part of the range that containers get addresses from: `172.28.5.0/24`.
    ///
    /// The default is the whole range.
    #[export]
    pub(super) ip_range: Option<String>,
    /// Addresses that no container gets, by name: `{ router = "172.28.0.9" }`.
    #[hcl(default)]
    #[export]
    pub(super) aux_addresses: IndexMap<String, String>,
}

/// All addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AddressRange {
    first: IpAddr,
    bits: u32,
}

impl FromStr for AddressRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let no_range = || format!("{text:?} is not a range of addresses: write it like \"172.28.0.0/16\"");
        let (address, bits) = text.split_once('/').ok_or_else(no_range)?;
        let address: IpAddr = address.parse().map_err(|_| no_range())?;
        let bits: u32 = bits.parse().map_err(|_| no_range())?;
        let maximum = bits_of(address);
        if bits > maximum {
            return Err(format!(
                "{text:?} is not a range of addresses: an address of this kind has {maximum} bits"
            ));
        }
        Ok(Self { first: first(address, bits), bits })
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

impl AddressRange {
    fn holds(self, address: IpAddr) -> bool {
        bits_of(address) == bits_of(self.first) && first(address, self.bits) == self.first
    }
}

fn bits_of(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// Returns the first address that begins with the same bits.
fn first(address: IpAddr, bits: u32) -> IpAddr {
    // A shift by the full width would overflow.
    match address {
        IpAddr::V4(address) => {
            let rest = u32::MAX.checked_shr(bits).unwrap_or(0);
            IpAddr::V4((address.to_bits() & !rest).into())
        }
        IpAddr::V6(address) => {
            let rest = u128::MAX.checked_shr(bits).unwrap_or(0);
            IpAddr::V6((address.to_bits() & !rest).into())
        }
    }
}

/// Returns the canonical text of an address or a range; any other text is returned unchanged.
pub(super) fn canonical(text: &str) -> String {
    let address = text.parse::<IpAddr>().map(|address| address.to_string());
    address
        .or_else(|_| text.parse::<AddressRange>().map(|range| range.to_string()))
        .unwrap_or_else(|_| text.to_owned())
}

/// Returns the errors in the range at `index` of a network that no engine accepts.
pub(super) fn mistakes(index: usize, config: &IpamConfig) -> Vec<FieldError> {
    let IpamConfig { subnet, gateway, ip_range, aux_addresses } = config;
    let mut errors = Vec::new();
    let mut refuse = |path: &[&str], message: String| {
        let mut error = FieldError::new("ipam_config", FieldErrorKind::Invalid { message });
        error.path.0.push(PathSegment::Index(index));
        error.path.0.extend(path.iter().map(|name| PathSegment::Name((*name).to_owned())));
        errors.push(error);
    };
    let range: Option<AddressRange> = match subnet.parse() {
        Ok(range) => Some(range),
        Err(error) => {
            refuse(&["subnet"], error);
            None
        }
    };
    let gateway =
        gateway.iter().filter(|gateway| !gateway.is_empty()).map(|gateway| (vec!["gateway"], gateway));
    let aux = aux_addresses.iter().map(|(name, address)| (vec!["aux_addresses", name.as_str()], address));
    for (path, text) in gateway.chain(aux) {
        match text.parse::<IpAddr>() {
            Err(_) => refuse(&path, format!("{text:?} is not an address: write it like \"172.28.0.1\"")),
            Ok(address) => {
                if let Some(range) = range.filter(|range| !range.holds(address)) {
                    refuse(&path, format!("{address} is not in {range}"));
                }
            }
        }
    }
    if let Some(text) = ip_range.as_ref().filter(|text| !text.is_empty()) {
        match text.parse::<AddressRange>() {
            Err(error) => refuse(&["ip_range"], error),
            Ok(part) => {
                let is_part = |whole: &AddressRange| whole.bits <= part.bits && whole.holds(part.first);
                if let Some(whole) = range.filter(|network| !is_part(network)) {
                    refuse(&["ip_range"], format!("{part} is not a part of {whole}"));
                }
            }
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_ones_are_the_same_text() {
        let check = |text: &str, expect: &str| assert_eq!(canonical(text), expect);
        check("172.28.5.9/16", "172.28.0.0/16");
        check("172.28.5.9/32", "172.28.5.9/32");
        check("172.28.5.9/0", "0.0.0.0/0");
        check("172.28.5.9", "172.28.5.9");
        check("FD00::0:1/64", "fd00::/64");
        check("fd00:0::1", "fd00::1");
        check("1.2.3.4/33", "1.2.3.4/33");
        check("range", "range");
        check("range/8", "range/8");
    }

    #[test]
    fn what_no_engine_takes() {
        let check = |subnet: &str, gateway: &str, ip_range: &str, router: &str, expect: &[&str]| {
            let config = IpamConfig {
                subnet: subnet.to_owned(),
                gateway: Some(gateway.to_owned()),
                ip_range: Some(ip_range.to_owned()),
                aux_addresses: IndexMap::from([("router".to_owned(), router.to_owned())]),
            };
            let actual: Vec<_> = mistakes(1, &config).iter().map(ToString::to_string).collect();
            assert_eq!(actual, expect, "{config:?}");
        };
        check("10.1.0.0/16", "10.1.0.1", "10.1.5.0/24", "10.1.9.9", &[]);
        check("fd00::/64", "", "", "fd00::9", &[]);
        check("10.1.0.0/16", "", "10.1.0.0/16", "10.1.0.9", &[]);
        check(
            "10.1.0.0/33",
            "",
            "",
            "10.1.0.9",
            &["\"10.1.0.0/33\" is not a range of addresses: an address of this kind has 32 bits"],
        );
        check(
            "10.1.0.0",
            "ten",
            "10.1.0.0-9",
            "10.1.0.9",
            &[
                "\"10.1.0.0\" is not a range of addresses: write it like \"172.28.0.0/16\"",
                "\"ten\" is not an address: write it like \"172.28.0.1\"",
                "\"10.1.0.0-9\" is not a range of addresses: write it like \"172.28.0.0/16\"",
            ],
        );
        check(
            "10.1.0.0/16",
            "10.2.0.1",
            "10.0.0.0/8",
            "fd00::9",
            &[
                "10.2.0.1 is not in 10.1.0.0/16",
                "fd00::9 is not in 10.1.0.0/16",
                "10.0.0.0/8 is not a part of 10.1.0.0/16",
            ],
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,30}|[0-9.:/a-f]{0,30}") {
            let result = canonical(&text);
            prop_assert_eq!(canonical(&result), result);
        }

        #[test]
        fn a_range_holds_what_begins_like_it(address: u128, other: u128, bits in 0_u32..=128) {
            let ip = |address: u128| IpAddr::V6(address.into());
            let range = AddressRange { first: first(ip(address), bits), bits };
            prop_assert_eq!(range.to_string().parse(), Ok(range));
            prop_assert!(range.holds(ip(address)));
            let differ = (address ^ other).leading_zeros() < bits;
            prop_assert_eq!(range.holds(ip(other)), !differ);
        }
    }
}
