//! What ufw has, in its own words.

use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::Command;

use super::rule::Rule;
use crate::firewall::session::Session;
use crate::tools;

/// Its policies, and more.
const DEFAULTS: &str = "/etc/default/ufw";

/// Whether it is started with the machine.
const CONFIG: &str = "/etc/ufw/ufw.conf";

/// More than such a file has.
const FILE_BYTES: u64 = 1 << 20;

/// What becomes of packets that no rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum Policy {
    /// They are let through.
    Allow,
    /// They are dropped.
    Deny,
    /// They are refused.
    Reject,
}

/// The firewall as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Firewall {
    /// Whether packets are filtered now.
    pub(super) active: bool,
    /// Whether they are after a boot.
    pub(super) starts: bool,
    /// What becomes of other packages: incoming, outgoing, routed.
    pub(super) policies: [Policy; 3],
    /// The rules of users, in their order, without those that no resource declares.
    pub(super) rules: Vec<Rule>,
}

impl Firewall {
    pub(super) async fn find(cx: &Context) -> Result<Self> {
        let status = ask(cx, &["status"]).await?;
        let added = ask(cx, &["show", "added"]).await?;
        let defaults = text(cx, DEFAULTS).await?;
        let policy = |name: &str, usual: Policy| {
            policy(value(&defaults, &format!("DEFAULT_{name}_POLICY"))).unwrap_or(usual)
        };
        Ok(Self {
            active: status.lines().any(|line| line.trim() == "Status: active"),
            starts: value(&text(cx, CONFIG).await?, "ENABLED").eq_ignore_ascii_case("yes"),
            policies: [
                policy("INPUT", Policy::Deny),
                policy("OUTPUT", Policy::Allow),
                policy("FORWARD", Policy::Deny),
            ],
            rules: added.lines().filter_map(|line| Rule::parse(line.trim())).collect(),
        })
    }

    /// The port of the session to which nobody would come any more.
    pub(super) fn keeps_out(&self, session: &Session) -> Option<u16> {
        if !self.active && !self.starts {
            return None;
        }
        session.ports.iter().copied().find(|port| !self.lets_in(session, *port))
    }

    fn lets_in(&self, session: &Session, port: u16) -> bool {
        // What is not known is taken for the session where it lets in, and for others where it does not.
        let decides = |rule: &&Rule| rule.concerns(session.ends, port, rule.action.lets_in());
        match self.rules.iter().find(decides) {
            Some(rule) => rule.action.lets_in(),
            None => self.policies[0] == Policy::Allow,
        }
    }

    /// With a rule added, as ufw does it: one that is about the same connections is replaced where it is.
    pub(super) fn add(&mut self, rule: &Rule) {
        match self.rules.iter_mut().find(|other| other.is_of_same(rule)) {
            Some(other) => *other = rule.clone(),
            None => self.rules.push(rule.clone()),
        }
    }
}

async fn ask(cx: &Context, words: &[&str]) -> Result<String> {
    let (line, output) = tools::try_look(cx, Command::new("ufw").args(words.iter().copied())).await?;
    if output.exit.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(tools::failed(line, &output))
}

async fn text(cx: &Context, path: &str) -> Result<String> {
    let found = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
    Ok(found.map(|found| String::from_utf8_lossy(&found.bytes).into_owned()).unwrap_or_default())
}

/// The value of a variable in a file that a shell reads.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text.lines().rev();
    let found = lines.find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_default().trim_matches(['"', '\''])
}

fn policy(word: &str) -> Option<Policy> {
    match word {
        "ACCEPT" => Some(Policy::Allow),
        "DROP" => Some(Policy::Deny),
        "REJECT" => Some(Policy::Reject),
        _ => None,
    }
}
