//! The address of etcd on the command line.

use std::str::FromStr;

use converge_controller::storage::EtcdOptions;
use converge_core::debug_as_text;
use converge_core::system::Url;

/// The members of an etcd and the prefix of keys: `etcds://HOST:PORT,HOST:PORT/PREFIX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EtcdAddress {
    members: Vec<String>,
    prefix: Option<String>,
    is_secure: bool,
}

/// A reason why a text is no [`EtcdAddress`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEtcdAddress {
    /// The text has the wrong form, or names no member.
    #[error(
        "write it like etcds://HOST:PORT,HOST:PORT or etcd://127.0.0.1:2379, with a /PREFIX behind it if it has one"
    )]
    Form,
    /// An unencrypted connection to another machine, on which anybody could read and change everything.
    #[error(
        "{member} may be another machine, and etcd:// is without TLS: write etcds://, and let etcd have certificates"
    )]
    Plain {
        /// The member with the unencrypted connection.
        member: String,
    },
}

debug_as_text!(InvalidEtcdAddress);

impl EtcdAddress {
    /// Whether connections are encrypted.
    pub fn is_secure(&self) -> bool {
        self.is_secure
    }

    /// Returns the connection options.
    pub fn options(&self) -> EtcdOptions {
        let scheme = if self.is_secure { "https" } else { "http" };
        let options = EtcdOptions::new(self.members.iter().map(|member| format!("{scheme}://{member}")));
        match &self.prefix {
            Some(prefix) => options.prefix(prefix),
            None => options,
        }
    }
}

impl FromStr for EtcdAddress {
    type Err = InvalidEtcdAddress;

    fn from_str(text: &str) -> Result<Self, InvalidEtcdAddress> {
        let secure = text.strip_prefix("etcds://");
        let rest = secure.or_else(|| text.strip_prefix("etcd://")).ok_or(InvalidEtcdAddress::Form)?;
        let (members, prefix) =
            rest.split_once('/').map_or((rest, ""), |(members, prefix)| (members, prefix));
        let members: Vec<String> = members.split(',').map(str::to_owned).collect();
        for member in &members {
            let (host, port) = member.rsplit_once(':').ok_or(InvalidEtcdAddress::Form)?;
            let is_strange = |c: char| c.is_whitespace() || matches!(c, '?' | '#' | '@');
            if host.is_empty() || port.parse::<u16>().is_err() || member.contains(is_strange) {
                return Err(InvalidEtcdAddress::Form);
            }
            let is_this_machine =
                || format!("http://{member}").parse().is_ok_and(|url: Url| url.is_loopback());
            if secure.is_none() && !is_this_machine() {
                return Err(InvalidEtcdAddress::Plain { member: member.clone() });
            }
        }
        let prefix = Some(prefix.trim_end_matches('/')).filter(|prefix| !prefix.is_empty());
        let prefix = prefix.map(|prefix| format!("/{prefix}"));
        Ok(Self { members, prefix, is_secure: secure.is_some() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        #[track_caller]
        fn check(text: &str, expect: Result<(&[&str], &str), InvalidEtcdAddress>) {
            let actual = text.parse::<EtcdAddress>().map(|address| {
                let options = format!("{:?}", address.options());
                (address.members, options)
            });
            match (actual, expect) {
                (Ok((members, options)), Ok((expect, prefix))) => {
                    assert_eq!(members, expect, "{text}");
                    assert!(options.contains(&format!("prefix: {prefix:?}")), "{options}");
                }
                (found, expect) => assert_eq!(found.err(), expect.err(), "{text}"),
            }
        }
        check("etcd://127.0.0.1:2379", Ok((&["127.0.0.1:2379"], "/converge")));
        check("etcd://localhost:1,[::1]:2/", Ok((&["localhost:1", "[::1]:2"], "/converge")));
        check("etcd://LOCALHOST:1", Ok((&["LOCALHOST:1"], "/converge")));
        check("etcds://a:2379,b:2379/one/two/", Ok((&["a:2379", "b:2379"], "/one/two")));
        let plain_error = |member: &str| Err(InvalidEtcdAddress::Plain { member: member.to_owned() });
        check("etcd://localhost.example.org:1", plain_error("localhost.example.org:1"));
        check("etcd://etcd-1:2379", plain_error("etcd-1:2379"));
        check("etcd://127.0.0.1:2379,10.0.0.1:2379", plain_error("10.0.0.1:2379"));
        for invalid in [
            "",
            "http://a:1",
            "etcds://",
            "etcds://a",
            "etcds://a:x",
            "etcds://a:1,",
            "etcds://u@a:1",
            "etcds://a b:1",
        ] {
            check(invalid, Err(InvalidEtcdAddress::Form));
        }
    }
}
