//! The `converge token create` command.

use std::fmt::Write as _;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::name::named;
use crate::args::{ServerArgs, duration};
use crate::console::print;
use crate::error::CliError;
use crate::exit::Exit;

/// The default lifetime of a join token.
const JOIN_LIFETIME: Duration = Duration::from_hours(1);
/// The number of random bytes in a token; 256 bits cannot be guessed.
const BYTES: usize = 32;
/// The longest lifetime of a token; a token without `--expires` does not expire.
const MAX_LIFETIME: Duration = Duration::from_hours(24 * 366 * 100);

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  converge token create ci --allow read,list,write=converge.*.* --namespace web --expires 90d
  converge token create wall --read-only
  (umask 077; converge token create anna --admin > ~/.converge-token)
  (umask 077; converge token create rack-7 --join --node web-1 > join.token)")]
pub(super) struct CreateArgs {
    /// The name of the token
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    may: MayArgs,

    /// Let only this node join, with a new certificate if it has one [default: any node that has none]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true, requires = "join")]
    node: String,

    /// A label of the node, if joining creates it. If any is given, the labels that the agent reports are
    /// ignored
    #[arg(long = "label", value_name = "KEY=TEXT", value_parser = label, requires = "join")]
    labels: Vec<(String, String)>,

    /// Restrict the token to this partition
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        conflicts_with_all = ["admin", "join"]
    )]
    partition: String,

    /// Restrict the token to this namespace
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true,
        conflicts_with_all = ["admin", "join"]
    )]
    namespace: String,

    /// The lifetime of the token, such as `12h` or `90d` [default: until it is revoked; with --join 1h]
    #[arg(long, value_name = "DURATION", value_parser = days)]
    expires: Option<Duration>,

    /// The holder or the purpose of the token
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    description: String,

    #[command(flatten)]
    server: ServerArgs,
}

/// The permissions of the holder of a token.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct MayArgs {
    /// Allow everything
    #[arg(long, conflicts_with_all = ["read_only", "allow"])]
    admin: bool,

    /// Allow to read, list and watch everything
    #[arg(long)]
    read_only: bool,

    /// Allow some of `read`, `list` and `write` on types, such as `read,list=demo.*.Artist`; `*` is every
    /// type. `write` includes reporting a status and deleting
    #[arg(long, value_name = "VERBS=TYPES", value_parser = allowed)]
    allow: Vec<Allowed>,

    /// Let one node join, once: `converge agent --join-token-file FILE`. The token allows nothing else
    #[arg(long, conflicts_with_all = ["admin", "read_only", "allow"])]
    join: bool,
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, text)) if !key.is_empty() => Ok((key.to_owned(), text.to_owned())),
        _ => Err("write it like role=web".to_owned()),
    }
}

/// Verbs and types, as sent to the server.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Allowed {
    verbs: Vec<&'static str>,
    types: Vec<String>,
}

/// Parses a duration that may also be in days, a unit that durations in modules do not have.
fn days(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let time = days.map_or_else(|| duration(text), |days| Ok(Duration::from_hours(24) * days))?;
    if time.is_zero() || time > MAX_LIFETIME {
        return Err("the time must be more than 0 and less than 100 years".to_owned());
    }
    Ok(time)
}

fn allowed(text: &str) -> Result<Allowed, String> {
    let (verbs, types) = text.split_once('=').ok_or("write it like read,list=demo.*.Artist")?;
    let verbs = verbs.split(',').map(|verb| match verb.trim() {
        "read" => Ok("VERB_READ"),
        "list" => Ok("VERB_LIST"),
        "write" => Ok("VERB_WRITE"),
        other => Err(format!("{other:?} is not a verb: write read, list or write")),
    });
    let types = types.split(',').map(|name| name.trim().to_owned()).collect();
    Ok(Allowed { verbs: verbs.collect::<Result<_, _>>()?, types })
}

impl CreateArgs {
    pub(super) fn run(&self) -> Result<Exit, CliError> {
        let server = self.server.open()?;
        let types = server.types()?;
        let id = named(&types, &self.name)?;
        match server.read(&id, true) {
            Err(error) if error.is("not_found") => {}
            Err(error) => return Err(error.into()),
            Ok(_) => {
                let name = &self.name;
                return Err(CliError::Message(format!(
                    "the token {name} already exists: revoke it with `converge token revoke {name}`, or choose another name"
                )));
            }
        }
        let token = format!("converge_{}_{}", self.name, hexadecimal(&random()?));
        let mut data = json!({
            "description": self.description,
            "sha256": hexadecimal(&Sha256::digest(token.as_bytes())),
            "rules": self.rules(),
            "partition": self.partition,
            "namespace": self.namespace,
        });
        if self.may.join {
            data["join"] = json!({ "node": self.node, "labels": self.labels() });
        }
        if let Some(time) = self.expires.or(self.may.join.then_some(JOIN_LIFETIME)) {
            let end =
                Timestamp::now().checked_add(time).map_err(|error| CliError::Message(error.to_string()))?;
            data["expires"] = json!(end.to_string());
        }
        server.write(&id, &json!({ "data": data }), false)?;
        // The token is printed only after the server has stored it.
        print(&format!("{token}\n"))?;
        Ok(Exit::Done)
    }

    fn labels(&self) -> Json {
        self.labels.iter().map(|(key, text)| (key.clone(), Json::from(text.as_str()))).collect()
    }

    fn rules(&self) -> Vec<Json> {
        let everything = || vec!["*".to_owned()];
        let MayArgs { admin, read_only, allow, join: _ } = &self.may;
        let mut allowed = allow.clone();
        if *admin {
            allowed
                .push(Allowed { verbs: vec!["VERB_READ", "VERB_LIST", "VERB_WRITE"], types: everything() });
        }
        if *read_only {
            allowed.push(Allowed { verbs: vec!["VERB_READ", "VERB_LIST"], types: everything() });
        }
        let rule = |Allowed { verbs, types }| json!({ "types": types, "verbs": verbs, "partition": self.partition, "namespace": self.namespace });
        allowed.into_iter().map(rule).collect()
    }
}

/// Returns unpredictable bytes.
fn random() -> Result<[u8; BYTES], CliError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| CliError::Start(error.into()))?;
    Ok(bytes)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed() {
        let expect = Allowed {
            verbs: vec!["VERB_READ", "VERB_LIST"],
            types: vec!["demo.*.*".into(), "a.v1.B".into()],
        };
        assert_eq!(allowed("read, list=demo.*.*,a.v1.B"), Ok(expect));
        assert_eq!(allowed("*").unwrap_err(), "write it like read,list=demo.*.Artist");
        assert_eq!(allowed("delete=*").unwrap_err(), "\"delete\" is not a verb: write read, list or write");
    }

    #[test]
    fn how_long() {
        let check = |text: &str, expect: Option<u64>| {
            assert_eq!(days(text).ok().map(|time| time.as_secs()), expect, "{text}");
        };
        check("90d", Some(90 * 86_400));
        check("1h30m", Some(5_400));
        for invalid in ["", "0s", "0d", "-1d", "1.5d", "d", "99999d"] {
            check(invalid, None);
        }
    }
}
