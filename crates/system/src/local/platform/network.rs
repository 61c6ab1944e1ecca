//! Detection of addresses and interfaces.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use super::text::text_of;
use crate::types::platform::Platform;

/// Addresses reserved for documentation, used to find the route to other networks.
const ELSEWHERE: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1))];

pub(super) fn read(platform: &mut Platform) {
    let text = |path| text_of(path).unwrap_or_default();
    let machine_address = ELSEWHERE.into_iter().find_map(own_address);
    let of_four = local(&text("/proc/net/fib_trie"));
    let of_six = of_six(&text("/proc/net/if_inet6"));
    let mut addresses: Vec<IpAddr> = of_four.into_iter().map(IpAddr::V4).collect();
    addresses.extend(of_six.iter().map(|(address, _)| IpAddr::V6(*address)));
    addresses.retain(is_reached_from_elsewhere);
    if let Some(own) = machine_address.filter(|machine_address| !addresses.contains(machine_address)) {
        addresses.insert(0, own);
    }
    platform.addresses = addresses.iter().map(IpAddr::to_string).collect();
    platform.interfaces = interfaces();
    let route = default_route(&text("/proc/net/route"));
    platform.interface = match machine_address {
        Some(IpAddr::V6(own)) => {
            of_six.into_iter().find(|(address, _)| *address == own).map(|(_, name)| name)
        }
        Some(IpAddr::V4(_)) => route.as_ref().map(|route| route.interface.clone()),
        None => None,
    }
    .unwrap_or_default();
    platform.address = machine_address.map(|machine_address| machine_address.to_string()).unwrap_or_default();
    platform.gateway =
        route.and_then(|route| route.gateway).map(|gateway| gateway.to_string()).unwrap_or_default();
}

/// Returns the source address for packets to another address.
///
/// Connecting a UDP socket selects the route without sending anything.
fn own_address(other: IpAddr) -> Option<IpAddr> {
    let unspecified: SocketAddr = match other {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(unspecified).ok()?;
    socket.connect((other, 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified() && !address.is_loopback()).then_some(address)
}

/// Whether the address is reachable beyond this machine and beyond a single link.
fn is_reached_from_elsewhere(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !address.is_loopback() && !address.is_link_local(),
        IpAddr::V6(address) => !address.is_loopback() && !address.is_unicast_link_local(),
    }
}

/// Returns the names of the interfaces except the loopback.
fn interfaces() -> Vec<String> {
    let Ok(entries) = std::fs::read_dir("/sys/class/net") else { return Vec::new() };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
    // The directory has a link per interface, and may contain other files.
    let is_one = |name: &String| name != "lo" && std::path::Path::new("/sys/class/net").join(name).is_dir();
    let mut names: Vec<String> = entries.filter_map(name).filter(is_one).collect();
    names.sort_unstable();
    names
}

/// Parses the local addresses in the kernel's routing trie: an address, and below it its type.
fn local(trie: &str) -> BTreeSet<Ipv4Addr> {
    let mut addresses = BTreeSet::new();
    let mut last_address: Option<Ipv4Addr> = None;
    for line in trie.lines().map(str::trim) {
        if let Some(address) = line.strip_prefix("|-- ") {
            last_address = address.parse().ok();
        } else if line == "/32 host LOCAL" {
            addresses.extend(last_address);
        }
    }
    addresses
}

/// Parses IPv6 addresses with their interface.
fn of_six(text: &str) -> Vec<(Ipv6Addr, String)> {
    let line = |line: &str| {
        let mut columns = line.split_whitespace();
        let address = columns.next().filter(|digits| digits.len() == 32)?;
        let number = u128::from_str_radix(address, 16).ok()?;
        Some((Ipv6Addr::from(number), columns.nth(4)?.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

#[derive(Debug, PartialEq, Eq)]
struct DefaultRoute {
    interface: String,
    /// The gateway; `None` on a point-to-point link.
    gateway: Option<Ipv4Addr>,
}

/// Parses the best default route in the kernel's routing table, whose numbers are in memory order.
fn default_route(routes: &str) -> Option<DefaultRoute> {
    let default = routes.lines().skip(1).filter_map(|line| {
        let mut columns = line.split_whitespace();
        let (interface, destination, gateway) = (columns.next()?, columns.next()?, columns.next()?);
        let (metric, mask) = (columns.nth(3)?, columns.next()?);
        let number = |text| u32::from_str_radix(text, 16).ok();
        if number(destination)? != 0 || number(mask)? != 0 {
            return None;
        }
        let gateway = Some(number(gateway)?).filter(|gateway| *gateway != 0);
        let gateway = gateway.map(|gateway| Ipv4Addr::from(gateway.to_ne_bytes()));
        Some((metric.parse::<u32>().ok()?, DefaultRoute { interface: interface.to_owned(), gateway }))
    });
    default.min_by_key(|(metric, _)| *metric).map(|(_, route)| route)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_endian = "little")]
    fn routes() {
        let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
        let local_route = "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
        let check = |routes: &[&str], expect: Option<(&str, Option<[u8; 4]>)>| {
            let routes = format!("{head}{}", routes.concat());
            let expect = expect.map(|(interface, gateway)| DefaultRoute {
                interface: interface.to_owned(),
                gateway: gateway.map(Ipv4Addr::from),
            });
            assert_eq!(default_route(&routes), expect, "{routes}");
        };
        check(&[], None);
        check(&[local_route], None);
        let gateway_route = "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n";
        check(&[gateway_route, local_route], Some(("eth0", Some([192, 168, 0, 1]))));
        // A route with a lower metric is preferred.
        let preferred_route = "eth1\t00000000\tFE00000A\t0003\t0\t0\t5\t00000000\t0\t0\t0\n";
        check(&[gateway_route, preferred_route], Some(("eth1", Some([10, 0, 0, 254]))));
        check(&["ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"], Some(("ppp0", None)));
        // VPNs route each half of the address space, which is no default route.
        check(&["tun0\t00000000\tFE00000A\t0003\t0\t0\t5\t00000080\t0\t0\t0\n"], None);
        // A truncated line and garbage.
        check(&["eth0\t00000000\t0100", "x\n", "\u{fffd}\t\t\t\n"], None);
    }

    #[test]
    fn own_addresses() {
        let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n     |-- 10.0.0.7\n\
                    \x20       /32 host LOCAL\n     |-- 10.0.0.255\n        /32 link BROADCAST\n     |-- 127.0.0.1\n\
                    \x20       /32 host LOCAL\nLocal:\n     |-- 10.0.0.7\n        /32 host LOCAL\n     |-- nonsense\n\
                    \x20       /32 host LOCAL\n";
        let actual: Vec<String> = local(trie).iter().map(Ipv4Addr::to_string).collect();
        assert_eq!(actual, ["10.0.0.7", "127.0.0.1"]);
        let six = "00000000000000000000000000000001 01 80 10 80       lo\n\
                   20010db8000000000000000000000005 02 40 00 80     eth0\nfe80 x\n\n";
        let actual: Vec<String> =
            of_six(six).iter().map(|(address, name)| format!("{address} {name}")).collect();
        assert_eq!(actual, ["::1 lo", "2001:db8::5 eth0"]);
    }

    #[test]
    fn addresses_for_others() {
        for (address, expect) in [
            ("10.0.0.5", true),
            ("127.0.0.1", false),
            ("169.254.3.4", false),
            ("2001:db8::5", true),
            ("fd00::1", true),
            ("::1", false),
            ("fe80::1", false),
        ] {
            assert_eq!(is_reached_from_elsewhere(&address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn this_machine() {
        let mut platform = Platform::default();
        read(&mut platform);
        assert!(
            platform.address.is_empty() || platform.addresses.contains(&platform.address),
            "{platform:?}"
        );
        assert!(!platform.interfaces.iter().any(|name| name == "lo"), "{platform:?}");
    }
}
