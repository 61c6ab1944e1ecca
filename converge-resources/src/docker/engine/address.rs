//! The address of the Docker engine.
//!
//! TLS is not supported: it would need a second TLS client in the program, and a socket can be forwarded
//! instead.

use converge_sdk::system::Address;

use super::error::EngineError;

const DEFAULT: &str = "/var/run/docker.sock";

/// The port of an engine without TLS.
const PORT: u16 = 2375;

const HOST: &str = "DOCKER_HOST";
const TLS: &str = "DOCKER_TLS_VERIFY";

/// Returns the address that the environment names, read as the `docker` command does.
pub(super) fn find(env: impl Fn(&str) -> Option<String>) -> Result<Address, EngineError> {
    let variable = |name: &str| env(name).filter(|value| !value.is_empty());
    let Some(host) = variable(HOST) else { return Ok(Address::Unix(DEFAULT.into())) };
    let error = |reason| EngineError::Environment { variable: HOST, value: host.clone(), reason };
    let Some((scheme, rest)) = host.split_once("://") else {
        return Err(error("write `unix:///var/run/docker.sock` or `tcp://HOST:PORT`"));
    };
    match scheme {
        "unix" if rest.starts_with('/') => Ok(Address::Unix(rest.into())),
        "unix" => Err(error("the path of the socket must be absolute: `unix:///var/run/docker.sock`")),
        "tcp" => {
            if let Some(value) = variable(TLS) {
                let reason = "TLS to the engine is not supported: leave it out, and reach the engine over \
                    `unix://`, or over `tcp://` through a tunnel";
                return Err(EngineError::Environment { variable: TLS, value, reason });
            }
            tcp(rest).ok_or_else(|| error("write `tcp://HOST:PORT`, and an IPv6 address in brackets"))
        }
        "https" => {
            Err(error("TLS to the engine is not supported: use `unix://`, or `tcp://` through a tunnel"))
        }
        "ssh" => Err(error(
            "SSH is not supported: forward the socket (`ssh -L /run/engine.sock:/var/run/docker.sock HOST`) \
             and write `unix:///run/engine.sock`",
        )),
        _ => Err(error("only `unix://` and `tcp://` are supported")),
    }
}

fn tcp(rest: &str) -> Option<Address> {
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.strip_prefix('[') {
        Some(bracketed) => {
            let (host, port) = bracketed.split_once(']')?;
            (host, port.strip_prefix(':').or_else(|| port.is_empty().then_some("")))
        }
        None => rest.split_once(':').map_or((rest, Some("")), |(host, port)| (host, Some(port))),
    };
    let port = match port? {
        "" => PORT,
        port => port.parse().ok()?,
    };
    (!host.is_empty() && !host.contains('/')).then(|| Address::tcp(host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let check = |host: &str, tls: &str, expect: &str| {
            let env = |name: &str| match name {
                HOST => Some(host.to_owned()),
                TLS => Some(tls.to_owned()),
                _ => None,
            };
            let actual = match find(env) {
                Ok(address) => format!("{address:?}"),
                Err(error) => error.to_string(),
            };
            assert!(actual.contains(expect), "{host} {tls}: {actual}");
        };
        check("", "", r#"Unix("/var/run/docker.sock")"#);
        check("", "1", r#"Unix("/var/run/docker.sock")"#);
        check("unix:///run/a.sock", "", r#"Unix("/run/a.sock")"#);
        check("unix://run/a.sock", "", "must be absolute");
        check("tcp://engine:4000", "", r#"Tcp { host: "engine", port: 4000 }"#);
        check("tcp://engine/", "", r#"Tcp { host: "engine", port: 2375 }"#);
        check("tcp://[::1]:4000", "", r#"Tcp { host: "::1", port: 4000 }"#);
        check("tcp://[::1]", "", r#"Tcp { host: "::1", port: 2375 }"#);
        check("tcp://[::1]4000", "", "write `tcp://HOST:PORT`");
        check("tcp://:4000", "", "write `tcp://HOST:PORT`");
        check("tcp://engine:port", "", "write `tcp://HOST:PORT`");
        check("tcp://engine:4000", "1", "DOCKER_TLS_VERIFY is \"1\": TLS to the engine is not supported");
        check("https://engine", "", "TLS to the engine is not supported");
        check("ssh://me@engine", "", "forward the socket");
        check("npipe:////./pipe/docker_engine", "", "only `unix://` and `tcp://`");
        check("/var/run/docker.sock", "", "write `unix:///var/run/docker.sock`");
    }
}
