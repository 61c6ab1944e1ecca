//! Tests of loads that are stopped early, with the public API.
#![expect(clippy::disallowed_methods, reason = "tests make the files that are read")]
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use converge_core::Registry;
use converge_core::load::{
    LoadError, Loader, Memory, ModuleSource, Reading, SourceError, Sources, StopReason,
};
use tokio_util::sync::CancellationToken;

/// A deadline that finite work does not reach.
const LONG: Duration = Duration::from_mins(2);

/// The time after which a load was evidently not stopped.
const GIVEN_UP: Duration = Duration::from_secs(20);

/// A source that reports when it is asked, and answers on request.
#[derive(Debug)]
struct Slow {
    asked: Sender<Reading>,
    answer: Mutex<Receiver<&'static str>>,
}

impl ModuleSource for Slow {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        let unreadable = |reason: String| SourceError::Unreadable { name: name.to_owned(), reason };
        self.asked.send(reading.clone()).map_err(|error| unreadable(error.to_string()))?;
        let answer = self.answer.lock().map_err(|error| unreadable(error.to_string()))?;
        answer.recv().map(Arc::from).map_err(|error| unreadable(error.to_string()))
    }
}

fn slow() -> (Sources, Receiver<Reading>, Sender<&'static str>) {
    let ((asked, is_asked), (answers, answer)) = (channel(), channel());
    (Sources::only(Slow { asked, answer: Mutex::new(answer) }), is_asked, answers)
}

const CALL: &str = "module \"slow.hcl\" \"s\" {}";

#[test]
fn a_source_that_never_answers_is_given_up() {
    let registry = Registry::new();
    let (sources, is_asked, _answers) = slow();
    let deadline = Duration::from_millis(20);
    let loader = Loader::new(&registry).with_sources(sources).with_deadline(deadline);
    let began = Instant::now();
    let error = loader.load_text("site.hcl", CALL).into_graph().unwrap_err();
    assert!((deadline..GIVEN_UP).contains(&began.elapsed()), "{:?}", began.elapsed());
    let message = error.to_string();
    assert!(
        message.contains("error[load-deadline]: site.hcl was not loaded: it took longer than 20ms"),
        "{message}"
    );
    // On a busy machine the deadline may pass before the source is asked.
    if let Ok(reading) = is_asked.try_recv() {
        assert_eq!(reading.stopped(), Some(StopReason::Deadline(deadline)));
        assert!(
            message.starts_with("site.hcl:1:8: ")
                && message.ends_with("slow.hcl was not read to its end; it is called in site.hcl"),
            "{message}"
        );
    }
}

#[test]
fn a_load_is_cancelled_in_the_middle() {
    let registry = Registry::new();
    let (sources, is_asked, answers) = slow();
    let token = CancellationToken::new();
    let loader = Loader::new(&registry).with_sources(sources).cancel_on(token.clone());
    // The source itself cancels the token while it reads, so no timing is involved.
    let loader_thread = std::thread::spawn(move || {
        let reading = is_asked.recv().unwrap();
        assert_eq!((reading.stopped(), reading.time_left()), (None, None));
        token.cancel();
        reading.cancellation().unwrap().is_cancelled()
    });
    let error = loader.load_text("site.hcl", CALL).into_graph().unwrap_err();
    assert!(loader_thread.join().unwrap());
    assert_eq!(
        error.to_string(),
        "site.hcl:1:8: error[load-cancelled]: site.hcl was not loaded: it was cancelled; slow.hcl was not read to its end; it is called in site.hcl"
    );
    drop(answers);
    // The token stays cancelled, so the next load reads nothing.
    assert!(loader.load("other.hcl").into_graph().unwrap_err().to_string().contains("load-cancelled"));
}

#[test]
fn an_answer_in_time_is_loaded() {
    let registry = Registry::new();
    let (sources, _is_asked, answers) = slow();
    answers.send("param \"a\" { default = 1 }").unwrap();
    let loader =
        Loader::new(&registry).with_sources(sources).with_deadline(LONG).cancel_on(CancellationToken::new());
    let graph = loader.load_text("site.hcl", CALL).into_graph().unwrap();
    assert!(graph.find("root/module.s/param.a").is_some());
}

/// A source may use the runtime of the load on the thread that reads.
#[test]
fn a_source_has_the_runtime_of_the_load() {
    #[derive(Debug)]
    struct Awaits;
    impl ModuleSource for Awaits {
        fn read(&self, _: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
            let text = tokio::runtime::Handle::current().spawn(async { "param \"a\" { default = 1 }" });
            // Another thread of the runtime runs the task.
            while !text.is_finished() {
                std::thread::yield_now();
            }
            Ok("param \"a\" { default = 1 }".into())
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let _entered = runtime.enter();
    let registry = Registry::new();
    let loader = Loader::new(&registry).with_sources(Sources::only(Awaits)).with_deadline(LONG);
    assert!(loader.load_text("site.hcl", CALL).into_graph().is_ok());
}

#[test]
#[should_panic(expected = "the source is broken")]
fn a_source_that_panics_does_so_where_the_load_is() {
    #[derive(Debug)]
    struct Broken;
    impl ModuleSource for Broken {
        fn read(&self, _: &str, _: &Reading) -> Result<Arc<str>, SourceError> {
            panic!("the source is broken");
        }
    }
    let registry = Registry::new();
    let _ = Loader::new(&registry).with_sources(Sources::only(Broken)).with_deadline(LONG).load("site.hcl");
}

fn given_up(text: &str) -> LoadError {
    given_up_after(Duration::from_millis(5), text)
}

fn given_up_after(deadline: Duration, text: &str) -> LoadError {
    let registry = Registry::new();
    let modules = Memory::new().with("b.hcl", "");
    let loader = Loader::new(&registry).with_sources(Sources::only(modules)).with_deadline(deadline);
    let began = Instant::now();
    let error = loader.load_text("site.hcl", text).into_graph().unwrap_err();
    assert!(began.elapsed() < GIVEN_UP, "{:?}", began.elapsed());
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    assert_eq!(error.diagnostics[0].code, "load-deadline", "{error}");
    error
}

#[test]
fn work_is_given_up() {
    let sum = "length([for a in range(2000) : [for b in range(1000) : a + b]])";
    // On a busy machine the deadline may pass before the evaluation starts, so longer ones are tried too.
    let error = (0..8)
        .map(|twice| {
            given_up_after(Duration::from_millis(5 << twice), &format!("param \"a\" {{ default = {sum} }}"))
        })
        .find(|error| error.to_string().ends_with("; evaluation was stopped here"))
        .unwrap();
    assert!(error.to_string().starts_with("site.hcl:1:"), "{error}");
    // `try` does not catch a stopped load.
    given_up(&format!("param \"a\" {{ default = try({sum}, 1) }}"));
    // The same holds for templates, and for many small expressions.
    let range = "{{range split `` `0123456789`}}";
    given_up(&format!("param \"a\" {{ default = \"{}x{}\" }}", range.repeat(6), "{{end}}".repeat(6)));
    let small = |index| format!("param \"p{index}\" {{ default = length([for a in range(400) : a]) }}\n");
    given_up(&(0..2000).map(small).collect::<Vec<_>>().concat());
    // The same holds for nodes.
    given_up(
        "module \"b.hcl\" \"b\" { for_each = range(30000) }\nmodule \"b.hcl\" \"c\" { for_each = range(30000) }",
    );
}

/// The text has 16 MiB, and only a small part is read before the deadline.
#[test]
fn a_huge_text_is_given_up() {
    let item = "param \"a\" { default = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }\n";
    given_up(&item.repeat((16 << 20) / item.len()));
}

#[test]
fn a_pipe_is_not_waited_for() {
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("pipe.hcl");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    std::fs::write(place.path().join("site.hcl"), "param \"a\" { default = file(\"pipe.hcl\") }").unwrap();
    let registry = Registry::new();
    for loader in [Loader::new(&registry), Loader::new(&registry).with_deadline(LONG)] {
        for file in ["pipe.hcl", "site.hcl"] {
            let error = loader.load_file(&place.path().join(file)).into_graph().unwrap_err();
            assert!(error.to_string().contains("it is a named pipe, not a regular file"), "{error}");
        }
    }
}

/// A source that reads through its [`Reading`] stops by itself after a cancellation.
#[test]
fn a_thread_that_looks_ends() {
    #[derive(Debug)]
    struct Drips(Sender<String>, CancellationToken);
    impl ModuleSource for Drips {
        fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
            self.1.cancel();
            let text = reading.text(name, OneByOne);
            self.0.send(text.as_ref().unwrap_err().to_string()).unwrap();
            text.map(Arc::from)
        }
    }
    /// A reader that returns one byte at a time without end.
    struct OneByOne;
    impl Read for OneByOne {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            std::thread::yield_now();
            buffer[0] = b' ';
            Ok(1)
        }
    }
    let registry = Registry::new();
    let (ended, has_ended) = channel();
    let token = CancellationToken::new();
    let sources = Sources::only(Drips(ended, token.clone()));
    let loader = Loader::new(&registry).with_sources(sources).cancel_on(token);
    assert!(loader.load("a.hcl").into_graph().is_err());
    assert_eq!(has_ended.recv().unwrap(), "cannot read a.hcl: it was cancelled");
}

#[test]
fn nothing_is_read_when_there_is_no_time() {
    let registry = Registry::new();
    let (sources, is_asked, _answers) = slow();
    let loader = Loader::new(&registry).with_sources(sources).with_deadline(Duration::ZERO);
    assert_eq!(loader.load("a.hcl").into_graph().unwrap_err().diagnostics[0].code, "load-deadline");
    assert!(is_asked.try_recv().is_err());
}
