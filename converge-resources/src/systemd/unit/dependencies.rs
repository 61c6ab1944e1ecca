use super::name::UnitName;
use super::snapshot::{Load, UnitSnapshot};
use crate::systemd::manager::Manager;

/// The properties that name units without which a unit does not start.
const NEEDS: [&str; 3] = ["Requires", "BindsTo", "Requisite"];

/// Returns the required units that do not run, with their states.
///
/// The result is only for a message, so units that cannot be queried are left out.
pub(super) async fn missing(manager: &Manager, snapshot: &UnitSnapshot) -> Vec<String> {
    let mut missing = Vec::new();
    for needed in NEEDS.iter().flat_map(|property| snapshot.unit.texts(property)) {
        let Ok(name) = UnitName::parse(needed) else { continue };
        let Ok(needed) = UnitSnapshot::look(manager, &name).await else { continue };
        match needed.facts.load {
            Load::NotFound => missing.push(format!("{name}, which does not exist")),
            _ if !needed.facts.active.is_up() => {
                missing.push(format!("{name}, which is {}", needed.facts.state()));
            }
            _ => {}
        }
    }
    missing
}
