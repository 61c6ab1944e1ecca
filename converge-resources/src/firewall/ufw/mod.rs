//! `firewall.ufw`: the firewall of Ubuntu and its relatives.

mod rule;
mod status;
mod task;
#[cfg(test)]
mod tests;

use converge_core::footprint::Footprint;
use converge_core::prelude::*;
use converge_core::value::{FieldError, FieldErrorKind};

pub use task::Ufw;

use super::network::Network;
use rule::{Action, Direction, Ports, Protocol, Rule};
use status::Policy;

/// What becomes of packets that no rule is about.
#[derive(Clone, Debug, Default, HclBlock)]
struct Defaults {
    /// Of those that come to the machine.
    incoming: Option<Policy>,
    /// Of those that the machine sends.
    outgoing: Option<Policy>,
    /// Of those that go through the machine.
    routed: Option<Policy>,
}

/// Sees to it that `ufw` has a rule, or that it has none; to its policies; and to whether it is on.
///
/// A rule is known by what it is about, whatever its comment: another action for the same connections replaces it where it stands, and a new rule comes
/// behind those that are there: of one module, in the order in which they are written. ufw takes the first that fits.
///
/// # Guarantees
///
/// All other rules stay as they are. What would keep out the session in which this runs is refused, or, where it runs in none, whoever comes
/// to the port of sshd: unless `lock_out = true` says that it is meant. Of a session that a program as `sudo` hides, that
/// is all that is known.
///
/// # Caveats
///
/// Rules for packets that are routed, with logging, and with profiles of applications are not declared here, and stay. Ports are
/// numbers.
#[derive(Debug, Preparer)]
#[preparer(name = "firewall.ufw", task = Ufw, validate, footprint, lock = "ufw", example = "example.hcl")]
pub struct UfwPreparer {
    /// What becomes of the connections that the rule is about. Without it there is no rule.
    #[hcl(alias = "rule", touches = "ufw_rules at all")]
    action: Option<Action>,
    /// The port, a range `"8000:8100"`, or a list of these `"80,443"`, at the end to which connections go.
    #[hcl(requires = "action")]
    port: Option<Ports>,
    /// The address or network from which they come; without it, any.
    #[hcl(requires = "action")]
    from: Option<Network>,
    /// The port from which they come.
    #[hcl(requires = "action")]
    from_port: Option<Ports>,
    /// The address or network to which they go; without it, any.
    #[hcl(requires = "action")]
    to: Option<Network>,
    /// The protocol; without it, any. Several ports need `tcp` or `udp`.
    #[hcl(requires = "action")]
    proto: Option<Protocol>,
    /// Which way they go. It is `in` when it is not written.
    #[hcl(requires = "action")]
    direction: Option<Direction>,
    /// The name of the interface that they pass.
    #[hcl(
        requires = "action",
        pattern = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}\\+?$",
        expects = "the name of an interface, such as eth0"
    )]
    interface: Option<String>,
    /// What is written beside the rule.
    #[hcl(requires = "action", pattern = "^[^'\\x00-\\x1f\\x7f]*$", expects = "one line without '")]
    comment: Option<String>,
    /// Whether the rule is to be there.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// What becomes of packets that no rule is about: `{ incoming = "deny" }`.
    default: Option<Defaults>,
    /// Whether the firewall is on, now and after each boot.
    enabled: Option<bool>,
    /// Says that it is meant when the session in which this runs would be locked out.
    #[hcl(default)]
    lock_out: bool,
}

impl UfwPreparer {
    fn rule(&self) -> Option<Rule> {
        Some(Rule {
            action: self.action?,
            direction: self.direction.unwrap_or_default(),
            interface: self.interface.clone(),
            from: self.from,
            from_port: self.from_port.clone(),
            to: self.to,
            port: self.port.clone(),
            proto: self.proto,
            comment: self.comment.clone().unwrap_or_default(),
        })
    }
}

impl Validate for UfwPreparer {
    fn validate(&self) -> Result<(), Vec<FieldError>> {
        let wrong = |field: &str, message: &str| {
            let message = message.to_owned();
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message })])
        };
        let is_empty = |defaults: &Defaults| {
            defaults.incoming.is_none() && defaults.outgoing.is_none() && defaults.routed.is_none()
        };
        if self.action.is_none() && self.enabled.is_none() && self.default.as_ref().is_none_or(is_empty) {
            return wrong("action", "nothing is declared: write `action` for a rule, `default` or `enabled`");
        }
        if self.action.is_none() && self.state == Ensure::Absent {
            return wrong("state", "it is of a rule, and `action` is not written");
        }
        let is_several = [&self.port, &self.from_port].into_iter().flatten().any(Ports::is_several);
        let has_ports = matches!(self.proto, Some(Protocol::Tcp | Protocol::Udp));
        if is_several && !has_ports {
            return wrong("proto", "several ports need `tcp` or `udp`");
        }
        if self.proto.is_some() && !has_ports && (self.port.is_some() || self.from_port.is_some()) {
            return wrong("proto", "this protocol has no ports");
        }
        if let (Some(from), Some(to)) = (&self.from, &self.to)
            && from.is_ipv4() != to.is_ipv4()
        {
            return wrong("to", "`from` and `to` are addresses of different protocols");
        }
        Ok(())
    }
}

impl HasFootprint for UfwPreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        if let Some(rule) = self.rule() {
            let place = rule.arguments().split_off(1).join(" ");
            footprint.manages("rule of ufw", &place);
        }
        let policies = self.default.clone().unwrap_or_default();
        let policies = [policies.incoming, policies.outgoing, policies.routed];
        for (name, _) in task::POLICIES.into_iter().zip(policies).filter(|(_, policy)| policy.is_some()) {
            footprint.manages("policy of ufw", name);
        }
        if self.enabled.is_some() {
            footprint.manages("firewall", "ufw");
        }
    }
}

impl Resource for UfwPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Ufw> {
        let wanted = self.rule();
        let Defaults { incoming, outgoing, routed } = self.default.unwrap_or_default();
        Ok(Ufw {
            rule: wanted.as_ref().map(Rule::to_string).unwrap_or_default(),
            state: self.state,
            wanted,
            policies: [incoming, outgoing, routed],
            enabled: self.enabled,
            lock_out: self.lock_out,
            steps: Vec::new(),
        })
    }
}
