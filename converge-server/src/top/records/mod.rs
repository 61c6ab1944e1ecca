//! The parts of resources that the screen shows.

mod assignment;
mod history;
mod raw_resource;

use jiff::Timestamp;

use super::status_text::{StyledText, Tone, clean, plain, short};

pub(super) use assignment::Assignment;
pub(super) use history::{History, Plans};
pub(super) use raw_resource::Raw;

/// The shown part of the resources of a type.
pub(super) trait Record: Send + 'static {
    /// The URL path of all resources of the type, below `converge.v1`.
    const PATH: &'static str;

    fn read(raw: &Raw) -> Self;
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) state: StyledText,
    /// The reason for the state.
    pub(super) why: String,
    pub(super) labels: String,
    pub(super) description: String,
}

impl Record for Node {
    const PATH: &'static str = "node?partition=*";

    fn read(raw: &Raw) -> Self {
        let ready = raw.condition("nodes", "ready");
        let state = match ready {
            _ if raw.is("suspended") => StyledText::new(Tone::Unknown, "suspended"),
            Some(ready) if ready.state == "true" => StyledText::new(Tone::Good, "ready"),
            Some(ready) if ready.reason == "Silent" => StyledText::new(Tone::Bad, "silent"),
            _ => StyledText::new(Tone::Unknown, "never reported"),
        };
        Self {
            name: raw.id.shown(),
            state,
            why: ready.map(|ready| clean(&ready.message)).unwrap_or_default(),
            labels: raw.labels(),
            description: raw.text("description"),
        }
    }
}

/// The report of an agent.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) version: String,
    pub(super) heard: Option<Timestamp>,
    pub(super) facts: Vec<(String, String)>,
}

impl Record for Report {
    const PATH: &'static str = "nodereport?partition=*";

    fn read(raw: &Raw) -> Self {
        let facts = raw.data["facts"].as_object().into_iter().flatten();
        let facts =
            facts.map(|(name, value)| (clean(name), clean(value.as_str().unwrap_or_default()))).collect();
        Self { version: raw.text("version"), heard: raw.updated("agent"), facts }
    }
}

#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: String,
    pub(super) mode: String,
    pub(super) suspended: bool,
    /// The selector of the nodes.
    pub(super) nodes: String,
    pub(super) scheduled: StyledText,
    pub(super) applied: StyledText,
    pub(super) rolled_out: StyledText,
}

impl Record for Module {
    const PATH: &'static str = "module?partition=*&namespace=*";

    fn read(raw: &Raw) -> Self {
        let condition_text = |name: &str| {
            let Some(condition) = raw.condition("scheduler", name) else { return StyledText::default() };
            let (tone, word) = match condition.state.as_str() {
                "true" => (Tone::Good, "yes"),
                "false" => (Tone::Bad, "no"),
                _ => (Tone::Busy, "not known"),
            };
            let separator = if condition.message.is_empty() { "" } else { ": " };
            StyledText::new(tone, format!("{word}{separator}{}", clean(&condition.message)))
        };
        Self {
            name: raw.id.shown(),
            mode: plain(&raw.text("mode"), "MODE_"),
            suspended: raw.is("suspended"),
            nodes: raw.text("nodes"),
            scheduled: condition_text("scheduled"),
            applied: condition_text("applied"),
            rolled_out: condition_text("rolled_out"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Rollout {
    pub(super) name: String,
    /// The key of the module.
    pub(super) module: String,
    pub(super) phase: StyledText,
    /// The reason for the end, or the progress.
    pub(super) why: String,
    pub(super) version: String,
    pub(super) began: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
}

impl Record for Rollout {
    const PATH: &'static str = "rollout?partition=*&namespace=*";

    fn read(raw: &Raw) -> Self {
        let phase = plain(&raw.text("phase"), "PHASE_");
        let tone = match phase.as_str() {
            "running" => Tone::Busy,
            "complete" => Tone::Good,
            "failed" => Tone::Bad,
            _ => Tone::Unknown,
        };
        let progress = || raw.condition("scheduler", "complete").map(|condition| clean(&condition.message));
        let reason = raw.text("reason");
        let name = match &raw.owner {
            Some(module) => format!("{} {}", module.shown(), raw.text("number")),
            None => raw.id.shown(),
        };
        Self {
            name,
            module: raw.owner.as_ref().map(raw_resource::RawId::key).unwrap_or_default(),
            phase: StyledText::new(tone, phase),
            why: if reason.is_empty() { progress().unwrap_or_default() } else { reason },
            version: short(&raw.reference("to").name),
            began: raw.time("began"),
            ended: raw.time("ended"),
        }
    }
}

#[derive(Debug)]
pub(super) struct Event {
    pub(super) what: StyledText,
    /// The subject of the event, which may no longer exist.
    pub(super) about: String,
    pub(super) message: String,
    pub(super) last: Option<Timestamp>,
    pub(super) times: String,
}

impl Record for Event {
    const PATH: &'static str = "event?partition=*";

    fn read(raw: &Raw) -> Self {
        let is_warning = raw.text("severity") == "SEVERITY_WARNING";
        // The sign marks a warning without relying on colour.
        let (tone, sign) = if is_warning { (Tone::Bad, "! ") } else { (Tone::Good, "") };
        let subject = raw.reference("about");
        Self {
            what: StyledText::new(tone, format!("{sign}{}", raw.text("reason"))),
            about: format!("{} {}", clean(&subject.resource_type.kind).to_ascii_lowercase(), subject.shown()),
            message: raw.text("message"),
            last: raw.time("last"),
            times: raw.text("times"),
        }
    }
}
