//! The JSON Schema of events.

use serde_json::{Map, Value, json};

use super::DRAFT;
use crate::diagnostic::Limit;
use crate::sdk::status::StatusLevel;
use converge_engine::{HeldBy, LockKind, Outcome, Stage};

/// Returns a JSON Schema (2020-12) for the lines of events and diagnostics.
///
/// The functions of [`view::json`](crate::json) produce such lines.
///
/// The commands `converge plan --format json` and `apply --format json` write these lines. Readers must
/// ignore what they do not know: a later version may have more kinds of events and more fields.
pub fn event() -> Value {
    let cases: Vec<Value> = kinds().into_iter().map(|(name, fields)| kind(name, fields)).collect();
    json!({
        "$schema": DRAFT,
        "title": "An event of Converge",
        "oneOf": cases,
        "$defs": definitions(),
    })
}

/// The fields of one kind of event: name, schema, and whether the field is always present.
type Fields = Vec<(&'static str, Value, bool)>;

fn kind(name: &str, mut fields: Fields) -> Value {
    fields.push(("event", json!({ "enum": [name] }), true));
    // These lines come before a run, so they have no run and no time.
    if ![MODULE, DIAGNOSTIC].contains(&name) {
        fields.push(("run", json!({ "type": "string", "description": "The name of the run." }), true));
        let time = "When it happened, as RFC 3339 has it; no earlier than the event before it.";
        fields.push(("time", json!({ "type": "string", "description": time }), true));
    }
    object(fields)
}

/// The line that the command writes before the events of each given module.
const MODULE: &str = "module";

const DIAGNOSTIC: &str = "diagnostic";

fn object(fields: Fields) -> Value {
    let required: Vec<&str> = fields.iter().filter(|(.., always)| *always).map(|(name, ..)| *name).collect();
    let required = json!(required);
    let properties: Map<String, Value> =
        fields.into_iter().map(|(name, schema, _)| (name.to_owned(), schema)).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn number(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": description })
}

fn undone() -> Fields {
    let mut fields = report();
    fields.push(("by", reference("id"), true));
    fields.push(("was", json!({ "enum": ["unchanged", "changed"] }), true));
    fields
}

/// Returns all kinds of events with their names in JSON.
pub(super) fn kinds() -> Vec<(&'static str, Fields)> {
    let id = || ("id", reference("id"), true);
    let holder = || ("holder", reference("holder"), true);
    let word = |words: &[&str]| json!({ "enum": words });
    vec![
        (MODULE, vec![("file", text("The module that what follows is about."), true)]),
        (DIAGNOSTIC, diagnostic()),
        ("waiting", vec![holder()]),
        ("apply-under-way", vec![holder()]),
        (
            "refresh-forgotten",
            vec![
                ("node", text("The resource that owed it."), true),
                ("module", text("The root module that it was in."), true),
                ("since", text("Since when."), true),
                ("causes", texts("What was changed then."), true),
            ],
        ),
        (
            "run-started",
            vec![
                ("mode", word(&["plan", "apply"]), true),
                ("resources", number("How many resources there are."), true),
            ],
        ),
        (
            "instances-known",
            vec![
                id(),
                ("resources", number("How many resources more the run works on."), true),
                ("unknown", number("How many `for_each` in them are known later."), true),
            ],
        ),
        ("resource-started", vec![id()]),
        (
            "resource-waiting",
            vec![
                id(),
                ("lock", word(&["group", "type", "duplicate"]), true),
                ("name", text("The name of the group, or of the lock of the type."), false),
                ("held_by", word(&["this-run", "another-run"]), true),
            ],
        ),
        ("resource-stage", vec![id(), ("stage", json!({ "enum": Stage::ALL }), true)]),
        (
            "resource-bytes",
            vec![
                id(),
                (
                    "done",
                    number("The number of bytes that are done; fewer than before mean a new start."),
                    true,
                ),
                ("total", number("How many there are in all, where that is known."), false),
            ],
        ),
        ("resource-step", vec![id(), ("text", text("What is done now."), true)]),
        (
            "resource-output",
            vec![
                id(),
                ("stream", word(&["stdout", "stderr"]), true),
                ("line", text("A line that a program printed, without its end."), true),
                ("left_out", number("How many bytes at its end are left out."), false),
            ],
        ),
        (
            "attempt-failed",
            vec![
                id(),
                ("attempt", number("The number of the attempt."), true),
                ("attempts", number("How many there are at most."), true),
                ("wait_seconds", reference("seconds"), true),
                ("reason", text("Why it failed."), true),
            ],
        ),
        (
            "progress-left-out",
            vec![("events", number("How many events of progress are left out here."), true)],
        ),
        ("resource-finished", report()),
        ("resource-undone", undone()),
        (
            "interrupted",
            vec![
                ("interrupt", word(&["finish", "cancel"]), true),
                ("running", json!({ "type": "array", "items": reference("id") }), true),
            ],
        ),
        (
            "output",
            vec![
                ("name", text("The name of an output of the root module."), true),
                ("description", text("The description of the value in the module."), false),
                ("state", word(&["known", "sensitive", "unknown", "missing"]), true),
                ("value", json!({ "description": "The value, when it is known." }), false),
            ],
        ),
        ("run-finished", vec![("summary", reference("summary"), true)]),
    ]
}

fn report() -> Fields {
    let list_of = |of: Value| json!({ "type": "array", "items": of });
    vec![
        ("id", reference("id"), true),
        (
            "role",
            json!({ "enum": ["param", "output", "module", "begin", "switch", "case", "for-each"] }),
            false,
        ),
        ("outcome", json!({ "enum": Outcome::ALL }), true),
        ("level", json!({ "enum": StatusLevel::ALL }), true),
        ("health", json!({ "enum": ["healthy", "warning", "error"] }), false),
        ("differences", list_of(reference("difference")), false),
        ("messages", texts("The messages of the resource."), false),
        (
            "announces",
            json!({ "const": true, "description": "The messages are to be read also when nothing is changed." }),
            false,
        ),
        ("warnings", texts("What the resource warns of."), false),
        ("failure", reference("failure"), false),
        (
            "optional",
            json!({ "const": true, "description": "A run in which it fails is a success all the same." }),
            false,
        ),
        ("skipped", reference("skipped"), false),
        ("pending", reference("id"), false),
        ("waited", list_of(reference("waited")), false),
        ("elapsed_seconds", reference("seconds"), true),
    ]
}

fn diagnostic() -> Fields {
    let limits: Vec<&str> = Limit::ALL.iter().map(|limit| limit.name()).collect();
    let limit = object(vec![
        ("limit", json!({ "enum": limits }), true),
        ("most", number("What it is set to."), true),
    ]);
    vec![
        ("code", text("The kind of mistake, which stays the same."), true),
        ("severity", json!({ "enum": ["error", "warning"] }), true),
        ("message", text("One line that names the thing."), true),
        ("labels", json!({ "type": "array", "items": reference("label") }), true),
        ("help", text("How to mend it."), false),
        ("limit", limit, false),
    ]
}

fn definitions() -> Value {
    let place = || json!({ "type": "integer", "minimum": 1 });
    let label = object(vec![
        ("file", text("The name of the file."), true),
        ("line", place(), true),
        ("column", place(), true),
        ("end_line", place(), true),
        ("end_column", place(), true),
        ("text", text("A few words, which may be none."), true),
    ]);
    let difference = object(vec![
        ("name", text("What differs: `mode`, `env.PATH`."), true),
        ("field", text("The field of the resource."), false),
        ("before", text("What is."), true),
        ("after", text("What is declared."), true),
        ("changes", json!({ "type": "boolean", "description": "Whether the two differ." }), true),
        (
            "unknown",
            json!({ "type": "boolean", "description": "What is declared is known to an apply only." }),
            false,
        ),
        ("secret", json!({ "type": "boolean", "description": "Neither side is shown." }), false),
        ("refresh", json!({ "type": "boolean", "description": "Whether this is a refresh." }), false),
    ]);
    let mut mistake = diagnostic();
    mistake.push(("event", json!({ "enum": [DIAGNOSTIC] }), true));
    let failure = object(vec![
        ("stage", json!({ "enum": Stage::ALL }), true),
        ("message", text("Why, in one line or more."), true),
        ("diagnostics", json!({ "type": "array", "items": object(mistake) }), false),
    ]);
    let skipped = object(vec![
        ("cause", reference("id"), true),
        ("reason", text("What went wrong there, or was not true."), true),
    ]);
    let waited = object(vec![
        ("lock", json!({ "enum": LockKind::ALL }), true),
        ("name", text("The name of the group, or of the lock of the type."), false),
        ("held_by", json!({ "enum": HeldBy::ALL }), true),
        ("elapsed_seconds", reference("seconds"), true),
    ]);
    let count = |name| (name, number("How many resources had this outcome."), true);
    let mut summary: Fields =
        ["unchanged", "will_change", "may_change", "changed", "failed", "skipped", "not_run", "not_taken"]
            .map(count)
            .into();
    summary.push((
        "forgiven",
        number("How many failed and are optional, or were skipped only for that."),
        true,
    ));
    summary.push(("left_out", number("How many resources the run was not about."), true));
    summary.push(("changes", number("How many differences were corrected, or would be."), true));
    let booting = "Whether the run ended because the machine boots; left out when it did not.";
    summary.push(("is_booting", json!({ "type": "boolean", "description": booting }), false));
    summary.push(("elapsed_seconds", reference("seconds"), true));
    json!({
        "id": { "type": "string", "pattern": "^root(/|$)", "description": "The path of a node." },
        "seconds": { "type": "number", "minimum": 0 },
        "holder": holder(),
        "label": label,
        "difference": difference,
        "failure": failure,
        "skipped": skipped,
        "waited": waited,
        "summary": object(summary),
    })
}

/// Returns the schema of the holder of a run lock.
fn holder() -> Value {
    let process = || number("The process.");
    let run = object(vec![
        ("kind", json!({ "enum": ["run"] }), true),
        ("pid", process(), true),
        ("module", text("The root module that it applies."), true),
        ("since", text("Since when it has the lock."), true),
    ]);
    let program = object(vec![("pid", process(), true), ("program", text("Without its arguments."), true)]);
    let leftovers = object(vec![
        ("kind", json!({ "enum": ["leftovers"] }), true),
        ("processes", json!({ "type": "array", "items": program }), true),
        ("module", text("The root module that the run applied, when that is known."), false),
    ]);
    let unknown = object(vec![("kind", json!({ "enum": ["unknown"] }), true)]);
    json!({ "oneOf": [run, leftovers, unknown] })
}
