//! Tests of `converge top` in a pseudo-terminal.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use converge_tests::{converge, run, with_default_signals};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::shared_address::address;
use super::{Server, tls};
use crate::run::private;

/// The escape sequences that enter and leave the alternate screen.
const ENTER: &str = "\u{1b}[?1049h";
const LEAVE: &str = "\u{1b}[?1049l";
/// The maximum time to wait.
const LONG: Duration = Duration::from_mins(2);

/// A pseudo-terminal with the program.
struct Terminal {
    /// The input of the terminal.
    keyboard: File,
    /// The terminal end of the program, kept open to inspect the settings after the program has ended.
    end: OwnedFd,
    said: Receiver<Vec<u8>>,
    /// All output so far.
    all: String,
    program: Child,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

impl Terminal {
    fn start(arguments: &[&str]) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        let keyboard = openpt(flags).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let path = ptsname(&keyboard, Vec::new()).unwrap();
        let end =
            rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        tcsetwinsize(&end, Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        // The program gets a session with its own terminal, not that of the tests.
        let program = with_default_signals(converge(&["top"]).args(arguments));
        let mut command = Command::new("setsid");
        command.arg("--ctty").arg(program.get_program()).args(program.get_args());
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR").env_remove("CONVERGE_LOG");
        let io = || end.try_clone().unwrap();
        let child = command.stdin(io()).stdout(io()).stderr(io()).spawn().unwrap();
        let keyboard = File::from(keyboard);
        let (mut screen, (sender, receiver)) = (keyboard.try_clone().unwrap(), channel());
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = screen.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { keyboard, end, said: receiver, all: String::new(), program: child }
    }

    /// Waits until a word is drawn after the previous one.
    ///
    /// Text that is already on the screen is not drawn again.
    fn until(&mut self, text: &str) {
        loop {
            if let Some(position) = self.all.find(text) {
                self.all.drain(..position + text.len());
                return;
            }
            let bytes_read = self.said.recv_timeout(LONG);
            let bytes_read = bytes_read.unwrap_or_else(|_| panic!("there is no {text:?} in {:?}", self.all));
            self.all.push_str(&String::from_utf8_lossy(&bytes_read));
        }
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Whether the terminal is in raw mode without echo.
    fn is_raw(&self) -> bool {
        !tcgetattr(&self.end).unwrap().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO)
    }

    /// Waits for the end of the program, and checks that the terminal is restored.
    fn ends(mut self) -> ExitStatus {
        self.until(LEAVE);
        let status = self.program.wait().unwrap();
        assert!(!self.is_raw());
        // The cursor becomes visible again.
        self.until("\u{1b}[?25h");
        status
    }
}

#[test]
fn it_is_live_and_gives_the_terminal_back() {
    let folder = private();
    let data = folder.path().to_str().unwrap();
    let server = Server::start_at(&address(), &["--data", data]);
    server.living_node("web-1", "web", "0.1.0-here");
    let url = server.url.clone();
    let mut terminal = Terminal::start(&["--server", &url]);
    terminal.until(ENTER);
    terminal.until("0.1.0-here");
    assert!(terminal.is_raw());
    server.node("web-2", "web");
    terminal.until("web-2");
    drop(server);
    terminal.until("away");
    let server = Server::restart(&url, data);
    server.node("web-3", "web");
    terminal.until("web-3");
    terminal.types("\r");
    terminal.until("Last");
    terminal.types("\u{1b}");
    terminal.until("HEARD");
    terminal.types("q");
    assert_eq!(terminal.ends().code(), Some(0));
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let server = Server::start(&["--dev"]);
    for signal in ["-TERM", "-INT"] {
        let mut terminal = Terminal::start(&["--server", &server.url, "--view", "events"]);
        terminal.until("[4");
        let id = terminal.program.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(terminal.ends().code(), Some(0), "{signal}");
    }
}

#[test]
fn where_there_is_no_terminal_a_table_is_printed() {
    let server = Server::start(&["--dev"]);
    server.living_node("web-1", "web", "0.1.0-here");
    let unreachable = "http://127.0.0.1:1";
    let addresses = format!("{unreachable},{}", server.url);
    for url in [&server.url, &addresses] {
        let output = run(&["top", "--server", url]).success();
        let mut lines = output.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(lines.next().unwrap(), ["NODE", "STATE", "HEARD", "MODULES", "AGENT", "LABELS"]);
        let node = lines.next().unwrap();
        assert_eq!((node[0], node.last()), ("web-1", Some(&"role=web")), "{node:?}");
        assert!(!output.stdout.contains('\u{1b}'), "{:?}", output.stdout);
    }
    let output = run(&["top", "--server", &server.url, "--view", "modules"]).success();
    assert!(output.stdout.starts_with("MODULE"), "{}", output.everything());
    let output = run(&["top", "--server", unreachable]);
    assert_eq!(output.code, Some(1), "{}", output.everything());
    assert!(output.stderr.contains("no server answers at"), "{}", output.everything());
}

#[test]
fn it_is_live_over_tls_with_a_token() {
    let place = tls::Place::new();
    let authority = place.authority();
    let token = place.identity().join("admin.token");
    let [authority, token] = [&authority, &token].map(|file| file.to_str().unwrap());
    let arguments = ["--server", &place.url, "--ca", authority, "--token-file", token];
    let mut terminal = Terminal::start(&arguments);
    terminal.until(ENTER);
    terminal.until("HEARD");
    // Changes arrive through the existing watches.
    let file = place.folder.path().join("node.yaml");
    fs::write(&file, "type: converge.v1.Node\nname: web-1\n").unwrap();
    place
        .ask(&place.url, Some(&place.authority()), &["resource", "apply", "-f", file.to_str().unwrap()])
        .success();
    terminal.until("web-1");
    terminal.types("q");
    assert_eq!(terminal.ends().code(), Some(0));

    // Without the authority or the token, the error names the cause.
    let mut stranger = Terminal::start(&["--server", &place.url, "--token-file", token]);
    stranger.until("certificate");
    stranger.types("q");
    assert_eq!(stranger.ends().code(), Some(0));
    let mut nobody = Terminal::start(&["--server", &place.url, "--ca", authority]);
    nobody.until("token");
    nobody.types("q");
    assert_eq!(nobody.ends().code(), Some(0));
}
