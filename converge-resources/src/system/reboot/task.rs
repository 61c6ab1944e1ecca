use std::path::Path;

use converge_core::prelude::*;
use converge_core::system::Follow;

use super::delay::Delay;
use crate::{platform, tools};

const TYPE: &str = "system.reboot";

/// What containers have, and machines that can boot do not.
const OF_CONTAINERS: [&str; 3] = ["/run/systemd/container", "/.dockerenv", "/run/.containerenv"];

/// Where Linux says which boot it is.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// What systemd writes when a boot is scheduled.
const SCHEDULED: &str = "/run/systemd/shutdown/scheduled";

/// A boot of the machine.
#[derive(Debug, Export)]
pub struct Reboot {
    /// What users are told.
    #[export]
    pub(super) message: String,
    /// Path of the file that asks for a boot.
    #[export]
    pub(super) when_file_exists: Option<String>,
    pub(super) delay: Delay,
}

async fn is_there(cx: &Context, path: &str) -> Result<bool> {
    Ok(cx.system().files().metadata(Path::new(path), Follow::Never).await?.is_some())
}

impl Reboot {
    /// An error where nothing can boot, or nothing would know afterwards that it did.
    async fn can_boot(cx: &Context) -> Result<()> {
        platform::only_on_linux(cx, TYPE, "it is about the boots that Linux tells apart")?;
        for of_container in OF_CONTAINERS {
            if is_there(cx, of_container).await? {
                let reason = format!("this is a container, which cannot boot ({of_container} is there)");
                return Err(platform::unsupported(cx, TYPE, reason));
            }
        }
        if !is_there(cx, BOOT).await? {
            let reason = format!("without {BOOT} no later run could know that the machine has booted");
            return Err(platform::unsupported(cx, TYPE, reason));
        }
        tools::require(cx, "shutdown").await
    }

    async fn boot(&self, cx: &Context) -> Result<Status> {
        Self::can_boot(cx).await?;
        if is_there(cx, SCHEDULED).await? {
            return Err(Error::Booting("that was scheduled already".to_owned()));
        }
        let when = self.delay.when();
        tools::change(cx, "shutdown", ["-r", when.as_str(), self.message.as_str()]).await?;
        Err(Error::Booting(format!("it does so {}, and the next apply goes on", self.delay.told())))
    }
}

impl Task for Reboot {
    async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        let mut status = Status::new();
        if let Err(error) = Self::can_boot(cx).await {
            return match tools::may_come(cx, &error) {
                Some(message) => Ok(crate::pending::not_yet(message)),
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
