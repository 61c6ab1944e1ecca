//! Debian packages that are files.

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, SystemErrorKind};

use super::apt_get::unsupported;
use super::spec::AptSpec;
use crate::net::download::not_yet;
use crate::package::file::{Copy, PackageFile};
use crate::package::output::OutputTail;

/// A package file, and the information about it.
#[derive(Debug)]
pub(super) struct Deb {
    file: PackageFile,
    /// The package in the file and its version, if it was inspected.
    pub(super) spec: Vec<AptSpec>,
    /// The temporary copy for apt-get.
    copy: Option<Copy>,
}

impl Deb {
    pub(super) fn new(file: PackageFile) -> Self {
        Self { file, spec: Vec::new(), copy: None }
    }

    pub(super) fn path(&self) -> Option<String> {
        self.copy.as_ref().map(Copy::path)
    }

    /// Copies and inspects the file.
    ///
    /// Returns `false` if a pending change may bring the file, with a message in the status.
    pub(super) async fn open(&mut self, cx: &Context, status: &mut Status) -> Result<bool> {
        self.spec.clear();
        let copied = self.file.copy(cx, "package.deb").await;
        let Some(copy) = not_yet(cx, status, copied)? else { return Ok(false) };
        let spec = self.look(cx, &copy).await;
        self.copy = Some(copy);
        let Some(spec) = not_yet(cx, status, spec)? else { return Ok(false) };
        self.spec.push(spec);
        Ok(true)
    }

    /// Copies the file again for an apply. Its content must be the same as in the check.
    pub(super) async fn reopen(&mut self, cx: &Context) -> Result<()> {
        let copy = self.file.copy(cx, "package.deb").await?;
        let spec = self.look(cx, &copy).await?;
        if self.spec.first() != Some(&spec) {
            return Err(Error::msg(format!(
                "{} has changed since the check: now it is {spec}",
                self.file.shown()
            )));
        }
        self.copy = Some(copy);
        Ok(())
    }

    pub(super) async fn close(&mut self) -> Result<()> {
        match self.copy.take() {
            Some(copy) => copy.remove().await,
            None => Ok(()),
        }
    }

    async fn look(&self, cx: &Context, copy: &Copy) -> Result<AptSpec> {
        let format = "--showformat=${Package}\\t${Architecture}\\t${Version}\\n";
        let mut command = Command::new("dpkg-deb").args(["--show", format, "--", &copy.path()]);
        command.env.insert("LC_ALL".to_owned(), "C.UTF-8".to_owned());
        command.timeout = cx.remaining();
        let output = match cx.system().processes().run(command).await {
            Ok(output) => output,
            Err(error) if error.kind == SystemErrorKind::NotFound => return Err(unsupported(cx, "dpkg-deb")),
            Err(error) => return Err(error.into()),
        };
        let stdout = String::from_utf8_lossy(&output.stdout);
        let fields: Vec<&str> = stdout.trim_end().split('\t').collect();
        if let ([name, arch, version], true) = (fields.as_slice(), output.exit.success()) {
            let arch = if *arch == "all" { String::new() } else { format!(":{arch}") };
            return format!("{name}{arch}={version}").parse().map_err(Error::msg);
        }
        let stderr = String::from_utf8_lossy(&output.stderr).replace(&copy.path(), self.file.shown());
        let tail = OutputTail::from_lines(stderr.lines());
        Err(Error::msg(format!("{} cannot be read as a package of Debian{tail}", self.file.shown())))
    }
}
