//! What a reconcile says to who traces.

use std::fmt::{Debug, Write as _};
use std::time::Duration;

use tokio::time::sleep;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::stage::{Log, Stage};
use crate::runtime::demo::{Album, Artist, id};
use crate::runtime::{Action, Controller, Request, RunError, Runtime, map};

/// Notes the spans of reconciles, with their fields.
struct Spans(Log);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() == "reconcile"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields(String::new());
        span.record(&mut fields);
        self.0.say(fields.0);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{field}={value:?} ");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_says_why() {
    let stage = Stage::new();
    let _tracing = tracing::subscriber::set_default(Spans(stage.log.clone()));
    let reconcile = |runtime: Runtime, _: Request<Artist>| async move {
        // The first turn is before there are albums.
        if runtime.cache.count(&id::<Album>("x").resource_type) == 0 {
            Err(RunError::from("no"))
        } else {
            Ok(Action::await_change())
        }
    };
    let controller = Controller::<Artist>::new("artists").watch::<Album>(map::same_name());
    let _running = stage.run([controller.reconcile(reconcile)]);
    stage.write("korn", Artist::default()).await;
    let korn = "controller=artists resource=demo.v2.Artist/default/default/korn";
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=changed failures=0 ")]);
    sleep(Duration::from_millis(5)).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=retry after failure 1 failures=1 ")]);
    stage.write("korn", Album::default()).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=mapped from demo.v2.Album failures=2 ")]);
    sleep(Duration::from_hours(8)).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=forced failures=0 ")]);
}
