//! The descriptions of resource types on the wire.

use serde::{Deserialize, Serialize};

use super::value::WireValue;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field")]
fn is_false(value: &bool) -> bool {
    !*value
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireType {
    pub(crate) name: String,
    pub(crate) doc: String,
    #[serde(default)]
    pub(crate) fields: Vec<WireField>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<WireRule>,
    #[serde(default)]
    pub(crate) exports: Vec<WireExport>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) example: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) refreshes: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lock: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reads: Option<WireReach>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<WireReach>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireReach {
    Named,
    Anything,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireField {
    pub(crate) name: String,
    pub(crate) doc: String,
    pub(crate) kind: WireKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) required: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) nonempty: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) sensitive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<WireValue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) valid_values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expects: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) footprint: Vec<WireFootprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) removes: Option<String>,
}

/// The kind of value that a field takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum WireKind {
    #[default]
    Any,
    String,
    Bool,
    Int {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<u64>,
    },
    Float,
    Duration,
    Time,
    Enum {
        values: Vec<String>,
    },
    List {
        items: Box<WireKind>,
    },
    OneOrMany {
        items: Box<WireKind>,
    },
    Map {
        items: Box<WireKind>,
    },
    Block {
        fields: Vec<WireField>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rules: Vec<WireRule>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum WireRule {
    MutuallyExclusive { fields: Vec<String> },
    RequiredOneOf { fields: Vec<String> },
    RequiredTogether { fields: Vec<String> },
    Requires { field: String, needs: String },
    ConflictsWith { field: String, other: String },
    RequiredIf { field: String, when: Vec<WireCondition> },
    RequiredUnless { field: String, unless: Vec<WireCondition> },
}

/// A condition on another field: that the field is set, or that it has a certain value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireCondition {
    pub(crate) field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is: Option<String>,
}

/// A field's contribution to the footprint: a name that the resource manages, needs or touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireFootprint {
    pub(crate) verb: WireVerb,
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) aspect: Option<String>,
    /// The field that holds the name, if another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<String>,
    /// The name, if it is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireVerb {
    Manages,
    Ensures,
    Needs,
    Touches,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireExport {
    pub(crate) name: String,
    pub(crate) doc: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) computed: bool,
    #[serde(default)]
    pub(crate) shape: WireShape,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WireShape {
    #[default]
    Plain,
    Open,
    Struct(Vec<WireExport>),
}
