//! A plugin process: its streams with a thread each, and the routing of its messages.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::super::protocol::{
    FromHost, FromPlugin, LONGEST_LINE, ProgressOf, WireError, WireSystemError, line,
};
use super::group::{Group, describe_exit};
use super::handles::Handles;
use super::stderr_tail::Tail;
use crate::system::{SystemError, SystemErrorKind};

/// The maximum number of unhandled messages of one call.
///
/// The plugin's output is not read while the queue is full.
const MAX_QUEUED_EVENTS: usize = 64;

/// The maximum number of answers that the plugin has not read yet.
///
/// Further requests wait until it has.
const MAX_UNREAD_ANSWERS: usize = 256;

/// The maximum number of bytes of program output that the plugin has not read yet.
const MAX_UNREAD_OUTPUT: usize = 16 << 20;

/// A message of the plugin in a call.
#[derive(Debug)]
pub(super) enum Event {
    Result { ok: Option<Json>, error: Option<WireError> },
    Ask { ask: u64, question: Json },
    Forget { ask: u64 },
    Progress(ProgressOf),
    Hide(String),
}

/// The receiver of the messages of a call.
enum Route {
    /// An async call of a run.
    Call(tokio::sync::mpsc::Sender<Event>),
    /// A call at the start of the plugin, for which a thread waits.
    Start(mpsc::Sender<Event>),
    /// The caller no longer waits.
    Abandoned,
}

#[derive(Default)]
struct Routes {
    last: u64,
    open: HashMap<u64, Route>,
    tasks: HashMap<u64, Arc<Handles>>,
}

struct Outgoing {
    line: Vec<u8>,
    /// The number of bytes of program output in the line.
    printed: usize,
    _unread: Option<OwnedSemaphorePermit>,
}

pub(super) struct Process {
    group: Group,
    out: Mutex<Option<mpsc::Sender<Outgoing>>>,
    routes: Mutex<Routes>,
    hello: Mutex<Option<mpsc::Sender<(u32, String)>>>,
    ended: OnceLock<String>,
    /// Whether the process has been reaped, after which its process id may belong to another process.
    reaped: Mutex<bool>,
    stderr: Mutex<Tail>,
    unread: Arc<Semaphore>,
    printed: AtomicUsize,
    gone: (Mutex<bool>, std::sync::Condvar),
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process")
            .field("group", &self.group)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Process {
    /// Takes over a process that was just started.
    ///
    /// `hello` receives its first message.
    pub(super) fn new(
        mut child: Child,
        hello: mpsc::Sender<(u32, String)>,
    ) -> Result<Arc<Self>, std::io::Error> {
        let stream_error = || std::io::Error::other("it has no standard streams");
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let group = Group::led_by(&child).ok_or_else(stream_error)?;
        let (mut stdin, stdout) = (stdin.ok_or_else(stream_error)?, stdout.ok_or_else(stream_error)?);
        let stderr = stderr.ok_or_else(stream_error)?;
        let (sender, lines) = mpsc::channel::<Outgoing>();
        let process = Arc::new(Self {
            group,
            out: Mutex::new(Some(sender)),
            routes: Mutex::default(),
            hello: Mutex::new(Some(hello)),
            ended: OnceLock::new(),
            reaped: Mutex::new(false),
            stderr: Mutex::default(),
            unread: Arc::new(Semaphore::new(MAX_UNREAD_ANSWERS)),
            printed: AtomicUsize::new(0),
            gone: <_>::default(),
        });
        let writer = Arc::clone(&process);
        spawn("plugin-stdin", move || {
            for Outgoing { line, printed, _unread } in lines {
                if stdin.write_all(&line).is_err() {
                    // The reader thread notices the end of the process and reports the reason.
                    break;
                }
                writer.printed.fetch_sub(printed, Ordering::Relaxed);
            }
        })?;
        let listener = Arc::clone(&process);
        let errors = spawn("plugin-stderr", move || listener.keep_errors(stderr))?;
        let reader = Arc::clone(&process);
        spawn("plugin-stdout", move || {
            reader.read(BufReader::new(stdout));
            reader.reap(child, &errors);
        })?;
        Ok(process)
    }

    /// Returns the reason why the process is no longer usable; `None` while it runs.
    pub(super) fn ended(&self) -> Option<&str> {
        self.ended.get().map(String::as_str)
    }

    /// Sends a message.
    ///
    /// A message to a process that has ended is lost.
    pub(super) fn say(&self, message: &FromHost) {
        self.queue(message, 0, None);
    }

    fn queue(&self, message: &FromHost, printed: usize, unread: Option<OwnedSemaphorePermit>) {
        let Ok(mut line) = line(message) else { return };
        if line.len() > LONGEST_LINE {
            let FromHost::Answer { call, ask, .. } = message else {
                return self.fail(
                    "cannot be called, as the call is larger than a line of the protocol may be".to_owned(),
                );
            };
            let error = SystemError::other(
                "answer",
                "the plugin",
                SystemErrorKind::Other("the answer is larger than a line of the protocol may be".to_owned()),
            );
            let error = Some(WireSystemError::from(&error));
            let Ok(instead) = self::line(&FromHost::Answer { call: *call, ask: *ask, ok: Json::Null, error })
            else {
                return;
            };
            line = instead;
        }
        if let Some(out) = &*lock(&self.out) {
            drop(out.send(Outgoing { line, printed, _unread: unread }));
        }
    }

    /// Waits until there is room for another answer that the plugin has not read.
    pub(super) async fn room_for_an_answer(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.unread).acquire_owned().await.ok()
    }

    /// Sends an answer, with the permit that reserves room for it.
    pub(super) fn answer(
        &self,
        call: u64,
        ask: u64,
        answer: Result<Json, SystemError>,
        room: Option<OwnedSemaphorePermit>,
    ) {
        let (ok, error) = match answer {
            Ok(ok) => (ok, None),
            Err(error) => (Json::Null, Some(WireSystemError::from(&error))),
        };
        self.queue(&FromHost::Answer { call, ask, ok, error }, 0, room);
    }

    /// Sends program output, unless too much of it is unread.
    ///
    /// Returns whether it was sent.
    pub(super) fn printed(&self, message: &FromHost, bytes: usize) -> bool {
        if self.printed.fetch_add(bytes, Ordering::Relaxed) > MAX_UNREAD_OUTPUT {
            self.printed.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.queue(message, bytes, None);
        true
    }

    /// Begins a call.
    ///
    /// The channel receives the messages of the plugin in it.
    pub(super) fn open_call(&self) -> (u64, tokio::sync::mpsc::Receiver<Event>) {
        let (sender, receiver) = tokio::sync::mpsc::channel(MAX_QUEUED_EVENTS);
        (self.open(Route::Call(sender)), receiver)
    }

    /// Like [`open_call`](Self::open_call), for a thread that blocks.
    pub(super) fn open_start(&self) -> (u64, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel();
        (self.open(Route::Start(sender)), receiver)
    }

    fn open(&self, route: Route) -> u64 {
        let mut routes = lock(&self.routes);
        routes.last += 1;
        let id = routes.last;
        // A process that has ended sends nothing. Without a route, the channel closes at once.
        if self.ended.get().is_none() {
            routes.open.insert(id, route);
        }
        id
    }

    /// Marks a call as abandoned.
    ///
    /// Returns whether its result is still to come.
    pub(super) fn abandon(&self, id: u64) -> bool {
        let is_open = match lock(&self.routes).open.get_mut(&id) {
            Some(route) => {
                *route = Route::Abandoned;
                true
            }
            None => false,
        };
        if is_open {
            self.say(&FromHost::Abandon { id });
        }
        is_open
    }

    /// Whether a call has no result yet.
    pub(super) fn is_open(&self, id: u64) -> bool {
        lock(&self.routes).open.contains_key(&id)
    }

    pub(super) fn add_task(&self, task: u64, handles: &Arc<Handles>) {
        lock(&self.routes).tasks.insert(task, Arc::clone(handles));
    }

    /// Closes the handles of a task and tells the plugin to drop it.
    pub(super) fn drop_task(&self, task: u64) {
        let handles = lock(&self.routes).tasks.remove(&task);
        if let Some(handles) = handles {
            handles.close_all();
        }
        self.say(&FromHost::Drop { task });
    }

    /// Kills the process.
    ///
    /// The reason follows the name of the plugin in messages; the first reason is kept.
    pub(super) fn fail(&self, reason: String) {
        drop(self.ended.set(reason));
        self.kill();
        self.close();
    }

    /// Closes all channels, so that nobody waits for messages of the process.
    fn close(&self) {
        drop(lock(&self.out).take());
        drop(lock(&self.hello).take());
        let open = std::mem::take(&mut lock(&self.routes).open);
        drop(open);
    }

    fn kill(&self) {
        let reaped = lock(&self.reaped);
        if !*reaped {
            self.group.kill();
        }
    }

    /// Closes the standard input, and kills a process that does not end within the grace period.
    pub(super) fn end(&self, grace: Duration) {
        drop(self.ended.set("was ended".to_owned()));
        drop(lock(&self.out).take());
        let (exit_flag, changed) = &self.gone;
        let exit_guard = lock(exit_flag);
        let waited = changed.wait_timeout_while(exit_guard, grace, |has_exited| !*has_exited);
        let is_gone = waited.map_or_else(|poison| *poison.into_inner().0, |(gone, _)| *gone);
        if !is_gone {
            self.kill();
        }
        self.close();
    }

    fn keep_errors(&self, mut stderr: impl Read) {
        let mut piece = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut piece) {
            lock(&self.stderr).add(piece.get(..read).unwrap_or(&piece));
        }
    }

    fn read(self: &Arc<Self>, mut stdout: BufReader<impl Read>) {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            let maximum = LONGEST_LINE as u64;
            match stdout.by_ref().take(maximum).read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => return,
                Ok(_) if bytes.last() == Some(&b'\n') => {}
                Ok(_) if bytes.len() < LONGEST_LINE => {
                    return self.fail(format!("ended in the middle of a message: {}", excerpt(&bytes)));
                }
                Ok(_) => {
                    let maximum = LONGEST_LINE >> 20;
                    return self.fail(format!("sent a line of more than {maximum} MiB: {}", excerpt(&bytes)));
                }
            }
            let message = match serde_json::from_slice(&bytes) {
                Ok(message) => message,
                Err(error) => {
                    return self.fail(format!("sent an invalid message ({error}): {}", excerpt(&bytes)));
                }
            };
            if let Err(problem) = self.dispatch(message) {
                return self.fail(problem);
            }
        }
    }

    fn dispatch(&self, message: FromPlugin) -> Result<(), String> {
        match message {
            FromPlugin::Hello { protocol, version } => {
                let hello = lock(&self.hello).take();
                let hello = hello.ok_or_else(|| "sent hello twice".to_owned())?;
                // The receiver may have timed out.
                drop(hello.send((protocol, version)));
                Ok(())
            }
            _ if lock(&self.hello).is_some() => Err("did not begin with a `hello`".to_owned()),
            FromPlugin::Result { id, ok, error } => {
                let mut routes = lock(&self.routes);
                let route = routes.open.remove(&id);
                let (last, route) = (routes.last, route);
                drop(routes);
                match route {
                    None if id == 0 || id > last => {
                        Err(format!("answered the call {id}, which was not made"))
                    }
                    None => Err(format!("answered the call {id} twice")),
                    Some(route) => {
                        route.tell(Event::Result { ok, error });
                        Ok(())
                    }
                }
            }
            FromPlugin::Ask { call, ask, question } => {
                if !self.tell(call, Event::Ask { ask, question })? {
                    let error = SystemError::other("ask", "the host", SystemErrorKind::Cancelled);
                    self.answer(call, ask, Err(error), None);
                }
                Ok(())
            }
            FromPlugin::Forget { call, ask } => self.tell(call, Event::Forget { ask }).map(drop),
            FromPlugin::Progress { call, progress } => self.tell(call, Event::Progress(progress)).map(drop),
            FromPlugin::Hide { call, secret } => self.tell(call, Event::Hide(secret)).map(drop),
            FromPlugin::Close { task, handle } => {
                let handles = lock(&self.routes).tasks.get(&task).cloned();
                if let Some(handles) = handles {
                    handles.close(handle);
                }
                Ok(())
            }
        }
    }

    /// Sends an event to the receiver of a call.
    ///
    /// Returns false if nobody waits for it any more.
    fn tell(&self, call: u64, event: Event) -> Result<bool, String> {
        let sender = {
            let routes = lock(&self.routes);
            if call == 0 || call > routes.last {
                return Err(format!("sent a message about the call {call}, which was not made"));
            }
            match routes.open.get(&call) {
                Some(Route::Call(sender)) => sender.clone(),
                Some(Route::Start(_)) => {
                    return Err("sent a request while it described its types".to_owned());
                }
                Some(Route::Abandoned) | None => return Ok(false),
            }
        };
        // Blocks until the receiver has room, so that no more is read until then.
        Ok(sender.blocking_send(event).is_ok())
    }

    /// Waits for the end of the process after its standard output has ended, and records the reason.
    fn reap(&self, mut child: Child, errors: &thread::JoinHandle<()>) {
        const PATIENCE: Duration = Duration::from_millis(500);
        let began = Instant::now();
        while !self.group.has_ended() && began.elapsed() < PATIENCE {
            thread::park_timeout(Duration::from_millis(2));
        }
        // The group is killed in any case: processes that the plugin started may still run and hold its
        // standard error.
        let closed_only = !self.group.has_ended();
        self.kill();
        let description = {
            let mut reaped = lock(&self.reaped);
            let status = child.wait();
            *reaped = true;
            match status {
                _ if closed_only => "closed its standard output".to_owned(),
                Ok(status) => describe_exit(status),
                Err(error) => format!("ended with an unknown status: {error}"),
            }
        };
        while !errors.is_finished() && began.elapsed() < PATIENCE * 2 {
            thread::park_timeout(Duration::from_millis(2));
        }
        drop(self.ended.set(format!("{description}{}", lock(&self.stderr).message())));
        self.close();
        let (exit_flag, changed) = &self.gone;
        *lock(exit_flag) = true;
        changed.notify_all();
    }
}

impl Route {
    fn tell(self, event: Event) {
        match self {
            // The receiver may be gone.
            Self::Call(call) => drop(call.blocking_send(event)),
            Self::Start(start) => drop(start.send(event)),
            Self::Abandoned => {}
        }
    }
}

/// Returns the beginning of a line, for messages.
fn excerpt(bytes: &[u8]) -> String {
    const LONGEST: usize = 120;
    let text = String::from_utf8_lossy(bytes.get(..LONGEST * 4).unwrap_or(bytes));
    let text = text.trim_end();
    let end = text.floor_char_boundary(LONGEST.min(text.len()));
    let dots = if end < text.len() { ".." } else { "" };
    format!("{:?}{dots}", text.get(..end).unwrap_or(text))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<thread::JoinHandle<()>, std::io::Error> {
    thread::Builder::new().name(name.to_owned()).spawn(work)
}
