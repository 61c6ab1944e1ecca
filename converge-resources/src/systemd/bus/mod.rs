//! Connections to the system bus, through the network of the machine.

mod socket;

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Address, Follow, SystemErrorKind};
use zbus::Connection;
use zbus::address::Transport;
use zbus::address::transport::UnixSocket;
use zbus::connection::Builder;

use super::error::BusError;
use crate::platform;
use socket::Socket;

const SYSTEM_BUS: &str = "/run/dbus/system_bus_socket";

/// The environment variable that overrides the address of the system bus.
const VARIABLE: &str = "DBUS_SYSTEM_BUS_ADDRESS";

/// A directory that systemd creates if it has booted the machine.
const BOOTED: &str = "/run/systemd/system";

/// The time limit for an answer of the bus and of systemd.
///
/// A daemon-reload of a large machine takes some seconds.
const TIMEOUT: Duration = Duration::from_secs(90);

/// The time limit for the greeting of the bus, which normally takes no time.
const GREETING: Duration = Duration::from_secs(25);

/// Connects to the system bus of a machine that systemd runs.
///
/// The connection never uses systemd's own socket. That socket is private to `systemctl`, its protocol is not
/// stable, and it bypasses the access rules of the bus. A missing bus is an error.
///
/// A connection lasts for one check or one apply, and costs a millisecond. A shared connection would have to
/// be re-established after each restart of the bus, and systemd keeps state in memory for its clients.
///
/// Returns an `Err` within `Ok` that says what is missing, if a pending change may bring it.
pub(super) async fn connect(cx: &Context, resource: &'static str) -> Result<Result<Connection, String>> {
    platform::only_on_linux(cx, resource, "systemd exists only on Linux")?;
    if cx.system().files().metadata(BOOTED.as_ref(), Follow::Links).await?.is_none() {
        let reason = "systemd does not run this machine: there is no /run/systemd/system";
        return Err(platform::unsupported(cx, resource, reason));
    }
    let address = match cx.system().env(VARIABLE) {
        Some(text) if !text.is_empty() => parse(&text).map_err(Error::other)?,
        _ => Address::Unix(SYSTEM_BUS.into()),
    };
    let display = address.to_string();
    let stream = match cx.system().network().connect(&address).await {
        Ok(stream) => stream,
        Err(error) if error.kind == SystemErrorKind::NotFound && !cx.pending().is_empty() => {
            return Ok(Err(format!("the system bus at {display} is not there yet")));
        }
        Err(error) => return Err(Error::other(BusError::Away { address: display, reason: error.kind })),
    };
    let builder = Builder::socket(Socket(stream)).method_timeout(within(cx, TIMEOUT));
    let greeting = within(cx, GREETING);
    match tokio::time::timeout(greeting, builder.build()).await {
        Ok(Ok(connection)) => Ok(Ok(connection)),
        Ok(Err(reason)) => {
            Err(Error::other(BusError::Greeting { address: display, reason: reason.to_string() }))
        }
        Err(_) => Err(Error::other(BusError::Silent { address: display, after: greeting })),
    }
}

/// Returns `longest`, or less if the deadline comes first.
///
/// A fifth of the remaining time, at most a few seconds, is reserved to find out what happened, because that
/// runs programs that read journals. The result is in tenths of a second, for messages.
pub(super) fn within(cx: &Context, longest: Duration) -> Duration {
    const TO_SAY_SO: Duration = Duration::from_secs(5);
    let Some(remaining) = cx.remaining() else { return longest };
    let left = remaining.saturating_sub(TO_SAY_SO.min(remaining / 5));
    let tenths = u64::try_from(left.as_millis() / 100).unwrap_or(u64::MAX);
    longest.min(Duration::from_millis(tenths.saturating_mul(100)))
}

/// Parses a D-Bus address; of several, the first counts.
fn parse(text: &str) -> Result<Address, BusError> {
    let first = text.split(';').next().unwrap_or(text);
    let error = |reason: String| BusError::Address { variable: VARIABLE, address: text.to_owned(), reason };
    let address = zbus::Address::try_from(first).map_err(|_| {
        error("an address is written like `unix:path=/run/dbus/system_bus_socket`".to_owned())
    })?;
    match address.transport() {
        Transport::Unix(unix) => match unix.path() {
            UnixSocket::File(path) => Ok(Address::Unix(path.clone())),
            _ => Err(error("only sockets with a path are supported".to_owned())),
        },
        Transport::Tcp(tcp) => Ok(Address::tcp(tcp.host(), tcp.port())),
        _ => Err(error("only `unix:path=..` and `tcp:host=..,port=..` are supported".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_bus() {
        let check = |text: &str, expect: &str| {
            let actual = match parse(text) {
                Ok(address) => address.to_string(),
                Err(error) => error.to_string(),
            };
            assert_eq!(actual, expect, "{text}");
        };
        check("unix:path=/run/dbus/system_bus_socket", "/run/dbus/system_bus_socket");
        check("unix:path=/run/bus,guid=1234567890abcdef1234567890abcdef", "/run/bus");
        check("unix:path=/first;unix:path=/second", "/first");
        check("tcp:host=localhost,port=4000", "localhost:4000");
        check(
            "unix:abstract=bus",
            "DBUS_SYSTEM_BUS_ADDRESS is \"unix:abstract=bus\": only sockets with a path are supported",
        );
        check(
            "/run/bus",
            "DBUS_SYSTEM_BUS_ADDRESS is \"/run/bus\": an address is written like \
             `unix:path=/run/dbus/system_bus_socket`",
        );
    }
}
