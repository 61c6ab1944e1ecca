//! The one way of events out of a run.

use std::sync::Arc;

use jiff::Timestamp;

use super::approval::{Key, Shown};
use super::event::{Event, EventKind};
use super::event_queue::{EventSender, Room};
use super::redaction::redact_event;
use super::report::ResourceReport;
use crate::redact::Redactor;
use crate::sdk::context::RunId;
use crate::system::System;

/// Takes the events of a run, and gives them on without secrets to whoever wants them.
pub(super) struct Emitter {
    run: RunId,
    /// Tells the time.
    system: Arc<dyn System>,
    /// The time of what happens now: all that is found at once has one, as to ask for each would cost.
    now: Option<Timestamp>,
    redactor: Redactor,
    /// Of a plan: what digests of what it shows are made with.
    key: Option<Key>,
    /// What was shown, as digests of what is in the events before secrets are taken out of them.
    shown: Vec<Shown>,
    /// The reports, where they are kept.
    reports: Option<Vec<ResourceReport>>,
    /// `None` when nobody listens.
    events: Option<EventSender>,
}

/// What is left when the run is over.
pub(super) struct Emitted {
    pub(super) shown: Vec<Shown>,
    pub(super) reports: Vec<ResourceReport>,
}

impl Emitter {
    pub(super) fn new(
        run: RunId,
        system: Arc<dyn System>,
        redactor: Redactor,
        events: Option<EventSender>,
    ) -> Self {
        Self { run, system, now: None, redactor, key: None, shown: Vec::new(), reports: None, events }
    }

    /// Keeps what is shown when there is a key.
    pub(super) fn showing(self, key: Option<Key>) -> Self {
        Self { key, ..self }
    }

    /// Keeps the reports when they are asked for.
    pub(super) fn keeping_reports(self, keeps: bool) -> Self {
        Self { reports: keeps.then(Vec::new), ..self }
    }

    /// The room for what tells of progress; `None` when nobody listens.
    pub(super) fn room(&self) -> Option<Arc<Room>> {
        self.events.as_ref().map(|events| Arc::clone(events.room()))
    }

    /// Whether anybody listens.
    pub(super) fn is_heard(&self) -> bool {
        self.events.is_some()
    }

    /// Tells what a resource told, which has its room.
    pub(super) fn emit_with_room(&mut self, mut event: EventKind) {
        if self.events.is_none() {
            return;
        }
        if !self.redactor.is_empty() {
            redact_event(&mut event, &self.redactor);
        }
        let event = self.now(event);
        if let Some(events) = &mut self.events {
            events.send_with_room(event);
        }
    }

    fn now(&mut self, kind: EventKind) -> Event {
        let clock = || Timestamp::try_from(self.system.clock().now()).unwrap_or_default();
        let time = *self.now.get_or_insert_with(clock);
        Event { kind, run: self.run.clone(), time }
    }

    pub(super) fn emit(&mut self, mut event: EventKind) {
        if let (Some(key), EventKind::ResourceFinished(report)) = (&self.key, &event) {
            self.shown.push(Shown::new(key, report));
        }
        if self.reports.is_none() && self.events.is_none() {
            return;
        }
        if !self.redactor.is_empty() {
            redact_event(&mut event, &self.redactor);
        }
        if let (Some(reports), EventKind::ResourceFinished(report)) = (&mut self.reports, &event) {
            reports.push(ResourceReport::clone(report));
        }
        if self.events.is_none() {
            return;
        }
        let event = self.now(event);
        if let Some(events) = &mut self.events {
            events.send(event);
        }
    }

    /// What is told from now on happens now.
    pub(super) fn tick(&mut self) {
        self.now = None;
    }

    /// Nothing more is to come for now.
    pub(super) fn flush(&mut self) {
        self.tick();
        if let Some(events) = &mut self.events {
            events.flush();
        }
    }

    pub(super) fn finish(mut self) -> Emitted {
        self.flush();
        Emitted { shown: self.shown, reports: self.reports.unwrap_or_default() }
    }
}
