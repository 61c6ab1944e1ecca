//! The serial line for commands to a guest and for their results.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout};

use crate::command_output::Said;

/// Both directions of the line.
#[derive(Debug)]
pub(super) struct Port {
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Port {
    /// Returns the line of a machine, which is its standard input and output.
    pub(super) fn new(machine: &mut Child) -> Option<Self> {
        Some(Self { to: machine.stdin.take()?, from: BufReader::new(machine.stdout.take()?) })
    }

    /// Waits until the guest accepts commands.
    pub(super) fn wait_until_ready(&mut self) -> io::Result<()> {
        while self.line()? != "ready" {}
        Ok(())
    }

    /// Runs a script that reboots the guest, and waits until the guest accepts commands again.
    ///
    /// The result of the script may or may not arrive before the reboot, so it is ignored.
    pub(super) fn restart(&mut self, script: &str) -> io::Result<()> {
        self.send(script, b"")?;
        self.wait_until_ready()
    }

    fn send(&mut self, script: &str, stdin: &[u8]) -> io::Result<()> {
        write!(self.to, "{} {}\n{script}", script.len(), stdin.len())?;
        self.to.write_all(stdin)?;
        self.to.flush()
    }

    /// Runs a script with this standard input.
    pub(super) fn run(&mut self, script: &str, stdin: &[u8]) -> io::Result<Said> {
        self.send(script, stdin)?;
        let head = self.line()?;
        let numbers: Option<Vec<usize>> = head.split(' ').map(|number| number.parse().ok()).collect();
        let Some([code, stdout, stderr]) = numbers.as_deref() else {
            return Err(io::Error::other(format!("it answers {head:?}")));
        };
        let code = i32::try_from(*code).ok();
        Ok(Said { code, stdout: self.text(*stdout)?, stderr: self.text(*stderr)? })
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }

    fn text(&mut self, length: usize) -> io::Result<String> {
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
