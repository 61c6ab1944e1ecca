//! Queries of firewalld, or of its configuration files while it does not run.

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit};

use super::element::{Element, ZonePort};
use crate::tools;

/// One of the two configurations of firewalld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The configuration that applies after a reload and after a boot.
    Permanent,
    /// The configuration that applies now.
    Immediate,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Client<'a> {
    cx: &'a Context,
    pub(super) is_running: bool,
}

impl<'a> Client<'a> {
    pub(super) async fn find(cx: &'a Context) -> Result<Self> {
        let (_, output) = tools::try_look(cx, Command::new("firewall-cmd").args(["--state"])).await?;
        Ok(Self { cx, is_running: output.exit.success() })
    }

    /// Returns the command for a configuration and a zone, or the default zone if none is given.
    pub(super) fn command(
        self,
        scope: Scope,
        zone: Option<&str>,
        option: &str,
    ) -> (&'static str, Vec<String>) {
        let zone = zone.map(|zone| format!("--zone={zone}"));
        let words = zone.into_iter().chain([option.to_owned()]);
        match (scope, self.is_running) {
            (Scope::Permanent, false) => ("firewall-offline-cmd", words.collect()),
            (Scope::Permanent, true) => {
                ("firewall-cmd", std::iter::once("--permanent".to_owned()).chain(words).collect())
            }
            (Scope::Immediate, _) => ("firewall-cmd", words.collect()),
        }
    }

    /// Runs a query, and returns its output.
    pub(super) async fn ask(self, scope: Scope, zone: Option<&str>, option: &str) -> Result<String> {
        let (program, arguments) = self.command(scope, zone, option);
        let (line, output) = tools::try_look(self.cx, Command::new(program).args(arguments)).await?;
        if output.exit.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(tools::failed(line, &output))
    }

    pub(super) async fn has(self, scope: Scope, zone: Option<&str>, element: &Element) -> Result<bool> {
        let (program, arguments) = self.command(scope, zone, &element.option("query"));
        let (line, output) = tools::try_look(self.cx, Command::new(program).args(arguments)).await?;
        match output.exit {
            Exit::Code(0) => Ok(true),
            Exit::Code(1) => Ok(false),
            _ => Err(tools::failed(line, &output)),
        }
    }

    /// Whether a zone lets in connections to a TCP port without the element `without`.
    pub(super) async fn lets_in(
        self,
        scope: Scope,
        zone: Option<&str>,
        port: u16,
        without: Option<&Element>,
    ) -> Result<bool> {
        if self.ask(Scope::Permanent, zone, "--get-target").await? == "ACCEPT" {
            return Ok(true);
        }
        let is_left = |element: &Element| Some(element) != without;
        let services = self.ask(scope, zone, "--list-services").await?;
        let mut services = services.split_whitespace().map(|name| Element::Service(name.to_owned()));
        if services.any(|service| service.is_for(port) && is_left(&service)) {
            return Ok(true);
        }
        let ports = self.ask(scope, zone, "--list-ports").await?;
        let mut ports =
            ports.split_whitespace().filter_map(|port| port.parse::<ZonePort>().ok()).map(Element::Port);
        if ports.any(|element| element.is_for(port) && is_left(&element)) {
            return Ok(true);
        }
        let rules = self.ask(scope, zone, "--list-rich-rules").await?;
        let mut rules = rules.lines().map(|rule| Element::RichRule(rule.trim().to_owned()));
        Ok(rules.any(|rule| rule.is_accepted_for(port) && is_left(&rule)))
    }
}

impl Element {
    /// Whether the element lets in connections to a TCP port.
    pub(super) fn is_for(&self, port: u16) -> bool {
        match self {
            Self::Service(name) => name == "ssh" && port == 22,
            Self::Port(ports) => ports.has(port),
            Self::RichRule(_) => self.is_accepted_for(port),
            Self::Source(_) | Self::Interface(_) | Self::Masquerade => false,
        }
    }

    /// Whether the element is a rule that lets in everybody at the port.
    fn is_accepted_for(&self, port: u16) -> bool {
        let Self::RichRule(rule) = self else { return false };
        !rule.contains("source")
            && rule.split_whitespace().any(|word| word == "accept")
            && names_port(rule, port)
    }

    /// Whether the element is a rule that may block connections to a port.
    pub(super) fn may_keep_out(&self, port: u16) -> bool {
        let Self::RichRule(rule) = self else { return false };
        let refuses = rule.split_whitespace().any(|word| word == "drop" || word == "reject");
        let is_of_all = !rule.contains(" port") && !rule.contains(" service");
        refuses && (is_of_all || names_port(rule, port))
    }
}

/// Whether a rule names a port, by its number or by the service.
fn names_port(rule: &str, port: u16) -> bool {
    let is_plain = |quote: char| {
        let has_port = |name: &str| rule.contains(&format!("{name}={quote}{port}{quote}"));
        has_port("port") || (port == 22 && rule.contains(&format!("name={quote}ssh{quote}")))
    };
    is_plain('"')
        || is_plain('\'')
        || rule.split_whitespace().any(|word| word == format!("port={port}"))
        || (port == 22 && rule.split_whitespace().any(|word| word == "name=ssh"))
}
