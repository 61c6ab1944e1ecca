//! `system.timezone`: the time zone of the machine.

mod task;
#[cfg(test)]
mod tests;
mod zone;

use converge_core::footprint::{Footprint, kind};
use converge_core::prelude::*;

pub use task::Timezone;

use zone::ZoneName;

/// Sees to it that the machine has a time zone.
///
/// `/etc/localtime` becomes a link to the rules of the zone in `/usr/share/zoneinfo`. Where there is a file `/etc/timezone`, as on Debian and its
/// relatives, the name is written there too; where there is none, none is made.
///
/// # Guarantees
///
/// Whoever reads the link while it is changed finds the old zone or the new one. A link that names the zone in another form, such as
/// `../usr/share/zoneinfo/UTC`, stays. A copy of the rules in the place of the link is replaced by it.
///
/// # Caveats
///
/// Programs that run keep the zone that they began with, cron among them: a `systemd.unit.state` with `on_change_of` starts them again. A zone
/// that `/usr/share/zoneinfo` does not have is an error: it comes with the package `tzdata`, and old names of zones with `tzdata-legacy`. Whether the clock of
/// the hardware has local time is not changed.
#[derive(Debug, Preparer)]
#[preparer(name = "system.timezone", task = Timezone, footprint, example = "example.hcl")]
pub struct TimezonePreparer {
    /// Name of the zone, as it is called in `/usr/share/zoneinfo`: `Europe/Berlin`, `UTC`.
    #[hcl(required, nonempty)]
    name: ZoneName,
}

impl HasFootprint for TimezonePreparer {
    fn footprint(&self, footprint: &mut Footprint) {
        footprint.manages("time zone", "of the machine");
        footprint.manages(kind::PATH, task::LINK);
        footprint.touches(kind::PATH, task::NAME);
        footprint.needs(kind::PATH, &self.name.path().to_string_lossy());
    }
}

impl Resource for TimezonePreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Timezone> {
        Ok(Timezone { name: self.name, steps: Vec::new() })
    }
}
