//! Tests of the tracing spans of reconciles.

use std::fmt::{Debug, Write as _};
use std::time::Duration;

use tokio::time::sleep;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use super::stage::{Log, Stage};
use crate::Typed;
use crate::runtime::demo::{Album, Artist, id};
use crate::runtime::{Action, Controller, Request, RunError, Runtime, map};

/// Records the spans with one name, their fields, and their parents.
struct Spans {
    of: &'static str,
    log: Log,
}

impl Spans {
    fn noted(operation: &'static str, stage: &Stage) -> DefaultGuard {
        // With a single scoped subscriber, another thread that reaches a span first would disable it for all.
        let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry());
        let spans = Self { of: operation, log: stage.log.clone() };
        tracing::subscriber::set_default(tracing_subscriber::registry().with(spans))
    }
}

impl<S: Subscriber + for<'s> LookupSpan<'s>> Layer<S> for Spans {
    fn on_new_span(&self, span: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if span.metadata().name() == self.of {
            let mut fields = Fields(String::new());
            span.record(&mut fields);
            let parent =
                context.span(id).and_then(|span| span.parent()).map_or("nothing", |parent| parent.name());
            self.log.say(format!("in {parent}: {}", fields.0.trim_end()));
        }
    }
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
    let _tracing = Spans::noted("reconcile", &stage);
    let reconcile = |runtime: Runtime, _: Request<Artist>| async move {
        // The first reconcile happens before there are albums.
        if runtime.cache.count(&id::<Album>("x").resource_type) == 0 {
            Err(RunError::from("no"))
        } else {
            Ok(Action::await_change())
        }
    };
    let controller = Controller::<Artist>::new("artists").watch::<Album>(map::same_name());
    let _running = stage.run([controller.reconcile(reconcile)]);
    stage.write("korn", Artist::default()).await;
    let korn = "in controller: controller=artists resource=demo.v2.Artist/default/default/korn";
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=changed failures=0")]);
    sleep(Duration::from_millis(5)).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=retry after failure 1 failures=1")]);
    stage.write("korn", Album::default()).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=mapped from demo.v2.Album failures=2")]);
    sleep(Duration::from_hours(8)).await;
    assert_eq!(stage.log.settled().await, [format!("{korn} reason=forced failures=0")]);
}

#[tokio::test(start_paused = true)]
async fn a_mapper_is_followed_too() {
    let stage = Stage::new();
    let _tracing = Spans::noted("map", &stage);
    let failing = map::with(|_: Runtime, album: Typed<Album>| async move {
        if album.title.is_empty() { Err(RunError::from("no")) } else { Ok([]) }
    });
    let controller = Controller::<Artist>::new("artists").watch::<Album>(failing).watch_stream(
        "numbers",
        || futures_util::stream::iter([7]),
        |_, _| async { Ok::<_, RunError>([]) },
    );
    let reconcile = |_: Runtime, _: Request<Artist>| async { Ok::<_, RunError>(Action::await_change()) };
    let _running = stage.run([controller.reconcile(reconcile)]);
    assert_eq!(stage.log.settled().await, ["in controller: source=numbers changed=\"7\" failures=0"]);
    stage.write("issues", Album::default()).await;
    let issues = "in controller: source=demo.v2.Album changed=\"demo.v2.Album/default/default/issues\"";
    assert_eq!(stage.log.settled().await, [format!("{issues} failures=0")]);
    sleep(Duration::from_millis(5)).await;
    assert_eq!(stage.log.settled().await, [format!("{issues} failures=1")]);
}
