//! Networks and addresses: `10.0.0.0/8`, `fd00::/8`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::arguments::{Args, FunctionResult, list_of};
use super::error::FunctionError;
use super::function::Function;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "cidrhost",
        "prefix, number",
        "The address with this number in a network; a negative one counts from the end.",
        [r#"cidrhost("10.12.112.0/20", 268)"#, r#""10.12.113.12""#],
    )
    .takes(2, 2)
    .runs_deep(cidrhost),
    Function::new(
        "cidrnetmask",
        "prefix",
        "The mask of an IPv4 network, as an address.",
        [r#"cidrnetmask("172.16.0.0/12")"#, r#""255.240.0.0""#],
    )
    .runs_deep(cidrnetmask),
    Function::new(
        "cidrsubnet",
        "prefix, newbits, number",
        "The network with this number among those that have so many bits more in their prefix.",
        [r#"cidrsubnet("10.1.2.0/24", 4, 15)"#, r#""10.1.2.240/28""#],
    )
    .takes(3, 3)
    .runs_deep(cidrsubnet),
    Function::new(
        "cidrsubnets",
        "prefix, newbits..",
        "Networks in a network, one after the other, each with so many bits more in its prefix.",
        [r#"cidrsubnets("10.1.0.0/16", 4, 8)"#, r#"["10.1.0.0/20", "10.1.16.0/24"]"#],
    )
    .takes_any(2)
    .runs_deep(cidrsubnets),
    Function::new(
        "cidrcontains",
        "prefix, address",
        "Whether an address, or all of a network, is in a network.",
        [r#"cidrcontains("10.0.0.0/8", "10.1.2.0/24")"#, "true"],
    )
    .takes(2, 2)
    .runs_deep(cidrcontains),
];

/// A network: its first address as a number, the number of bits of an address, and the prefix length.
#[derive(Clone, Copy)]
struct Network {
    base: u128,
    bits: u32,
    length: u32,
}

impl Network {
    /// Returns the number of bits after the prefix.
    fn host_bits(self) -> u32 {
        self.bits - self.length
    }

    /// Returns the highest host number.
    fn last(self) -> u128 {
        ones(self.host_bits())
    }

    fn address(self, number: u128) -> IpAddr {
        let address = self.base | number;
        match u32::try_from(address) {
            Ok(address) if self.bits == 32 => Ipv4Addr::from_bits(address).into(),
            _ => Ipv6Addr::from_bits(address).into(),
        }
    }

    fn text(self) -> String {
        format!("{}/{}", self.address(0), self.length)
    }

    fn contains(self, other: Self) -> bool {
        self.bits == other.bits && self.length <= other.length && other.base & !self.last() == self.base
    }
}

/// Returns a number with `count` ones at the low end.
fn ones(count: u32) -> u128 {
    u128::MAX.checked_shr(128 - count).unwrap_or(0)
}

/// Returns the network that contains only this address.
fn single(address: IpAddr) -> Network {
    match address {
        IpAddr::V4(address) => Network { base: address.to_bits().into(), bits: 32, length: 32 },
        IpAddr::V6(address) => Network { base: address.to_bits(), bits: 128, length: 128 },
    }
}

/// Parses `ADDRESS/LENGTH`. Host bits are cleared, as in Terraform.
fn parse_network(text: &str) -> Option<Network> {
    let (address, length) = text.split_once('/')?;
    let network = single(address.parse().ok()?);
    let digits = length.bytes().all(|byte| byte.is_ascii_digit());
    let length = length.parse().ok().filter(|length| digits && *length <= network.bits)?;
    let network = Network { length, ..network };
    Some(Network { base: network.base & !network.last(), ..network })
}

fn network(args: &Args<'_>, index: usize) -> Result<Network, FunctionError> {
    let text = args.text(index)?;
    parse_network(&text).ok_or_else(|| {
        args.refuse_at(index, format!("{text:?} is not a network, such as `10.0.0.0/8` or `fd00::/8`"))
    })
}

/// Returns the network with a prefix that is longer by the number of bits in an argument.
fn extend_prefix(args: &Args<'_>, network: Network, index: usize) -> Result<Network, FunctionError> {
    let additional = u32::try_from(args.int(index)?)
        .map_err(|_| args.refuse_at(index, "the number of bits must not be negative"))?;
    if additional > network.host_bits() {
        let message = format!("{} has only {} bits left", network.text(), network.host_bits());
        return Err(args.refuse_at(index, message));
    }
    Ok(Network { length: network.length + additional, ..network })
}

fn cidrhost(args: &mut Args<'_>) -> FunctionResult {
    let (network, number) = (network(args, 0)?, args.int(1)?);
    let magnitude = u128::from(number.unsigned_abs());
    let place = match number {
        0.. => Some(magnitude).filter(|number| *number <= network.last()),
        _ => network.last().checked_sub(magnitude - 1),
    };
    match place {
        Some(place) => Ok(network.address(place).to_string().into()),
        None => Err(args.refuse_at(1, format!("{} has no address with this number", network.text()))),
    }
}

fn cidrnetmask(args: &mut Args<'_>) -> FunctionResult {
    let network = network(args, 0)?;
    if network.bits != 32 {
        return Err(args.refuse_at(0, "only IPv4 has masks"));
    }
    let mask = Network { base: ones(32) & !network.last(), ..network };
    Ok(mask.address(0).to_string().into())
}

fn cidrsubnet(args: &mut Args<'_>) -> FunctionResult {
    let network = network(args, 0)?;
    let inner = extend_prefix(args, network, 1)?;
    let number = u128::try_from(args.int(2)?).ok();
    let bits = inner.length - network.length;
    let Some(number) = number.filter(|number| *number <= ones(bits)) else {
        return Err(args.refuse_at(2, format!("with {bits} bits more there is no network with this number")));
    };
    // A shift by all bits means that there is only one network, whose number is 0.
    let offset = number.checked_shl(inner.host_bits()).unwrap_or(0);
    Ok(Network { base: network.base | offset, ..inner }.text().into())
}

fn cidrsubnets(args: &mut Args<'_>) -> FunctionResult {
    let network = network(args, 0)?;
    let room_error = || format!("{} has no room for all of these networks", network.text());
    let mut networks = Vec::with_capacity(args.count() - 1);
    // The host number of the first free address, or `None` if all are taken.
    let mut next_address = Some(0_u128);
    for index in 1..args.count() {
        let inner = extend_prefix(args, network, index)?;
        // A network begins at a multiple of its size.
        let first = next_address
            .and_then(|next_address| Some(next_address.checked_add(inner.last())? & !inner.last()));
        let first = first
            .filter(|first| *first <= network.last())
            .ok_or_else(|| args.refuse_at(index, room_error()))?;
        networks.push(Network { base: network.base | first, ..inner }.text());
        next_address = (first | inner.last()).checked_add(1);
    }
    Ok(list_of(networks))
}

fn cidrcontains(args: &mut Args<'_>) -> FunctionResult {
    let outer = network(args, 0)?;
    let text = args.text(1)?;
    let inner = text.parse().map(single).ok().or_else(|| parse_network(&text));
    match inner {
        Some(inner) => Ok(outer.contains(inner).into()),
        None => Err(args.refuse_at(1, format!("{text:?} is neither an address nor a network"))),
    }
}
