//! The SSH session of this run.

use std::net::IpAddr;
use std::path::Path;

use converge_sdk::prelude::*;

const SSHD_CONFIG: &str = "/etc/ssh/sshd_config";

/// The maximum number of bytes read of that file.
const CONFIG_BYTES: u64 = 1 << 20;

/// The default port of sshd.
const SSH_PORT: u16 = 22;

/// The connection by which an administrator reaches the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// The addresses of client and server, if they are known.
    ///
    /// A program such as `sudo` may not pass them on.
    pub(super) ends: Option<(IpAddr, IpAddr)>,
    /// The ports of sshd, or only that of the session if it is known.
    pub(super) ports: Vec<u16>,
}

impl Session {
    /// Finds the session of this run, or else the ports in the configuration of sshd.
    ///
    /// Returns `None` if there is neither.
    pub(super) async fn find(cx: &Context) -> Result<Option<Self>> {
        let connection = cx.system().env("SSH_CONNECTION").unwrap_or_default();
        if let Some((client, server, port)) = parse_connection(&connection) {
            return Ok(Some(Self { ends: Some((client, server)), ports: vec![port] }));
        }
        let head = cx.system().files().read_head(Path::new(SSHD_CONFIG), CONFIG_BYTES).await?;
        let Some(head) = head else { return Ok(None) };
        Ok(Some(Self { ends: None, ports: ports(&String::from_utf8_lossy(&head.bytes)) }))
    }

    /// Describes the session in messages.
    pub(super) fn shown(&self, port: u16) -> String {
        match self.ends {
            Some((client, _)) => format!("the session from {client} to port {port} in which this runs"),
            None => format!("connections to port {port}, where sshd listens"),
        }
    }
}

/// Parses `192.0.2.7 50222 192.0.2.1 22`, the format of sshd's variable.
fn parse_connection(text: &str) -> Option<(IpAddr, IpAddr, u16)> {
    let mut words = text.split_whitespace();
    let mut next = || words.next();
    let (client, _, server, port) = (next()?, next()?, next()?, next()?);
    // A link-local address ends in the name of an interface.
    let address = |text: &str| Some(text.split('%').next()?.parse::<IpAddr>().ok()?.to_canonical());
    Some((address(client)?, address(server)?, port.parse().ok()?))
}

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
            let actual =
                parse_connection(text).map(|(client, server, port)| format!("{client} {server} {port}"));
            assert_eq!(actual.as_deref(), expect, "{text}");
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
