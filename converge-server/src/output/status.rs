//! The output of `controllers status` for people.

use super::table::{Side, table};
use super::text::one_line;
use crate::api_types::{Controller, Controllers, Event, Failing, Queue};

/// Formats the controllers, the failing resources, recent events about resources, and further problems.
pub(crate) fn status(controllers: &Controllers) -> String {
    let rows: Vec<_> = controllers.controllers.iter().map(controller).collect();
    let head = [
        ("CONTROLLER", Side::Left),
        ("STATE", Side::Left),
        ("QUEUED", Side::Right),
        ("LATER", Side::Right),
        ("IN FLIGHT", Side::Right),
        ("FAILING", Side::Right),
        ("DONE", Side::Right),
        ("FAILED", Side::Right),
    ];
    let mut text = table(&head, &rows);
    let failing: Vec<_> = controllers.controllers.iter().flat_map(failing).collect();
    if !failing.is_empty() {
        let head = [
            ("CONTROLLER", Side::Left),
            ("FAILING", Side::Left),
            ("TIMES", Side::Right),
            ("NEXT TRY", Side::Right),
            ("ERROR", Side::Left),
        ];
        text.push('\n');
        text.push_str(&table(&head, &failing));
    }
    let events: Vec<_> = controllers.controllers.iter().flat_map(events).collect();
    if !events.is_empty() {
        let head = [
            ("CONTROLLER", Side::Left),
            ("RESOURCE", Side::Left),
            ("AGO", Side::Right),
            ("TIMES", Side::Right),
            ("EVENT", Side::Left),
        ];
        text.push('\n');
        text.push_str(&table(&head, &events));
    }
    let notes: String = controllers.controllers.iter().flat_map(notes).collect();
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes);
    }
    text
}

fn controller(controller: &Controller) -> [String; 8] {
    let count = |count: fn(&Queue) -> usize| match &controller.queue {
        Some(queue) => count(queue).to_string(),
        None => "-".to_owned(),
    };
    let reconciles = &controller.reconciles;
    [
        one_line(&controller.name),
        one_line(&controller.phase),
        count(|queue| queue.depth),
        count(|queue| queue.delayed),
        count(|queue| queue.in_flight),
        count(|queue| queue.failing.len()),
        (reconciles.succeeded + reconciles.requeued).to_string(),
        (reconciles.failed + reconciles.panicked).to_string(),
    ]
}

/// Returns the failing resources of a controller, and the events that cannot be mapped to resources.
fn failing(controller: &Controller) -> Vec<[String; 5]> {
    let queues = controller.queue.iter().map(|queue| (None, queue));
    let feeds = controller.feeds.iter().map(|feed| (Some(&feed.source), &feed.queue));
    let of_queue = |(source, queue): (Option<&String>, &Queue)| {
        let row = |failing: &Failing| {
            let key = match source {
                Some(source) => format!("{} (watching {source})", failing.key),
                None => failing.key.clone(),
            };
            [
                one_line(&controller.name),
                one_line(&key),
                failing.failures.to_string(),
                failing.retry_in.map_or_else(|| "now".to_owned(), |wait| format!("in {}", time(wait))),
                one_line(&failing.error),
            ]
        };
        queue.failing.iter().map(row).collect::<Vec<_>>()
    };
    queues.chain(feeds).flat_map(of_queue).collect()
}

/// The maximum number of events shown per controller; the JSON output has all of them.
const EVENTS: usize = 10;

/// Returns the recent events about resources without failures, which are shown already.
fn events(controller: &Controller) -> Vec<[String; 5]> {
    let is_failing = |event: &Event| {
        let mut failing = controller.queue.iter().flat_map(|queue| &queue.failing);
        failing.any(|failing| failing.key == event.resource && failing.error == event.text)
    };
    let recent: Vec<_> =
        controller.events.iter().rev().filter(|event| !is_failing(event)).take(EVENTS).collect();
    let row = |event: &&Event| {
        [
            one_line(&controller.name),
            one_line(&event.resource),
            time(event.ago),
            event.times.to_string(),
            one_line(&event.text),
        ]
    };
    recent.iter().rev().map(row).collect()
}

/// Returns further notes on a controller.
fn notes(controller: &Controller) -> Vec<String> {
    let name = one_line(&controller.name);
    let mut notes = Vec::new();
    if let Some(failure) = &controller.last_failure {
        let restarts = controller.restart_in.map_or_else(
            || format!("has begun again {} times", controller.restarts),
            |wait| format!("begins again in {}", time(wait)),
        );
        notes.push(format!("{name}: {restarts}, after {}\n", one_line(failure)));
    }
    let is_listed = |resource: &str| {
        controller.queue.iter().flat_map(|queue| &queue.failing).any(|failing| failing.key == resource)
    };
    if let Some(last) = &controller.last_error
        && !is_listed(&last.resource)
    {
        let (ago, resource, error) = (time(last.ago), one_line(&last.resource), one_line(&last.error));
        notes.push(format!("{name}: the last error was {ago} ago, of {resource}: {error}\n"));
    }
    notes
}

/// Formats a time in the largest unit that is precise enough.
fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 1.0 => format!("{:.0}ms", seconds * 1000.0),
        _ if seconds < 60.0 => format!("{seconds:.1}s"),
        _ if seconds < 3600.0 => format!("{:.0}m", seconds / 60.0),
        _ => format!("{:.1}h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_shown_of_controllers() {
        let idle = json!({ "depth": 0, "delayed": 0, "in_flight": 0, "failing": [] });
        let failing = json!({ "key": "demo.v2.Artist/default/default/korn", "failures": 5,
            "error": "no stage\nat all", "retry_in": 0.16 });
        let busy = json!({ "depth": 12, "delayed": 1, "in_flight": 4, "failing": [failing] });
        let zero = json!({ "succeeded": 0, "requeued": 0, "failed": 0, "panicked": 0, "seconds": 0.0 });
        let counts = json!({ "succeeded": 40, "requeued": 2, "failed": 5, "panicked": 0, "seconds": 1.5 });
        let controller = |name: &str,
                          phase: &str,
                          queue: &serde_json::Value,
                          reconciles: &serde_json::Value| {
            json!({ "name": name, "managed_type": "demo.v2.Artist", "watched_types": [], "placement": "singleton",
                "phase": phase, "restarts": 0, "reconciles": reconciles, "queue": queue, "feeds": [], "cache": [] })
        };
        let mut labels = controller("labels", "restarting", &json!(null), &counts);
        labels["restarts"] = json!(3);
        labels["restart_in"] = json!(75.0);
        labels["last_failure"] = json!("the store is away");
        labels["last_error"] = json!({ "resource": "demo.v2.Label/x", "error": "\u{1b}[2J", "ago": 7200.0 });
        let feed = json!({ "source": "demo.v2.Album", "depth": 0, "delayed": 0, "in_flight": 0,
            "failing": [{ "key": "demo.v2.Album/a", "failures": 1, "error": "no artist", "retry_in": null }] });
        let mut artists = controller("artists", "running", &busy, &counts);
        artists["feeds"] = json!([feed]);
        let event = |text: &str, times: u64, ago: f64| json!({ "resource": "demo.v2.Artist/default/default/korn", "text": text, "times": times, "ago": ago });
        artists["events"] = json!([
            event("the stage is\nbuilt", 1, 90.0),
            event("no stage\nat all", 5, 0.1),
            event("lights on", 3, 0.05)
        ]);
        let document =
            json!({ "controllers": [controller("reaper", "running", &idle, &zero), artists, labels] });
        let controllers: Controllers = serde_json::from_value(document).unwrap();
        insta::assert_snapshot!(status(&controllers));
    }
}
