//! `systemd.query`: what systemd says of a unit.

mod task;
#[cfg(test)]
mod tests;

use converge_core::prelude::*;

pub use task::UnitQuery;

use super::unit::name::UnitName;

/// Says whether there is a unit of systemd, whether it runs, and how it is started at boot. It never has changes.
///
/// What it finds is looked up by others: `systemd.query.web.running`, `systemd.query.web.enabled`, and every property that systemd has,
/// under its D-Bus name: `systemd.query.web.properties.ExecMainPID`. That there is no such unit is no error.
///
/// # Where it works
///
/// As `systemd.unit.state`: on Linux, where systemd runs the machine and the system bus is there. It takes no privileges.
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
