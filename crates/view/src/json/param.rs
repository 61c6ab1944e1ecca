//! Parameters of a module as JSON.

use serde::Serialize;
use serde_json::Value as Json;

use crate::graph::{Graph, InputKind, Node, ParamKind, Role};
use crate::types::value::Value;
use converge_load::is_param;

/// A parameter as its module declares it. Fields that do not apply are omitted.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ParamRecord {
    /// The name of the parameter.
    pub name: String,
    /// The declared type: `list(number)`, or `any` without a declaration.
    #[serde(rename = "type")]
    pub kind: String,
    /// The description of the parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a value must be given.
    pub required: bool,
    /// The default value, if it is known without running anything; omitted for a sensitive parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// Whether the value is never shown.
    pub sensitive: bool,
    /// The error messages of the conditions on the value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    #[serde(skip)]
    pub(crate) takes: ParamKind,
}

/// Returns the parameters of the loaded module, sorted by name.
///
/// Parameters of called modules are not included. A graph for
/// inspection also contains parameters without a value.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
/// use converge_core::view::json;
///
/// let registry = Registry::new();
/// let module = "param \"port\" {\n  type = \"number\"\n  default = 80\n}\nparam \"host\" {}\n";
/// let loaded = Loader::new(&registry).for_inspection().load_text("site.hcl", module);
/// let params = json::params(loaded.partial_graph());
/// assert_eq!(params.iter().map(|param| &*param.name).collect::<Vec<_>>(), ["host", "port"]);
/// assert_eq!((params[0].required, &params[1].default), (true, &Some(80.into())));
/// ```
pub fn params(graph: &Graph) -> Vec<ParamRecord> {
    let mut params: Vec<ParamRecord> =
        graph.nodes().filter_map(|(_, node)| Some(record(name_in_root(node)?, node))).collect();
    params.sort_by(|one, other| one.name.cmp(&other.name));
    params
}

/// Returns the name of a parameter of the root module.
fn name_in_root(node: &Node) -> Option<&str> {
    let is_in_root = node.role == Role::Param && is_param(&node.resource);
    let is_in_root = is_in_root && node.id.parent().is_some_and(|parent| parent.is_root());
    is_in_root.then(|| node.id.short().split_once('.').map(|(_, name)| name)).flatten()
}

fn record(name: &str, node: &Node) -> ParamRecord {
    let rules = node.param_rules();
    let sensitive = rules.is_some_and(|rules| rules.sensitive);
    let value = node.param_value();
    let default =
        value.and_then(crate::graph::Input::known_value).filter(|value| !sensitive && is_shown(value));
    let messages = rules.into_iter().flat_map(|rules| &rules.validations);
    let conditions = messages.filter_map(|validation| match &validation.message.kind {
        InputKind::Value(Value::String(message)) => Some(message.to_string()),
        _ => None,
    });
    let kind = rules.map(|rules| rules.kind.clone()).unwrap_or_default();
    ParamRecord {
        name: name.to_owned(),
        kind: kind.to_string(),
        description: node.description().map(|text| text.trim().to_owned()),
        required: value.is_none(),
        default: default.and_then(|value| serde_json::to_value(value).ok()),
        sensitive,
        conditions: conditions.collect(),
        takes: kind,
    }
}

/// Whether the value is completely known and contains no secret.
fn is_shown(value: &Value) -> bool {
    !value.contains_secret() && !matches!(value, Value::Unknown(_))
}
