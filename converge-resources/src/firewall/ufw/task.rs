use converge_sdk::prelude::*;

use super::rule::Rule;
use super::status::{Firewall, Policy};
use crate::firewall::session::Session;
use crate::steps::{self, Findings, Stepwise};
use crate::tools;

/// The names of the policies, in the order of [`Firewall`].
pub(super) const POLICIES: [&str; 3] = ["incoming", "outgoing", "routed"];

/// The task of a `firewall.ufw` resource.
#[derive(Debug, Export)]
pub struct Ufw {
    /// The rule in the syntax of ufw; empty if none is declared.
    #[export]
    pub(super) rule: String,
    /// Whether the rule is to be there: `present` or `absent`.
    #[export]
    pub(super) state: Ensure,
    pub(super) wanted: Option<Rule>,
    pub(super) policies: [Option<Policy>; 3],
    pub(super) enabled: Option<bool>,
    pub(super) lock_out: bool,
    pub(super) steps: Vec<UfwStep>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UfwStep {
    Add,
    /// Remove the existing rule, with its own comment or action.
    Remove,
    /// Set the policy with this index.
    Policy(usize),
    /// Turn the firewall on or off.
    Enable(bool),
}

impl Ufw {
    /// Collects the changes to make, and returns the resulting state of the firewall.
    fn compare(&self, mut firewall: Firewall, findings: &mut Findings<UfwStep>) -> Firewall {
        if let Some(target) = &self.wanted {
            let index = firewall.rules.iter().position(|rule| rule.has_same_connections(target));
            let current = index.and_then(|index| firewall.rules.get(index)).cloned();
            let text =
                |rule: &Option<Rule>| rule.as_ref().map_or_else(|| "absent".to_owned(), Rule::to_string);
            match self.state {
                Ensure::Present if current.as_ref() != Some(target) => {
                    findings.status.add_difference("rule", text(&current), target.to_string());
                    findings.steps.push(UfwStep::Add);
                    firewall.add(target);
                }
                Ensure::Absent if current.as_ref().is_some_and(|rule| rule.action == target.action) => {
                    findings.status.add_difference("rule", text(&current), "absent");
                    findings.steps.push(UfwStep::Remove);
                    firewall.rules.retain(|rule| !rule.has_same_connections(target));
                }
                Ensure::Present | Ensure::Absent => {}
            }
        }
        let policies = firewall.policies.iter_mut().zip(self.policies).zip(POLICIES).enumerate();
        for (index, ((current, target), name)) in policies {
            if let Some(wanted) = target.filter(|target| target != current) {
                findings.status.add_difference(format!("default {name}"), current.as_str(), wanted.as_str());
                findings.steps.push(UfwStep::Policy(index));
                *current = wanted;
            }
        }
        if let Some(enabled) = self.enabled
            && (firewall.active, firewall.starts) != (enabled, enabled)
        {
            let current = match (firewall.active, firewall.starts) {
                (true, true) => "true",
                (true, false) => "until the next boot",
                (false, true) => "from the next boot",
                (false, false) => "false",
            };
            findings.status.add_difference("enabled", current, enabled.to_string());
            // The firewall is turned on last, and off first.
            let position = if enabled { findings.steps.len() } else { 0 };
            findings.steps.insert(position, UfwStep::Enable(enabled));
            (firewall.active, firewall.starts) = (enabled, enabled);
        }
        firewall
    }

    /// Refuses a change that would block the next session.
    async fn guard(
        &self,
        cx: &Context,
        before: &Firewall,
        after: &Firewall,
        look: &mut Findings<UfwStep>,
    ) -> Result<()> {
        if self.lock_out || look.steps.is_empty() {
            return Ok(());
        }
        let Some(session) = Session::find(cx).await? else { return Ok(()) };
        let (Some(port), None) = (after.keeps_out(&session), before.keeps_out(&session)) else {
            return Ok(());
        };
        let message = format!(
            "this would lock out {}: add a rule that allows it first, or accept that with `lock_out = true`",
            session.shown(port)
        );
        if cx.pending().is_empty() {
            look.status.set_error(message);
        } else {
            look.status.add_message(format!("unless a rule comes first: {message}"));
            look.status.raise_level(StatusLevel::MayChange);
        }
        Ok(())
    }
}

#[async_trait]
impl Stepwise for Ufw {
    const TYPE: &'static str = "firewall.ufw";
    const ONLY_LINUX: &'static str = "ufw is a firewall of Linux";
    type Step = UfwStep;

    async fn inspect(&self, cx: &Context) -> Result<Findings<UfwStep>> {
        let mut findings = Findings::new();
        let before = Firewall::find(cx).await?;
        let after = self.compare(before.clone(), &mut findings);
        findings.status.raise_level_for_diffs();
        self.guard(cx, &before, &after, &mut findings).await?;
        Ok(findings)
    }

    async fn make(&self, cx: &Context, step: &UfwStep) -> Result<()> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let arguments = match (step, &self.wanted) {
            (UfwStep::Add, Some(rule)) => {
                let comment =
                    (!rule.comment.is_empty()).then(|| ["comment".to_owned(), rule.comment.clone()]);
                [rule.arguments(), comment.into_iter().flatten().collect()].concat()
            }
            (UfwStep::Remove, Some(rule)) => [words(&["--force", "delete"]), rule.arguments()].concat(),
            (UfwStep::Add | UfwStep::Remove, None) => return Ok(()),
            (UfwStep::Policy(at), _) => {
                let policy = self.policies.get(*at).copied().flatten().zip(POLICIES.get(*at));
                let Some((policy, name)) = policy else { return Ok(()) };
                words(&["default", policy.as_str(), name])
            }
            (UfwStep::Enable(true), _) => words(&["--force", "enable"]),
            (UfwStep::Enable(false), _) => words(&["disable"]),
        };
        tools::change(cx, "ufw", arguments).await
    }
}

steps::task!(Ufw);
