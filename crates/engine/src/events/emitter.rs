//! The emitter, through which all events leave a run.

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

/// Receives the events of a run and passes them on without secrets.
pub(crate) struct Emitter {
    run: RunId,
    /// The system whose clock is used.
    system: Arc<dyn System>,
    /// The current time.
    ///
    /// Events found together share it, because reading the clock for each would be costly.
    now: Option<Timestamp>,
    redactor: Redactor,
    /// The key for the digests of a plan.
    key: Option<Key>,
    /// The digests of the changes shown, made before secrets are redacted.
    shown: Vec<Shown>,
    /// The reports, if they are kept.
    reports: Option<Vec<ResourceReport>>,
    /// The sender of events, or `None` without a subscriber.
    events: Option<EventSender>,
}

/// The results of the emitter at the end of a run.
pub(crate) struct Emitted {
    pub(crate) shown: Vec<Shown>,
    pub(crate) reports: Vec<ResourceReport>,
}

impl Emitter {
    pub(crate) fn new(
        run: RunId,
        system: Arc<dyn System>,
        redactor: Redactor,
        events: Option<EventSender>,
    ) -> Self {
        Self { run, system, now: None, redactor, key: None, shown: Vec::new(), reports: None, events }
    }

    /// Keeps digests of the changes shown if there is a key.
    pub(crate) fn with_key(self, key: Option<Key>) -> Self {
        Self { key, ..self }
    }

    /// Keeps the reports if `keeps` is set.
    pub(crate) fn with_reports(self, is_enabled: bool) -> Self {
        Self { reports: is_enabled.then(Vec::new), ..self }
    }

    /// Returns the room for progress events, or `None` without a subscriber.
    pub(crate) fn room(&self) -> Option<Arc<Room>> {
        self.events.as_ref().map(|events| Arc::clone(events.room()))
    }

    /// Whether there is a subscriber.
    pub(crate) fn has_subscriber(&self) -> bool {
        self.events.is_some()
    }

    /// Emits an event whose place in the channel is already reserved.
    pub(crate) fn emit_with_room(&mut self, mut event: EventKind) {
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

    pub(crate) fn emit(&mut self, mut event: EventKind) {
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
        if let (Some(reports), EventKind::ResourceUndone { report, .. }) = (&mut self.reports, &event)
            && let Some(kept) = reports.iter_mut().find(|kept| kept.id == report.id)
        {
            kept.clone_from(report);
        }
        if self.events.is_none() {
            return;
        }
        let event = self.now(event);
        if let Some(events) = &mut self.events {
            events.send(event);
        }
    }

    /// Gives later events the current time.
    pub(crate) fn tick(&mut self) {
        self.now = None;
    }

    /// Sends buffered events, because none follow for now.
    pub(crate) fn flush(&mut self) {
        self.tick();
        if let Some(events) = &mut self.events {
            events.flush();
        }
    }

    pub(crate) fn finish(mut self) -> Emitted {
        self.flush();
        Emitted { shown: self.shown, reports: self.reports.unwrap_or_default() }
    }
}
