//! The state of ufw, from its files and its output.

use std::path::Path;

use converge_sdk::prelude::*;
use converge_sdk::system::Command;

use super::rule::Rule;
use crate::firewall::session::Session;
use crate::tools;

/// The file with the policies of ufw.
const DEFAULTS: &str = "/etc/default/ufw";

/// The file that says whether ufw starts with the machine.
const CONFIG: &str = "/etc/ufw/ufw.conf";

/// The maximum number of bytes read of a file.
const FILE_BYTES: u64 = 1 << 20;

/// The treatment of packets that match no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, HclEnum)]
pub(crate) enum Policy {
    /// They are allowed.
    Allow,
    /// They are dropped.
    Deny,
    /// They are refused.
    Reject,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Firewall {
    /// Whether packets are filtered now.
    pub(super) active: bool,
    /// Whether packets are filtered after a boot.
    pub(super) starts: bool,
    /// The policies for other packets: incoming, outgoing, routed.
    pub(super) policies: [Policy; 3],
    /// The user rules in order, without those that no resource declares.
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

    /// Returns the port of the session that the firewall blocks.
    pub(super) fn keeps_out(&self, session: &Session) -> Option<u16> {
        if !self.active && !self.starts {
            return None;
        }
        session.ports.iter().copied().find(|port| !self.lets_in(session, *port))
    }

    fn lets_in(&self, session: &Session, port: u16) -> bool {
        // For unknown properties of the session, an allowing rule is assumed to match, and a refusing rule
        // not to match.
        let decides = |rule: &&Rule| rule.concerns(session.ends, port, rule.action.lets_in());
        match self.rules.iter().find(decides) {
            Some(rule) => rule.action.lets_in(),
            None => self.policies[0] == Policy::Allow,
        }
    }

    /// Adds a rule as ufw does: a rule about the same connections is replaced in place.
    pub(super) fn add(&mut self, rule: &Rule) {
        match self.rules.iter_mut().find(|entry| entry.has_same_connections(rule)) {
            Some(entry) => *entry = rule.clone(),
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
    let head = cx.system().files().read_head(Path::new(path), FILE_BYTES).await?;
    Ok(head.map(|head| String::from_utf8_lossy(&head.bytes).into_owned()).unwrap_or_default())
}

/// Returns the value of a variable in a shell file.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text.lines().rev();
    let word = lines.find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
    word.unwrap_or_default().trim_matches(['"', '\''])
}

fn policy(word: &str) -> Option<Policy> {
    match word {
        "ACCEPT" => Some(Policy::Allow),
        "DROP" => Some(Policy::Deny),
        "REJECT" => Some(Policy::Reject),
        _ => None,
    }
}
