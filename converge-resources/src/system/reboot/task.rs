use std::path::Path;
use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Follow};

use super::delay::Delay;
use crate::{platform, tools};

const TYPE: &str = "system.reboot";

/// Files that exist only in containers.
const CONTAINER_MARKERS: [&str; 3] = ["/run/systemd/container", "/.dockerenv", "/run/.containerenv"];

/// The kernel's file with the id of the current boot.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The file that systemd writes when a reboot is scheduled.
const SCHEDULED: &str = "/run/systemd/shutdown/scheduled";

/// The directory that exists if systemd runs the machine.
const SYSTEMD: &str = "/run/systemd/system";

/// The interval between looks at the machine.
const INTERVAL: Duration = Duration::from_millis(200);

/// The task of a `system.reboot` resource.
#[derive(Debug, Export)]
pub struct Reboot {
    /// The message for users.
    #[export]
    pub(super) message: String,
    /// The path of the file that requires a reboot.
    #[export]
    pub(super) when_file_exists: Option<String>,
    pub(super) delay: Delay,
    pub(super) shutdown_timeout: Duration,
}

async fn is_there(cx: &Context, path: &str) -> Result<bool> {
    Ok(cx.system().files().metadata(Path::new(path), Follow::Never).await?.is_some())
}

impl Reboot {
    /// Returns an error if the machine cannot reboot, or if a later run could not notice the boot.
    async fn can_boot(cx: &Context) -> Result<()> {
        platform::only_on_linux(cx, TYPE, "it needs the boot id of Linux")?;
        for of_container in CONTAINER_MARKERS {
            if is_there(cx, of_container).await? {
                let reason = format!("this is a container, which cannot boot ({of_container} is there)");
                return Err(platform::unsupported(cx, TYPE, reason));
            }
        }
        if !is_there(cx, BOOT).await? {
            let reason = format!("without {BOOT} a later run cannot tell that the machine has rebooted");
            return Err(platform::unsupported(cx, TYPE, reason));
        }
        tools::require(cx, "shutdown").await
    }

    async fn boot(&self, cx: &Context) -> Result<Status> {
        Self::can_boot(cx).await?;
        if is_there(cx, SCHEDULED).await? {
            return Err(Error::Booting("that was scheduled already".to_owned()));
        }
        let time = self.delay.when();
        tools::change(cx, "shutdown", ["-r", time.as_str(), self.message.as_str()]).await?;
        self.see_that_it_boots(cx).await?;
        Err(Error::Booting(format!("it does so {}, and the next apply goes on", self.delay.description())))
    }
}

impl Reboot {
    /// Waits until the reboot has started.
    ///
    /// A hanging program or another job may keep the machine up.
    async fn see_that_it_boots(&self, cx: &Context) -> Result<()> {
        if !is_there(cx, SYSTEMD).await? {
            return Ok(());
        }
        let mut waited = Duration::ZERO;
        loop {
            if is_there(cx, SCHEDULED).await? || is_stopping(cx).await? {
                return Ok(());
            }
            let left = self.shutdown_timeout.saturating_sub(waited);
            if left.is_zero() {
                return Err(Error::msg(format!(
                    "the machine was told to reboot, but after {:?} it neither shuts down nor has a reboot scheduled: `systemctl list-jobs` and `systemd-inhibit --list` show what blocks it",
                    self.shutdown_timeout
                )));
            }
            let pause = INTERVAL.min(left);
            let sleep = cx.system().clock().sleep(pause);
            // The reboot was requested, so the run ends with that result even if it is cancelled.
            if cx.cancellation().run_until_cancelled(sleep).await.is_none() {
                return Ok(());
            }
            waited += pause;
        }
    }
}

/// Whether systemd is stopping the machine. The command has a nonzero exit code in that case.
async fn is_stopping(cx: &Context) -> Result<bool> {
    let (_, output) = tools::try_look(cx, Command::new("systemctl").arg("is-system-running")).await?;
    Ok(output.stdout.trim_ascii() == b"stopping")
}

impl Task for Reboot {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        if let Err(error) = Self::can_boot(cx).await {
            return match tools::may_come(cx, &error) {
                Some(message) => Ok(crate::missing_dependency::not_yet(message)),
                None => Err(error),
            };
        }
        if let Some(file) = &self.when_file_exists
            && is_there(cx, file).await?
        {
            status.add_difference("boot", "", format!("because {file} is there"));
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }

    async fn apply(&mut self, cx: &Context) -> Result<Status> {
        self.boot(cx).await
    }
}

impl Refresh for Reboot {
    const BY_BOOT: bool = true;

    async fn refresh(&mut self, cx: &Context) -> Result<Status> {
        self.boot(cx).await
    }
}
