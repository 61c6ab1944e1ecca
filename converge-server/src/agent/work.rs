//! Does what is assigned, one after the other.

use std::collections::BTreeMap;

use converge_controller::Id;
use converge_controller::clock::Random;
use converge_core::engine::CancellationToken;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::duty::Duty;
use super::known::{Keep, Kept};
use super::listen::News;
use super::machine::{Held, Machine};
use super::outcome::Outcome;
use super::remote::Remote;
use crate::fleet::types::Assignment;

/// What an agent does, and what it knows of it.
#[derive(Debug)]
pub(super) struct Worker {
    machine: Machine,
    remote: Remote,
    keep: Keep,
    random: Random,
    /// By their ids without uid.
    duties: BTreeMap<Id, Duty>,
}

impl Worker {
    /// With what was kept by an earlier one.
    pub(super) fn new(machine: Machine, remote: Remote, keep: Keep) -> Self {
        let now = Instant::now();
        let kept =
            keep.read().into_iter().filter_map(Kept::read).map(|(assignment, revision, unreported)| {
                let id = assignment.id().clone().without_uid();
                let duty = Duty::new(assignment, revision, now);
                (id, unreported.into_iter().fold(duty, Duty::with_unreported))
            });
        let duties = kept.collect();
        Self { machine, remote, keep, random: Random::from_machine(), duties }
    }

    /// Works until it is told to stop.
    pub(super) async fn work(mut self, mut news: mpsc::Receiver<News>, stop: &CancellationToken) {
        loop {
            let next = self.duties.iter().min_by_key(|(_, duty)| duty.due());
            let next = next.map(|(id, duty)| (id.clone(), duty.due()));
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                heard = news.recv() => match heard {
                    Some(heard) => self.hear(heard).await,
                    None => break,
                },
                id = when(next) => self.look(&id, stop).await,
            }
        }
    }

    async fn hear(&mut self, news: News) {
        match news {
            News::There(assignment, revision) => {
                let (id, now) = (assignment.id().clone().without_uid(), Instant::now());
                match self.duties.get_mut(&id) {
                    // The agent itself has reported; nothing else has changed.
                    Some(duty) if duty.assignment().resource.generation == assignment.resource.generation => {
                        return;
                    }
                    Some(duty) => duty.replace(*assignment, *revision, now),
                    None => {
                        self.duties.insert(id, Duty::new(*assignment, *revision, now));
                    }
                }
                self.keep();
            }
            News::Gone(id) => {
                if self.duties.remove(&id).is_some() {
                    self.keep();
                }
            }
            News::All(ids) => {
                self.duties.retain(|id, _| ids.contains(id));
                self.keep();
                // The server is there.
                self.report().await;
            }
        }
    }

    /// Looks at one module.
    async fn look(&mut self, id: &Id, stop: &CancellationToken) {
        let Some(duty) = self.duties.get_mut(id) else { return };
        let (assignment, name) = (duty.assignment(), &id.name);
        let outcome = if assignment.suspended {
            Ok(Outcome::Suspended)
        } else {
            self.machine.visit(name, &duty.revision().content, assignment.mode, stop).await
        };
        match outcome {
            Ok(outcome) => {
                duty.looked(&outcome, Instant::now(), &mut self.random);
                if duty.unreported().is_some() {
                    tracing::info!(assignment = %name, ?outcome, "looked");
                    self.report().await;
                    self.keep();
                }
            }
            Err(Held::Busy) => {
                tracing::info!(assignment = %name, "another run changes the machine: it is looked at later");
                duty.put_off(Instant::now());
            }
            Err(Held::Stopped) => {}
        }
    }

    /// Reports what the server does not know.
    async fn report(&mut self) {
        for duty in self.duties.values_mut() {
            let Some(status) = duty.unreported() else { continue };
            match self.remote.report(duty.assignment().id(), Assignment::REPORT, status).await {
                Ok(()) => duty.reported(),
                Err(error) => {
                    tracing::info!(%error, "nothing can be reported now; it is done later");
                    return;
                }
            }
        }
    }

    /// Keeps all in the file. What cannot be kept is lost only when the agent ends while the server is away.
    fn keep(&self) {
        let kept: Vec<Kept> = self
            .duties
            .values()
            .map(|duty| Kept::new(duty.assignment(), duty.revision(), duty.unreported()))
            .collect();
        if let Err(error) = self.keep.write(&kept) {
            tracing::warn!(%error, "what is assigned cannot be kept");
        }
    }
}

/// Waits until something is due; for ever when there is nothing.
async fn when(next: Option<(Id, Instant)>) -> Id {
    match next {
        Some((id, due)) => {
            sleep_until(due).await;
            id
        }
        None => std::future::pending().await,
    }
}
