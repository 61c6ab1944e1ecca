//! Tests of resource limits: threads, files, file sizes, memory.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use converge_tests::{is_root, programs, skip};

use crate::run::{module, private};

const PAUSE: Duration = Duration::from_millis(5);
const LOOKS: usize = 12_000;

/// An unused user id, so that no other processes count for its limits.
const USER: u32 = 54_321;

/// Two scripts, and a file of some size.
const MODULE: &str = "task.query \"a\" { query = \"echo a\" }\ntask.query \"b\" { query = \"echo b\" }\n\
                      file.content \"c\" {\n  destination = \"DIR/c\"\n  content = \"{{lookup `task.query.a.status.stdout`}}\"\n}\n";

/// Creates a `converge` command under limits of `prlimit`.
fn limited(limits: &[&str], arguments: &[&str]) -> Command {
    let mut command = Command::new("prlimit");
    command.args(limits).arg(programs().join("converge")).args(arguments);
    command.env_remove("CONVERGE_LOG").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the command to its end, and fails after a timeout.
fn finish(command: &mut Command) -> Output {
    let mut child = command.spawn().unwrap();
    let ended = (0..LOOKS).any(|_| {
        sleep(PAUSE);
        child.try_wait().unwrap().is_some()
    });
    if !ended {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert!(ended, "it hangs: {}", text(&output));
    output
}

fn text(output: &Output) -> String {
    format!(
        "{:?}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Whether the command did its work, or reported the limit as its reason.
fn is_honest(output: &Output, limit: &str) -> bool {
    let text = text(output);
    assert!(!text.contains("panicked"), "{limit}: {text}");
    assert!(matches!(output.status.code(), Some(0 | 1)), "{limit}: {text}");
    assert!(output.status.success() || text.contains("error: "), "{limit}: {text}");
    output.status.success()
}

#[test]
fn few_files_are_an_error_or_enough() {
    let folder = private();
    let path = module(folder.path(), &MODULE.replace("DIR", &folder.path().display().to_string()));
    let mut successes = Vec::new();
    for files in [4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 36, 40, 48, 64] {
        let limit = format!("--nofile={files}");
        successes.push(is_honest(&finish(&mut limited(&[&limit], &["plan", &path])), &limit));
    }
    assert_eq!(successes.last(), Some(&true));
    let output = finish(&mut limited(&["--nofile=20"], &["plan", &path]));
    assert!(text(&output).contains("`ulimit -n`"), "{}", text(&output));
}

/// The members of a batch hold open files until all of them are on disk.
#[test]
fn batches_of_files_leave_open_files_for_other_work() {
    let folder = private();
    let file = |number: usize| {
        let path = folder.path().join(number.to_string());
        format!(
            "file.content \"f{number}\" {{\n  destination = \"{}\"\n  content = \"x\"\n}}\n",
            path.display()
        )
    };
    let path = module(folder.path(), &(0..2000).map(file).collect::<String>());
    let state = folder.path().join("state").display().to_string();
    let arguments = ["apply", "--parallelism", "64", "--state-dir", &state, &path];
    // Nobody reads the output before the end.
    let output = finish(limited(&["--nofile=512"], &arguments).stdout(Stdio::null()));
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn few_processes_are_an_error_or_enough() {
    if !is_root() {
        // Root is exempt from the limit, and only root can switch to a user without other processes.
        return skip("few_processes_are_an_error_or_enough", "not root");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = module(folder.path(), &MODULE.replace("DIR", &folder.path().display().to_string()));
    let (mut successes, mut refused) = (0, 0);
    for processes in 1..16 {
        let limit = format!("--nproc={processes}");
        let mut command = limited(&[&limit], &["plan", &path]);
        let output = finish(command.uid(USER).gid(USER).env_remove("HOME").env_remove("CONVERGE_STATE_DIR"));
        if is_honest(&output, &limit) {
            successes += 1;
        } else if text(&output).contains("`ulimit -u`") {
            refused += 1;
        }
    }
    assert!(successes > 0 && refused > 0, "{successes} {refused}");
}

#[test]
fn little_memory_ends_it_at_once() {
    let folder = private();
    let path = module(folder.path(), &MODULE.replace("DIR", &folder.path().display().to_string()));
    let mut is_successful = false;
    for mebibytes in [16, 32, 48, 64, 96, 128, 192, 256, 512, 1024] {
        let limit = format!("--as={}", mebibytes * 1024 * 1024);
        let output = finish(&mut limited(&[&limit], &["plan", &path]));
        assert!(!text(&output).contains("panicked"), "{mebibytes}: {}", text(&output));
        is_successful = output.status.success();
    }
    assert!(is_successful);
}

#[test]
fn a_file_that_is_too_large_is_an_error_and_scripts_are_as_ever() {
    let folder = private();
    let dir = folder.path().display().to_string();
    let text_of = "x".repeat(20_000);
    let path = module(
        folder.path(),
        &format!(
            "file.content \"big\" {{\n  destination = \"{dir}/big\"\n  content = \"{text_of}\"\n}}\n\
             task.query \"large\" {{ query = \"head -c 20000 /dev/zero > {dir}/large; echo $?\" }}\n\
             task.query \"pipe\" {{ query = \"(kill -PIPE $(sh -c 'echo $PPID'); echo lives); echo $?\" }}\n\
             file.content \"said\" {{\n  destination = \"{dir}/said\"\n  content = \"{{{{lookup `task.query.large.status.stdout`}}}}\
             {{{{lookup `task.query.pipe.status.stdout`}}}}\"\n}}\n"
        ),
    );
    let state = folder.path().join("state").display().to_string();
    let output = finish(&mut limited(&["--fsize=10000"], &["apply", "--state-dir", &state, &path]));
    assert_eq!((output.status.code(), output.status.signal()), (Some(1), None), "{}", text(&output));
    assert!(text(&output).contains("! file.content.big"), "{}", text(&output));
    assert!(text(&output).contains("File too large"), "{}", text(&output));
    assert!(!folder.path().join("big").exists());
    // 128 plus the numbers of SIGXFSZ and SIGPIPE: scripts still die from these signals.
    assert_eq!(fs::read_to_string(folder.path().join("said")).unwrap(), "153\n141\n", "{}", text(&output));
}
