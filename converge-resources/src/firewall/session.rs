//! The session in which this runs, when it came over the network.

use std::net::IpAddr;
use std::path::Path;

use converge_core::prelude::*;

/// How sshd is configured.
const SSHD_CONFIG: &str = "/etc/ssh/sshd_config";

/// More than its configuration has.
const CONFIG_BYTES: u64 = 1 << 20;

/// Where sshd listens when nothing is said.
const SSH_PORT: u16 = 22;

/// How somebody gets in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// Where it comes from and what it came to, when that is known: a program that gives the rights of root to another one may not
    /// pass them on.
    pub(super) ends: Option<(IpAddr, IpAddr)>,
    /// The ports on which sshd listens; the one of the session alone when it is known.
    pub(super) ports: Vec<u16>,
}

impl Session {
    /// The session; `None` on a machine without sshd, and when this runs in none.
    pub(super) async fn find(cx: &Context) -> Result<Option<Self>> {
        let connection = cx.system().env("SSH_CONNECTION").unwrap_or_default();
        if let Some((client, server, port)) = connection_of(&connection) {
            return Ok(Some(Self { ends: Some((client, server)), ports: vec![port] }));
        }
        let found = cx.system().files().read_head(Path::new(SSHD_CONFIG), CONFIG_BYTES).await?;
        let Some(found) = found else { return Ok(None) };
        Ok(Some(Self { ends: None, ports: ports(&String::from_utf8_lossy(&found.bytes)) }))
    }

    /// As messages name it.
    pub(super) fn shown(&self, port: u16) -> String {
        match self.ends {
            Some((client, _)) => format!("the session from {client} to port {port} in which this runs"),
            None => format!("whoever comes to port {port}, where sshd listens"),
        }
    }
}

/// `192.0.2.7 50222 192.0.2.1 22`, as sshd sets it.
fn connection_of(text: &str) -> Option<(IpAddr, IpAddr, u16)> {
    let mut words = text.split_whitespace();
    let mut next = || words.next();
    let (client, _, server, port) = (next()?, next()?, next()?, next()?);
    // An address of one link has the name of an interface behind it.
    let address = |text: &str| Some(text.split('%').next()?.parse::<IpAddr>().ok()?.to_canonical());
    Some((address(client)?, address(server)?, port.parse().ok()?))
}

/// The ports that the configuration of sshd names.
fn ports(config: &str) -> Vec<u16> {
    let port = |line: &str| {
        let (word, rest) = line.trim().split_once([' ', '\t', '='])?;
        let value = rest.trim_matches([' ', '\t', '=']);
        word.eq_ignore_ascii_case("port").then(|| value.parse().ok()).flatten()
    };
    let ports: Vec<u16> = config.lines().filter_map(port).collect();
    if ports.is_empty() { vec![SSH_PORT] } else { ports }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections() {
        let check = |text: &str, expect: Option<&str>| {
            let found = connection_of(text).map(|(client, server, port)| format!("{client} {server} {port}"));
            assert_eq!(found.as_deref(), expect, "{text}");
        };
        check("192.0.2.7 50222 192.0.2.1 22", Some("192.0.2.7 192.0.2.1 22"));
        check("fe80::1%eth0 1 ::ffff:192.0.2.1 2222", Some("fe80::1 192.0.2.1 2222"));
        for text in
            ["", "x", "192.0.2.7 1 192.0.2.1", "192.0.2.7 1 192.0.2.1 70000", "UNKNOWN 65535 UNKNOWN 65535"]
        {
            check(text, None);
        }
    }

    #[test]
    fn ports_of_sshd() {
        assert_eq!(ports(""), [22]);
        assert_eq!(ports("#Port 1\nPort 2222\n  port=2223\nPortal 3\nPort x"), [2222, 2223]);
    }
}
