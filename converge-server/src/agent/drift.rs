//! The drift that a run found, as it is stored for people.

use std::fmt;
use std::sync::Arc;

use converge_core::engine::Outcome;
use converge_core::plan::{Report, ResourceResult};
use converge_core::view::render::{Shown, difference, sanitize, sanitize_line};

use crate::fleet::types::{Change, DifferingResource, NAME, ResourceOutcome, TEXT, shortened};

/// The maximum number of stored resources per run, and of changes and messages per resource.
const RESOURCES: usize = 100;
const CHANGES: usize = 50;
const MESSAGES: usize = 10;
/// The maximum size of all stored resources together in bytes, without the overhead of protobuf.
const SIZE: usize = 32 * 1024;
/// The maximum size of the diff of one text in bytes.
const DIFF: usize = 8 * 1024;

/// The resources with drift, and a note on those that were left out.
///
/// Copies are cheap.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Drift {
    resources: Arc<[DifferingResource]>,
    /// The note on the left out resources; empty if there are none.
    left_out: String,
}

/// Abbreviated for logs.
impl fmt::Debug for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} resources", self.resources.len())
    }
}

impl Drift {
    pub(super) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.left_out.is_empty()
    }

    pub(super) fn resources(&self) -> &[DifferingResource] {
        &self.resources
    }

    pub(super) fn left_out(&self) -> &str {
        &self.left_out
    }

    /// Creates the drift of one resource that would change.
    #[cfg(test)]
    pub(super) fn from_name(name: &str) -> Self {
        let outcome = ResourceOutcome::WillChange;
        let resource = DifferingResource { name: name.to_owned(), outcome, ..DifferingResource::default() };
        Self { resources: Arc::new([resource]), left_out: String::new() }
    }
}

impl From<&Report> for Drift {
    fn from(report: &Report) -> Self {
        let differing: Vec<_> =
            report.resources.iter().filter_map(|one| Some((one, outcome(one)?))).collect();
        let (mut resources, mut room) = (Vec::new(), SIZE);
        for (result, outcome) in differing.iter().take(RESOURCES) {
            let one = resource(result, *outcome);
            let Some(rest) = room.checked_sub(size(&one)) else { break };
            room = rest;
            resources.push(one);
        }
        let left_out = match differing.len() - resources.len() {
            0 => String::new(),
            more => format!(
                "{more} more {} left out: of a run at most {RESOURCES} resources and {} KiB are kept.",
                if more == 1 { "resource is" } else { "resources are" },
                SIZE / 1024
            ),
        };
        Self { resources: resources.into(), left_out }
    }
}

/// Returns the outcome to store, or `None` for an unchanged or skipped resource.
fn outcome(result: &ResourceResult) -> Option<ResourceOutcome> {
    Some(match result.outcome {
        Outcome::Unchanged | Outcome::NotTaken => return None,
        Outcome::WillChange => ResourceOutcome::WillChange,
        Outcome::MayChange => ResourceOutcome::MayChange,
        Outcome::Changed => ResourceOutcome::Changed,
        Outcome::Failed => ResourceOutcome::Failed,
        Outcome::Skipped => ResourceOutcome::Skipped,
        Outcome::NotRun => ResourceOutcome::NotRun,
        _ => ResourceOutcome::Unspecified,
    })
}

fn resource(result: &ResourceResult, outcome: ResourceOutcome) -> DifferingResource {
    let mut differences = result.differences.iter().filter(|difference| difference.changes);
    let mut changes: Vec<_> = differences.by_ref().take(CHANGES).map(change).collect();
    let more = differences.count();
    if more > 0 {
        changes.push(Change { name: format!("{more} more differences"), ..Change::default() });
    }
    let said = result.messages.iter().chain(&result.warnings);
    DifferingResource {
        name: shortened(&sanitize_line(result.id.short()), NAME),
        outcome,
        changes,
        messages: said.take(MESSAGES).map(|text| shortened(&sanitize(text), TEXT)).collect(),
        error: result
            .failure
            .as_ref()
            .map(|failure| shortened(&sanitize(&failure.message), TEXT))
            .unwrap_or_default(),
    }
}

fn change(of: &converge_core::engine::Difference) -> Change {
    let name = shortened(&sanitize_line(&of.name), NAME);
    match difference(of) {
        Shown::Refresh(what) => Change { name, after: shortened(&what, TEXT), ..Change::default() },
        Shown::Values { before, after } => Change {
            name,
            before: shortened(&before, TEXT),
            after: shortened(&after, TEXT),
            ..Change::default()
        },
        Shown::Lines(lines) => {
            let lines: Vec<_> = lines.iter().map(ToString::to_string).collect();
            Change { name, diff: diff(&lines), ..Change::default() }
        }
        // A later version of the engine may add a kind of difference.
        _ => Change { name, ..Change::default() },
    }
}

/// Returns the first lines and the number of omitted lines.
fn diff(lines: &[String]) -> String {
    let (mut text, mut kept) = (String::new(), 0);
    for line in lines {
        if text.len() + line.len() > DIFF {
            break;
        }
        text.push_str(line);
        text.push('\n');
        kept += 1;
    }
    match lines.len() - kept {
        0 => text,
        1 => text + "... 1 more line\n",
        more => format!("{text}... {more} more lines\n"),
    }
}

fn size(resource: &DifferingResource) -> usize {
    let DifferingResource { name, outcome: _, changes, messages, error } = resource;
    let changes = changes
        .iter()
        .map(|Change { name, before, after, diff }| name.len() + before.len() + after.len() + diff.len());
    name.len() + error.len() + changes.sum::<usize>() + messages.iter().map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use converge_core::engine::{Engine, Outcome as Of};
    use converge_core::load::Loader;
    use converge_core::system::LocalSystem;

    use super::*;

    async fn found(text: &str) -> Drift {
        let registry = converge_resources::registry().unwrap();
        let graph = Loader::new(&registry).load_text("site.hcl", text).into_graph().unwrap();
        let plan = Engine::new(Arc::new(LocalSystem::new())).make_plan(&graph).await.unwrap();
        assert!(plan.report.resources.iter().any(|one| one.outcome != Of::Unchanged));
        Drift::from(&plan.report)
    }

    #[tokio::test]
    async fn what_is_as_declared_is_left_out_and_so_is_what_is_too_much() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("page"), "one\ntwo\n").unwrap();
        std::fs::write(path("fine"), "fine").unwrap();
        let file = |name: &str, content: &str| {
            format!(
                "file.content \"{name}\" {{ destination = \"{}\" content = \"{content}\" }}\n",
                path(name)
            )
        };
        let some = found(&(file("page", "one\\n\u{1b}[2J\\n") + &file("fine", "fine"))).await;
        let [page] = some.resources() else { panic!("{:?}", some.resources()) };
        assert_eq!((page.name.as_str(), page.outcome), ("file.content.page", ResourceOutcome::WillChange));
        let content = page.changes.iter().find(|change| change.name == "content").unwrap();
        assert_eq!(content.diff, "@@ -1,2 +1,2 @@\n one\n-two\n+\\u{1b}[2J\n");
        assert_eq!(some.left_out(), "");

        // Many resources, some of them large.
        let many: String = (0..150).map(|number| file(&format!("n{number}"), "x")).collect();
        let many = found(&many).await;
        assert_eq!(many.resources().len(), 100);
        assert!(many.left_out().starts_with("50 more resources are left out: "), "{}", many.left_out());
        let long =
            (0..300).map(|number| format!("{number} {}\\n", "x".repeat(90))).collect::<Vec<_>>().concat();
        let large: String = (0..10).map(|number| file(&format!("l{number}"), &long)).collect();
        let large = found(&large).await;
        let diff = &large.resources()[0].changes.iter().find(|change| !change.diff.is_empty()).unwrap().diff;
        assert!(diff.len() <= DIFF + 30 && diff.ends_with(" more lines\n"), "{diff}");
        let all: usize = large.resources().iter().map(size).sum();
        assert!(all <= SIZE && !large.left_out().is_empty(), "{all} {}", large.left_out());
    }
}
