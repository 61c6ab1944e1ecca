//! A Language Server Protocol server for modules, over standard input and output.
//!
//! One thread reads messages, and one answers them. A third one loads modules for diagnostics; it is told to
//! stop when a text changes. The messages are few and small, so the protocol is implemented here: see record
//! 0074.

mod analysis;
mod answers;
mod documents;
mod frame;
mod markdown;
mod message;
mod problems;
mod protocol;
mod server;
#[cfg(test)]
mod tests;
mod text;
mod uri;

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use converge_core::Registry;
use converge_core::load::{Folder, Source, Sources};

use self::analysis::Findings;
use self::frame::Frame;
use self::message::{Failure, Incoming, RequestId};
use self::protocol::Cancel;
use self::server::{End, Server};
use crate::error::CliError;
use crate::exit::Exit;

/// The capacity of the queue of read messages, each of which may be long.
const QUEUE_CAPACITY: usize = 16;

/// The maximum number of messages read ahead to find cancellations.
const MAX_READ_AHEAD: usize = 64;

/// The maximum number of folder entries visited in a workspace.
const MAX_ENTRIES: usize = 50_000;

/// An event in a session.
#[derive(Debug)]
enum Event {
    Message(Result<Incoming, Failure>),
    Found(Findings),
    Modules(Vec<Source>),
    /// The input ended; if it was invalid, with the reason.
    Closed(Option<String>),
}

/// Answers the messages from `input` on `output`, until the client ends the session or is gone.
pub(crate) fn serve(
    registry: &Registry,
    sources: Sources,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> Result<Exit, CliError> {
    let (sender, receiver) = sync_channel(QUEUE_CAPACITY);
    let reads = sender.clone();
    let reader = thread::Builder::new().name("messages".to_owned());
    reader.spawn(move || read_all(input, &reads)).map_err(CliError::Start)?;
    let mut session = Session { server: Server::new(registry, sources), sender, output };
    match session.run(&receiver) {
        Ok(End::Clean) => Ok(Exit::Done),
        Ok(End::Abrupt) => Ok(Exit::Error),
        Ok(End::Broken(reason)) => Err(CliError::NoMessage(reason)),
        // The client is gone, so nobody would read a message about it.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Error),
        Err(error) => Err(CliError::Output(error)),
    }
}

/// Reads messages and sends them as events, as long as there is a receiver.
fn read_all(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let event = match frame::read(&mut input) {
            Ok(Frame::Message(text)) => Event::Message(Incoming::read(&text)),
            Ok(Frame::TooLong(bytes)) => {
                let maximum = frame::MOST_BYTES;
                let failure =
                    Failure::invalid(format!("a message of {bytes} bytes is too long: {maximum} are read"));
                Event::Message(Err(failure))
            }
            Ok(Frame::End) => Event::Closed(None),
            Ok(Frame::Broken(reason)) => Event::Closed(Some(reason.to_owned())),
            Err(error) => Event::Closed(Some(error.to_string())),
        };
        let is_last = matches!(event, Event::Closed(_));
        if events.send(event).is_err() || is_last {
            return;
        }
    }
}

struct Session<'r, W> {
    server: Server<'r>,
    sender: SyncSender<Event>,
    output: W,
}

impl<W: Write> Session<'_, W> {
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<End> {
        let mut waiting: VecDeque<Event> = VecDeque::new();
        loop {
            while waiting.len() < MAX_READ_AHEAD
                && let Ok(event) = events.try_recv()
            {
                waiting.push_back(event);
            }
            let event = if let Some(event) = waiting.pop_front() {
                event
            } else {
                self.analyse();
                let Ok(event) = events.recv() else { return Ok(End::Abrupt) };
                event
            };
            let ended = self.take(event, &waiting);
            for message in self.server.out.take() {
                frame::write(&mut self.output, &message)?;
            }
            if let ControlFlow::Break(end) = ended {
                return Ok(end);
            }
        }
    }

    fn take(&mut self, event: Event, waiting: &VecDeque<Event>) -> ControlFlow<End> {
        match event {
            Event::Message(Ok(Incoming::Request { id, .. })) if is_cancelled(&id, waiting) => {
                self.server.out.answer(Some(&id), &Err(Failure::cancelled()));
            }
            Event::Message(Ok(message)) => {
                if let Some(folders) = self.server.handle(message)? {
                    self.find_modules(folders);
                }
            }
            Event::Message(Err(failure)) => self.server.out.answer(None, &Err(failure)),
            Event::Found(findings) => self.server.found(&findings),
            Event::Modules(files) => self.server.found_modules(files),
            Event::Closed(reason) => {
                return ControlFlow::Break(reason.map_or(End::Abrupt, End::Broken));
            }
        }
        ControlFlow::Continue(())
    }

    fn analyse(&mut self) {
        if let Some(job) = self.server.next_job() {
            let sender = self.sender.clone();
            // After the end of the session there is no receiver.
            if !is_started(job.start(move |findings| drop(sender.send(Event::Found(findings))))) {
                self.server.discard_job();
            }
        }
    }

    fn find_modules(&self, folders: Vec<Source>) {
        let sender = self.sender.clone();
        let thread = thread::Builder::new().name("modules".to_owned());
        is_started(thread.spawn(move || drop(sender.send(Event::Modules(modules_in(&folders))))).map(drop));
    }
}

/// Returns whether a thread was started, and logs a failure.
///
/// A failure does not end the session: a later attempt may succeed.
fn is_started(started: io::Result<()>) -> bool {
    started.inspect_err(|error| tracing::error!(%error, "cannot start a thread")).is_ok()
}

/// Returns whether a queued message cancels this request.
fn is_cancelled(id: &RequestId, waiting: &VecDeque<Event>) -> bool {
    waiting.iter().any(|event| match event {
        Event::Message(Ok(Incoming::Notification { method, params })) if method == "$/cancelRequest" => {
            serde_json::from_value::<Cancel>(params.clone()).is_ok_and(|cancel| cancel.id == *id)
        }
        _ => false,
    })
}

/// Returns the module files in folders.
fn modules_in(folders: &[Source]) -> Vec<Source> {
    let folders_read =
        folders.iter().filter_map(|folder| Folder::read_within(Path::new(&**folder.name()), MAX_ENTRIES));
    folders_read.flat_map(|folder| folder.files).map(Source::file).collect()
}
