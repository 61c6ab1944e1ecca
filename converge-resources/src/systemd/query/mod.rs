//! The `systemd.query` resource: information about a unit.

mod task;
#[cfg(test)]
mod tests;

use converge_sdk::prelude::*;

pub use task::UnitQuery;

use super::unit::name::UnitName;

/// Returns whether a unit exists, whether it runs, and how it is started at boot. It never has changes.
///
/// Other resources look up the results: `systemd.query.web.running`, `systemd.query.web.enabled`, and every
/// property of systemd, under its D-Bus name: `systemd.query.web.properties.ExecMainPID`. A missing unit is
/// no error.
///
/// # Where it works
///
/// As `systemd.unit.state`: on Linux, if systemd runs the machine and the system bus is available. It needs
/// no privileges.
#[derive(Debug, Preparer)]
#[preparer(name = "systemd.query", task = UnitQuery, reads = "named", changes = "named", example = "example.hcl")]
pub struct UnitQueryPreparer {
    /// Name of the unit. Without a suffix like `.socket` it is a service.
    #[hcl(required, nonempty, needs = "unit, path:tree, package")]
    unit: UnitName,
}

impl Resource for UnitQueryPreparer {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<UnitQuery> {
        Ok(UnitQuery::new(self.unit))
    }
}
