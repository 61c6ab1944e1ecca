//! Networks and addresses: `10.0.0.0/8`, `fd00::/8`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

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

/// Returns the number of bits after a prefix.
fn host_bits(network: IpNet, length: u8) -> u32 {
    u32::from(network.max_prefix_len()).saturating_sub(length.into())
}

/// Returns a number with `count` ones at the low end.
fn ones(count: u32) -> u128 {
    u128::MAX.checked_shr(128 - count).unwrap_or(0)
}

/// Returns the highest host number of a network.
fn last_host(network: IpNet) -> u128 {
    ones(host_bits(network, network.prefix_len()))
}

/// Returns the address with a host number.
fn host(network: IpNet, number: u128) -> IpAddr {
    match network.addr() {
        IpAddr::V4(first) => {
            // The number has at most the host bits of the network.
            Ipv4Addr::from_bits(first.to_bits() | u32::try_from(number).unwrap_or(u32::MAX)).into()
        }
        IpAddr::V6(first) => Ipv6Addr::from_bits(first.to_bits() | number).into(),
    }
}

/// Parses `ADDRESS/LENGTH`. Host bits are cleared, as in Terraform.
///
/// The parser of `ipnet` would accept zeros at the beginning of a number, which some programs read as octal.
fn parse_network(text: &str) -> Option<IpNet> {
    let (address, length) = text.split_once('/')?;
    let length = length.parse().ok().filter(|_| !length.starts_with('+'))?;
    Some(IpNet::new(address.parse().ok()?, length).ok()?.trunc())
}

fn network(args: &Args<'_>, index: usize) -> Result<IpNet, FunctionError> {
    let text = args.text(index)?;
    parse_network(&text).ok_or_else(|| {
        args.refuse_at(index, format!("{text:?} is not a network, such as `10.0.0.0/8` or `fd00::/8`"))
    })
}

/// Returns the prefix length that is longer by the number of bits in an argument.
fn extend_prefix(args: &Args<'_>, network: IpNet, index: usize) -> Result<u8, FunctionError> {
    let additional = u32::try_from(args.int(index)?)
        .map_err(|_| args.refuse_at(index, "the number of bits must not be negative"))?;
    let room = host_bits(network, network.prefix_len());
    let additional = u8::try_from(additional).ok().filter(|additional| u32::from(*additional) <= room);
    let additional =
        additional.ok_or_else(|| args.refuse_at(index, format!("{network} has only {room} bits left")))?;
    Ok(network.prefix_len() + additional)
}

fn cidrhost(args: &mut Args<'_>) -> FunctionResult {
    let (network, number) = (network(args, 0)?, args.int(1)?);
    let magnitude = u128::from(number.unsigned_abs());
    let place = match number {
        0.. => Some(magnitude).filter(|number| *number <= last_host(network)),
        _ => last_host(network).checked_sub(magnitude - 1),
    };
    match place {
        Some(place) => Ok(host(network, place).to_string().into()),
        None => Err(args.refuse_at(1, format!("{network} has no address with this number"))),
    }
}

fn cidrnetmask(args: &mut Args<'_>) -> FunctionResult {
    match network(args, 0)? {
        IpNet::V4(network) => Ok(network.netmask().to_string().into()),
        IpNet::V6(_) => Err(args.refuse_at(0, "only IPv4 has masks")),
    }
}

fn cidrsubnet(args: &mut Args<'_>) -> FunctionResult {
    let network = network(args, 0)?;
    let length = extend_prefix(args, network, 1)?;
    let number = u128::try_from(args.int(2)?).ok();
    let bits = length - network.prefix_len();
    let Some(number) = number.filter(|number| *number <= ones(bits.into())) else {
        return Err(args.refuse_at(2, format!("with {bits} bits more there is no network with this number")));
    };
    // A shift by all bits means that there is only one network, whose number is 0.
    let offset = number.checked_shl(host_bits(network, length)).unwrap_or(0);
    Ok(format!("{}/{length}", host(network, offset)).into())
}

fn cidrsubnets(args: &mut Args<'_>) -> FunctionResult {
    let network = network(args, 0)?;
    let room_error = || format!("{network} has no room for all of these networks");
    let mut networks = Vec::with_capacity(args.count() - 1);
    // The host number of the first free address, or `None` if all are taken.
    let mut next_address = Some(0_u128);
    for index in 1..args.count() {
        let length = extend_prefix(args, network, index)?;
        let last = ones(host_bits(network, length));
        // A network begins at a multiple of its size.
        let first = next_address.and_then(|next_address| Some(next_address.checked_add(last)? & !last));
        let first = first
            .filter(|first| *first <= last_host(network))
            .ok_or_else(|| args.refuse_at(index, room_error()))?;
        networks.push(format!("{}/{length}", host(network, first)));
        next_address = (first | last).checked_add(1);
    }
    Ok(list_of(networks))
}

fn cidrcontains(args: &mut Args<'_>) -> FunctionResult {
    let outer = network(args, 0)?;
    let text = args.text(1)?;
    let inner = text.parse::<IpAddr>().map(IpNet::from).ok().or_else(|| parse_network(&text));
    match inner {
        Some(inner) => Ok(outer.contains(&inner).into()),
        None => Err(args.refuse_at(1, format!("{text:?} is neither an address nor a network"))),
    }
}
