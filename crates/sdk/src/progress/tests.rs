//! Tests of reported lines of output, with and without secrets.

use super::target::LONGEST;
use super::*;
use crate::context::{Context, RunMode};
use crate::system::{LocalSystem, ModelSystem};
use crate::testing::ProgressRecorder;

/// Returns the lines reported for these pieces of output, each with the number of bytes cut off.
fn lines_of(secrets: &[&str], pieces: &[(OutputStream, &[u8])]) -> Vec<String> {
    let redactor = Redactor::new();
    for secret in secrets {
        assert!(redactor.hide(secret), "{secret:?}");
    }
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(crate::testing::context(&Arc::new(ModelSystem::new())));
    let Some(to) = cx.progress().to.map(Arc::clone) else { unreachable!("the recorder listens") };
    let lines = Arc::new(Lines::new(to, redactor));
    let end = lines::EndOfOutput(Arc::clone(&lines));
    for (stream, piece) in pieces {
        lines.add(*stream, piece);
    }
    drop(end);
    recorder.take().into_iter().map(shown).collect()
}

fn shown(update: ProgressUpdate) -> String {
    match update {
        ProgressUpdate::Output { stream, line, left_out } => {
            let stream = if stream == OutputStream::Stdout { "" } else { "! " };
            let rest = if left_out > 0 { format!(" +{left_out}") } else { String::new() };
            format!("{stream}{line}{rest}")
        }
        other => format!("{other:?}"),
    }
}

fn check(pieces: &[&str], expect: &[&str]) {
    let pieces: Vec<_> = pieces.iter().map(|piece| (OutputStream::Stdout, piece.as_bytes())).collect();
    let lines = lines_of(&[], &pieces);
    let begin = pieces.first().map(|(_, piece)| String::from_utf8_lossy(&piece[..piece.len().min(80)]));
    assert!(lines == expect, "{begin:?} ..: {lines:.200?} and not {expect:.200?}");
}

#[test]
fn lines_end_where_people_see_them_end() {
    check(&[], &[]);
    check(&["a\nb\n"], &["a", "b"]);
    check(&["a", "b", "\n", "c"], &["ab", "c"]);
    check(&["\n\na\n"], &["", "", "a"]);
    check(&["a\r\nb\r\n"], &["a", "b"]);
    check(&["a\r", "\nb\r", "\r\n\nc"], &["a", "b", "", "c"]);
    check(&["\r 1%\r 2%\r\r 3%\n"], &[" 1%", " 2%", " 3%"]);
}

#[test]
fn the_two_streams_do_not_mix() {
    use OutputStream::{Stderr, Stdout};
    let pieces: [(_, &[u8]); 5] =
        [(Stdout, b"out "), (Stderr, b"err "), (Stdout, b"1\n"), (Stderr, b"2\n"), (Stderr, b"3")];
    assert_eq!(lines_of(&[], &pieces), ["out 1", "! err 2", "! 3"]);
}

#[test]
fn what_is_no_text_is_replaced() {
    let pieces: [(_, &[u8]); 2] =
        [(OutputStream::Stdout, b"\xff\xfea\xc3"), (OutputStream::Stdout, b"\xa9\0\n")];
    assert_eq!(lines_of(&[], &pieces), ["\u{fffd}\u{fffd}aé\0"]);
}

#[test]
fn a_long_line_is_cut_and_what_is_missing_counted() {
    let long = "x".repeat(LONGEST);
    check(&[&long, "\n"], &[&long]);
    check(&[&long, "yz\n", "next\n"], &[&format!("{long} +2"), "next"]);
    let piece = "x".repeat(1 << 20);
    let pieces: Vec<&str> = std::iter::repeat_n(piece.as_str(), 100).collect();
    check(&pieces, &[&format!("{long} +{}", (100 << 20) - LONGEST)]);
    // A line is not cut within a character.
    let long_line = format!("x{}", "é".repeat(LONGEST));
    check(&[&long_line], &[&format!("x{} +{}", "é".repeat(LONGEST / 2 - 1), long_line.len() - LONGEST + 1)]);
}

#[test]
fn no_part_of_a_secret_is_told_wherever_it_is_cut() {
    let secret = "correct horse battery staple";
    let redact_pieces = |pieces: &[&str]| {
        let pieces: Vec<_> = pieces.iter().map(|piece| (OutputStream::Stderr, piece.as_bytes())).collect();
        lines_of(&[secret], &pieces).concat()
    };
    for offset in 1..secret.len() {
        let (first, second) = secret.split_at(offset);
        assert_eq!(redact_pieces(&["a ", first, second, " b\n"]), "! a (sensitive) b", "{offset}");
    }
    // The cut may fall at any position within the secret.
    for before in LONGEST - 2 * secret.len()..LONGEST + 80 {
        let output = redact_pieces(&[&"x".repeat(before), secret, &"y".repeat(200), "\n"]);
        for window in secret.as_bytes().windows(5) {
            let fragment = str::from_utf8(window).unwrap();
            assert!(!output.contains(fragment), "{before}: {fragment:?} in {output}");
        }
        assert!(before < LONGEST || !output.contains("corr"), "{before}");
    }
    let key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n9w0BAQEFAASCBKcw\n-----END KEY-----";
    let pieces: Vec<_> = key.as_bytes().chunks(3).map(|piece| (OutputStream::Stdout, piece)).collect();
    let output = lines_of(&[key], &pieces).concat();
    assert!(!output.contains("MIIE") && !output.contains("9w0B"), "{output}");
}

#[tokio::test]
async fn a_program_of_this_machine_is_told_of_while_it_runs() {
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(Context::new(
        Arc::new(LocalSystem::new()),
        crate::RunId::new("test"),
        RunMode::Apply,
    ));
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("go");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script = "echo one; echo two >&2; cat go; printf three";
    let mut command = Command::new("sh").args(["-c", script]);
    command.dir = Some(dir.path().to_owned());
    let mut run = std::pin::pin!(cx.progress().run(command));
    let mut before = Vec::new();
    while before.len() < 2 {
        tokio::select! {
            biased;
            _ = &mut run => panic!("it waits for the test"),
            () = tokio::task::yield_now() => before.extend(recorder.take().into_iter().map(shown)),
        }
    }
    before.sort();
    assert_eq!(before, ["! two", "one"]);
    // The program ends once the pipe has been opened and closed.
    #[expect(clippy::disallowed_methods, reason = "the test is the other end of what the program reads")]
    let opened =
        tokio::task::spawn_blocking(move || drop(std::fs::OpenOptions::new().write(true).open(fifo)));
    let output = run.await.unwrap();
    opened.await.unwrap();
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"one\nthree"[..], &b"two\n"[..]));
    assert_eq!(recorder.take().into_iter().map(shown).collect::<Vec<_>>(), ["three"]);
}

#[tokio::test]
async fn nobody_who_listens_is_nothing_that_is_done() {
    let cx =
        crate::testing::context(&Arc::new(ModelSystem::new().with_query(["true"], Output::success("a\n"))));
    assert!(!cx.progress().is_heard());
    cx.progress().step("one");
    cx.progress().bytes(1, None);
    let command = Command::new("true");
    assert_eq!(cx.progress().run(command).await.unwrap().stdout, b"a\n");
}
