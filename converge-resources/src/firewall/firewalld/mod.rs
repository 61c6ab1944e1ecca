//! The `firewall.firewalld` resource: the firewall of Fedora, Red Hat, SUSE and related systems.

mod client;
mod element;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::FieldError;

pub use task::Firewalld;

use super::network::Network;
use element::{Element, ZonePort};

/// Ensures that a zone of `firewalld` has an element, or that it does not.
///
/// The element is a service, a port, a source, an interface, a rich rule or masquerading. The resource
/// compares the permanent configuration and the current one, and changes each where it differs. While
/// firewalld does not run, `firewall-offline-cmd` changes the permanent configuration.
///
/// # Guarantees
///
/// Everything else in the zone stays as it is; nothing is reloaded. A change that may lock out the SSH
/// session of this run is refused. Outside of a session, a change that may lock out connections to the port
/// of sshd is refused. `lock_out = true` allows such a change.
///
/// # Caveats
///
/// The resource does not know the zone of a session, so a change that could affect it is refused in every
/// zone. Rich rules are compared by firewalld, and searched by this resource only for their words. A zone or
/// a service that firewalld does not have is an error.
#[derive(Debug, Preparer)]
#[preparer(name = "firewall.firewalld", task = Firewalld, validate, footprint, lock = "firewalld", example = "example.hcl")]
#[preparer(exactly_one = "service,port,source,interface,rich_rule,masquerade")]
pub struct FirewalldPreparer {
    /// The zone; without it, the default zone.
    #[hcl(pattern = "^[A-Za-z0-9_][A-Za-z0-9_-]*$", expects = "the name of a zone, such as public")]
    zone: Option<String>,
    /// The name of a service: `"https"`.
    #[hcl(pattern = "^[A-Za-z0-9_][A-Za-z0-9_-]*$", expects = "the name of a service, such as https")]
    service: Option<String>,
    /// A port, or a range, with its protocol: `"8080/tcp"`, `"8000-8100/udp"`.
    port: Option<ZonePort>,
    /// An address or a network whose packets belong to the zone.
    source: Option<Network>,
    /// An interface whose packets belong to the zone.
    #[hcl(
        pattern = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}$",
        expects = "the name of an interface, such as eth0"
    )]
    interface: Option<String>,
    /// A rule in the language of firewalld.
    ///
    /// An example is `"rule family=ipv4 source address=192.0.2.0/24 service name=ssh accept"`.
    #[hcl(pattern = "^rule[^\\x00-\\x1f\\x7f]*$", expects = "a rule on one line, which begins with `rule`")]
    rich_rule: Option<String>,
    /// Whether packets that leave the zone get the address of the machine.
    ///
    /// Only `true` is allowed: `state` says whether the zone masquerades.
    masquerade: Option<bool>,
    /// Whether the permanent configuration is managed, which applies after a reload and after a boot.
    #[hcl(default = true)]
    permanent: bool,
    /// Whether the current configuration is managed, if firewalld runs.
    #[hcl(default = true)]
    immediate: bool,
    /// Whether the zone is to have the element.
    #[hcl(default, removes = "absent", touches = "firewalld_zones at all")]
    state: Ensure,
    /// Whether a change may lock out the session of this run.
    #[hcl(default)]
    lock_out: bool,
}

impl FirewalldPreparer {
    fn element(&self) -> Option<Element> {
        let service = self.service.clone().map(Element::Service);
        let port = || self.port.clone().map(Element::Port);
        let source = || self.source.map(Element::Source);
        let interface = || self.interface.clone().map(Element::Interface);
        let rule = || self.rich_rule.clone().map(Element::RichRule);
        let masquerade = || self.masquerade.map(|_| Element::Masquerade);
        service.or_else(port).or_else(source).or_else(interface).or_else(rule).or_else(masquerade)
    }
}

impl Validate for FirewalldPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        if !self.permanent && !self.immediate {
            return Err(vec![field_error!("permanent", "nothing is left: write `permanent` or `immediate`")]);
        }
        if self.masquerade == Some(false) {
            return Err(vec![field_error!(
                "masquerade",
                "write `true`, and `state = \"absent\"` to have none"
            )]);
        }
        Ok(())
    }
}

impl HasFootprint for FirewalldPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Some(element) = self.element() {
            let zone = self.zone.as_deref().unwrap_or("default");
            footprint.manages(
                "part of a zone of firewalld",
                format!("{zone} {} {element}", element.kind()).trim_end(),
            );
        }
    }
}

impl Resource for FirewalldPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Firewalld> {
        let element = self.element().ok_or_else(|| Error::msg("nothing of the zone is declared"))?;
        Ok(Firewalld {
            zone: self.zone,
            kind: element.kind().to_owned(),
            value: element.to_string(),
            state: self.state,
            element,
            permanent: self.permanent,
            immediate: self.immediate,
            lock_out: self.lock_out,
            steps: Vec::new(),
        })
    }
}
