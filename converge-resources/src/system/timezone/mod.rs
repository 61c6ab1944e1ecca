//! The `system.timezone` resource: the time zone of the machine.

mod task;
#[cfg(test)]
mod tests;
mod zone;

use converge_sdk::footprint::{Footprint, kind};
use converge_sdk::prelude::*;

pub use task::Timezone;

use zone::ZoneName;

/// Ensures that the machine has a time zone.
///
/// `/etc/localtime` becomes a link to the rules of the zone in `/usr/share/zoneinfo`. If the file
/// `/etc/timezone` exists, as on Debian and related distributions, the name is written there too; it is never
/// created.
///
/// # Guarantees
///
/// A process that reads the link during the change finds the old zone or the new one. A link that names the
/// zone in another form, such as `../usr/share/zoneinfo/UTC`, stays. A copy of the rules in the place of the
/// link is replaced by the link.
///
/// # Caveats
///
/// Running programs, including cron, keep their zone: a `systemd.unit.state` with `on_change_of` restarts
/// them. A zone that is missing in `/usr/share/zoneinfo` is an error: install the package `tzdata`, or
/// `tzdata-legacy` for old names of zones. Whether the hardware clock has local time is not changed.
#[derive(Debug, Preparer)]
#[preparer(name = "system.timezone", task = Timezone, footprint, example = "example.hcl")]
pub struct TimezonePreparer {
    /// Name of the zone in `/usr/share/zoneinfo`: `Europe/Berlin`, `UTC`.
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
