//! The `firewall.ufw` resource: the firewall of Ubuntu and related systems.

mod rule;
mod status;
mod task;
#[cfg(test)]
mod tests;

use converge_sdk::footprint::Footprint;
use converge_sdk::prelude::*;
use converge_sdk::value::{FieldError, FieldErrorKind};

pub use task::Ufw;

use super::network::Network;
use rule::{Action, Direction, Ports, Protocol, Rule};
use status::Policy;

/// The policies for packets that match no rule.
#[derive(Clone, Debug, Default, HclBlock)]
struct Defaults {
    /// The policy for packets to the machine.
    incoming: Option<Policy>,
    /// The policy for packets from the machine.
    outgoing: Option<Policy>,
    /// The policy for packets that the machine routes.
    routed: Option<Policy>,
}

/// Ensures that `ufw` has a rule, or that it does not; sets its policies; and turns it on or off.
///
/// A rule is identified by the connections that it is about, without its comment. Another action for the same
/// connections replaces the rule in place. New rules are added after the existing ones; those of one module,
/// in the order in which they are written. ufw applies the first rule that matches.
///
/// # Guarantees
///
/// All other rules stay as they are. A change that would lock out the SSH session of this run is refused.
/// Outside of a session, or if a program such as `sudo` hides it, a change that would lock out connections to
/// the port of sshd is refused. `lock_out = true` allows such a change.
///
/// # Caveats
///
/// Rules for routed packets, with logging, or with application profiles cannot be declared, and stay. Ports
/// are numbers.
#[derive(Debug, Preparer)]
#[preparer(name = "firewall.ufw", task = Ufw, validate, footprint, lock = "ufw", example = "example.hcl")]
pub struct UfwPreparer {
    /// The treatment of the connections that the rule is about. Without it there is no rule.
    #[hcl(alias = "rule", touches = "ufw_rules at all")]
    action: Option<Action>,
    /// The destination port, a range `"8000:8100"`, or a list of these `"80,443"`.
    #[hcl(requires = "action")]
    port: Option<Ports>,
    /// The source address or network; without it, any.
    #[hcl(requires = "action")]
    from: Option<Network>,
    /// The source port.
    #[hcl(requires = "action")]
    from_port: Option<Ports>,
    /// The destination address or network; without it, any.
    #[hcl(requires = "action")]
    to: Option<Network>,
    /// The protocol; without it, any. Several ports need `tcp` or `udp`.
    #[hcl(requires = "action")]
    proto: Option<Protocol>,
    /// The direction of the connections. The default is `in`.
    #[hcl(requires = "action")]
    direction: Option<Direction>,
    /// The name of the interface that the connections pass.
    #[hcl(
        requires = "action",
        pattern = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,14}\\+?$",
        expects = "the name of an interface, such as eth0"
    )]
    interface: Option<String>,
    /// The comment of the rule.
    #[hcl(requires = "action", pattern = "^[^'\\x00-\\x1f\\x7f]*$", expects = "one line without '")]
    comment: Option<String>,
    /// Whether the rule is to be present.
    #[hcl(default, removes = "absent")]
    state: Ensure,
    /// The policies for packets that match no rule: `{ incoming = "deny" }`.
    default: Option<Defaults>,
    /// Whether the firewall is on, now and after each boot.
    enabled: Option<bool>,
    /// Whether a change may lock out the session of this run.
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
        let refuse = |field: &str, message: &str| {
            let message = message.to_owned();
            Err(vec![FieldError::new(field, FieldErrorKind::Invalid { message })])
        };
        let is_empty = |defaults: &Defaults| {
            defaults.incoming.is_none() && defaults.outgoing.is_none() && defaults.routed.is_none()
        };
        if self.action.is_none() && self.enabled.is_none() && self.default.as_ref().is_none_or(is_empty) {
            return refuse(
                "action",
                "nothing is declared: write `action` for a rule, `default` or `enabled`",
            );
        }
        if self.action.is_none() && self.state == Ensure::Absent {
            return refuse("state", "it belongs to a rule: write `action` too");
        }
        let is_several = [&self.port, &self.from_port].into_iter().flatten().any(Ports::is_several);
        let has_ports = matches!(self.proto, Some(Protocol::Tcp | Protocol::Udp));
        if is_several && !has_ports {
            return refuse("proto", "several ports need `tcp` or `udp`");
        }
        if self.proto.is_some() && !has_ports && (self.port.is_some() || self.from_port.is_some()) {
            return refuse("proto", "this protocol has no ports");
        }
        if let (Some(from), Some(to)) = (&self.from, &self.to)
            && from.is_ipv4() != to.is_ipv4()
        {
            return refuse("to", "`from` and `to` are addresses of different protocols");
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
        let rule = self.rule();
        let Defaults { incoming, outgoing, routed } = self.default.unwrap_or_default();
        Ok(Ufw {
            rule: rule.as_ref().map(Rule::to_string).unwrap_or_default(),
            state: self.state,
            wanted: rule,
            policies: [incoming, outgoing, routed],
            enabled: self.enabled,
            lock_out: self.lock_out,
            steps: Vec::new(),
        })
    }
}
