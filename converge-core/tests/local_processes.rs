//! Tests that the local system runs programs and leaves no processes behind.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test, and it looks at the real machine"
)]

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use converge_core::system::{
    Command, Exit, KeepOutput, LeftOut, LocalSystem, Output, OutputStream, OutputWatch, System,
    SystemErrorKind,
};
use tokio_util::sync::CancellationToken;

fn sh(script: &str) -> Command {
    Command::new("sh").args(["-c", script])
}

async fn run(command: Command) -> Output {
    LocalSystem::new().processes().run(command).await.expect("the program starts")
}

fn printed(stdout: &str, stderr: &str) -> Output {
    Output { stderr: stderr.into(), ..Output::success(stdout) }
}

#[tokio::test]
async fn what_is_printed_without_end_is_cut_and_counted() {
    let printed = 40 << 20;
    let script = format!("echo first; head -c {printed} /dev/zero; echo last; echo err >&2");
    let mut command = sh(&script);
    command.keep = KeepOutput::Ends;
    let output = run(command).await;
    let (limit, left_out) = (2 << 20, "first\nlast\n".len() as u64 + printed - (2 << 20));
    assert_eq!((output.exit, output.left_out), (Exit::Code(0), LeftOut { stdout: left_out, stderr: 0 }));
    let marker = format!("\n[.. {left_out} bytes are left out here ..]\n");
    assert_eq!(output.stdout.len(), limit + marker.len());
    assert_eq!(&output.stdout[limit / 2..limit / 2 + marker.len()], marker.as_bytes());
    assert!(output.stdout.starts_with(b"first\n") && output.stdout.ends_with(b"last\n"));
    // Truncated data would be useless to a reader, so the call fails.
    let (message, kind) = refused(sh(&script)).await;
    assert_eq!(kind, SystemErrorKind::TooMuchOutput(16 << 20));
    assert_eq!(message, "cannot use the output of sh: it printed more than 16777216 bytes");
}

async fn refused(command: Command) -> (String, SystemErrorKind) {
    let error = LocalSystem::new().processes().run(command).await.expect_err("the program does not start");
    (error.to_string(), error.kind)
}

#[tokio::test]
async fn reports_exit_and_output() {
    for (script, exit, stdout, stderr) in [
        ("exit 0", Exit::Code(0), "", ""),
        ("echo out; echo err >&2; exit 7", Exit::Code(7), "out\n", "err\n"),
        ("kill -TERM $$", Exit::Signal(15), "", ""),
    ] {
        let expect = Output { exit, ..printed(stdout, stderr) };
        assert_eq!(run(sh(script)).await, expect, "{script}");
    }
}

/// Returns a command with an observer that counts the bytes of each stream.
fn watched(script: &str) -> (Command, Arc<Mutex<[usize; 2]>>) {
    let counts = Arc::new(Mutex::new([0; 2]));
    let counter = Arc::clone(&counts);
    let mut command = sh(script);
    command.keep = KeepOutput::Ends;
    command.watch = Some(OutputWatch::new(move |stream, piece| {
        let mut count = counter.lock().expect("nobody panics");
        count[usize::from(stream == OutputStream::Stderr)] += piece.len();
    }));
    (command, counts)
}

#[tokio::test]
async fn who_watches_sees_all_that_is_printed() {
    let printed = 20 << 20;
    let (command, counts) =
        watched(&format!("head -c {printed} /dev/zero & head -c {printed} /dev/zero >&2; wait"));
    let output = run(command).await;
    assert_eq!(output.exit, Exit::Code(0));
    assert_eq!(*counts.lock().expect("nobody panics"), [printed; 2]);
    assert!(output.stdout.len() < 3 << 20, "what is kept is bounded all the same");
}

#[tokio::test]
async fn others_have_their_turns_while_a_program_prints() {
    let (command, counts) = watched("cat /dev/zero");
    let mut run = pin!(run(command));
    // Between two turns one piece of the endless output is read, or a few if other tasks of the run use the
    // turn. Without turns, all of it would be read at once.
    let mut before = 0;
    while before < 10 << 20 {
        tokio::select! {
            biased;
            _ = &mut run => panic!("it has no end"),
            () = tokio::task::yield_now() => {}
        }
        let count = counts.lock().expect("nobody panics")[0];
        assert!(count - before <= 512 << 10, "{} bytes in one turn", count - before);
        before = count;
    }
}

#[tokio::test]
async fn a_program_that_is_to_stop_is_asked_to_with_its_whole_group() {
    let token = CancellationToken::new();
    let script = "trap 'wait; echo ending; exit 3' TERM; (trap 'echo child; exit' TERM; echo ready; sleep 100 & wait) & wait; wait";
    let (mut command, counts) = watched(script);
    command = command.stop_on(&token);
    let (output, ()) = tokio::join!(run(command), async {
        until(|| (counts.lock().expect("nobody panics")[0] > 0).then_some(())).await;
        token.cancel();
    });
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("child") && printed.contains("ending"), "{printed}");
    assert_eq!(output.exit, Exit::Code(3));
    // Without a trap, the signal ends the program.
    let token = CancellationToken::new();
    token.cancel();
    assert_eq!(run(sh("sleep 100").stop_on(&token)).await.exit, Exit::Signal(15));
}

#[tokio::test]
async fn passes_environment_directory_and_input() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut command = sh("echo $GREETING; pwd -P; cat");
    command.env.insert("GREETING".to_owned(), "hello".to_owned());
    command.dir = Some(dir.path().to_owned());
    command.stdin = b"from the input".to_vec();
    let directory = dir.path().canonicalize().expect("it exists");
    let expect = format!("hello\n{}\nfrom the input", directory.display());
    assert_eq!(String::from_utf8_lossy(&run(command).await.stdout), expect);
}

#[tokio::test]
async fn moves_large_input_and_output_at_once() {
    let mut command = Command::new("cat");
    command.stdin = vec![b'x'; 3 << 20];
    let expect = command.stdin.clone();
    assert!(run(command).await.stdout == expect, "all of the input comes back");
}

#[tokio::test]
async fn input_that_is_not_read_is_no_error() {
    let mut command = Command::new("true");
    command.stdin = vec![b'x'; 1 << 20];
    assert_eq!(run(command).await.exit, Exit::Code(0));
}

#[tokio::test]
async fn a_timeout_kills_the_group_and_keeps_the_output() {
    let dir = tempfile::tempdir().expect("a directory");
    let pid = dir.path().join("pid");
    let mut command = sh(&format!("sleep 100 & echo before; echo $! > {}; wait", pid.display()));
    command.timeout = Some(Duration::from_hours(1));
    let (output, pid) = tokio::join!(run(command), async {
        let pid = until(|| std::fs::read_to_string(&pid).ok().filter(|text| text.ends_with('\n'))).await;
        an_hour_passes().await;
        pid
    });
    assert_eq!(output, Output { exit: Exit::TimedOut, ..printed("before\n", "") });
    assert_ends(&pid).await;
}

#[tokio::test]
async fn dropping_the_future_kills_the_group() {
    let dir = tempfile::tempdir().expect("a directory");
    let pid = dir.path().join("pid");
    let script = format!("sleep 100 & echo $! > {}; wait", pid.display());
    let running = tokio::spawn(async move { run(sh(&script)).await });
    let pid_text = until(|| std::fs::read_to_string(&pid).ok().filter(|text| text.ends_with('\n'))).await;
    running.abort();
    assert!(running.await.expect_err("it was aborted").is_cancelled());
    assert_ends(&pid_text).await;
}

#[tokio::test]
async fn a_process_in_the_background_does_not_hold_the_run() {
    for background in ["sleep 100", "yes"] {
        let started = Instant::now();
        let mut command = sh(&format!("{background} & echo $! >&2"));
        command.keep = KeepOutput::Ends;
        let output = run(command).await;
        assert_eq!(output.exit, Exit::Code(0));
        assert!(started.elapsed() < Duration::from_secs(50), "{background}: {:?}", started.elapsed());
        let pid = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        run(Command::new("kill").arg(pid)).await;
    }
}

#[tokio::test]
async fn says_why_a_program_cannot_be_started() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.display().to_string()
    };
    let plain_file = script("plain", "no program");
    let dangling_script = script("lost", "#!/no/such/interpreter\n");
    run(Command::new("chmod").args(["+x", &dangling_script])).await;
    let inside = |path: &str| {
        let mut command = Command::new("true");
        command.dir = Some(path.into());
        command
    };
    for (command, message, kind) in [
        (
            Command::new("no-such-program"),
            "cannot run no-such-program: it does not exist".to_owned(),
            SystemErrorKind::NotFound,
        ),
        (
            Command::new(&*plain_file),
            format!("cannot run {plain_file}: permission denied"),
            SystemErrorKind::PermissionDenied,
        ),
        (
            Command::new(&*dangling_script),
            format!("cannot run {dangling_script}: its interpreter does not exist"),
            SystemErrorKind::Other("its interpreter does not exist".to_owned()),
        ),
        (
            inside("/no/such/directory"),
            "cannot run a program in /no/such/directory: it does not exist".to_owned(),
            SystemErrorKind::NotFound,
        ),
        (
            inside(&plain_file),
            format!("cannot run a program in {plain_file}: not a directory"),
            SystemErrorKind::NotADirectory,
        ),
    ] {
        assert_eq!(refused(command).await, (message, kind));
    }
}

/// Lets an hour of virtual time pass, which ends a timeout.
async fn an_hour_passes() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_hours(1)).await;
    tokio::time::resume();
}

/// Waits until the process is gone or is a zombie.
async fn assert_ends(pid: &str) {
    let stat = format!("/proc/{}/stat", pid.trim());
    until(|| match std::fs::read_to_string(&stat) {
        Ok(text) => text.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')).then_some(()),
        Err(_) => Some(()),
    })
    .await;
}

/// Polls until there is an answer; a minute without one fails the test.
async fn until<T>(mut poll: impl FnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            match poll() {
                Some(item) => return item,
                None => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(1), looking).await.expect("it happens within a minute")
}
