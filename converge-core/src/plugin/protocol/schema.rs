//! Descriptions of resource types.

use serde::{Deserialize, Serialize};

use super::value::WireValue;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// A resource type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plugin) struct WireType {
    pub(in crate::plugin) name: String,
    pub(in crate::plugin) doc: String,
    #[serde(default)]
    pub(in crate::plugin) fields: Vec<WireField>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::plugin) rules: Vec<WireRule>,
    #[serde(default)]
    pub(in crate::plugin) exports: Vec<WireExport>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(in crate::plugin) example: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::plugin) refreshes: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) lock: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) reads: Option<WireReach>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) changes: Option<WireReach>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::plugin) enum WireReach {
    Named,
    Anything,
}

/// A field of a type, or of a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plugin) struct WireField {
    pub(in crate::plugin) name: String,
    pub(in crate::plugin) doc: String,
    pub(in crate::plugin) kind: WireKind,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::plugin) aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::plugin) required: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::plugin) nonempty: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::plugin) sensitive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) default: Option<WireValue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::plugin) valid_values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) min: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) max: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) expects: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) base: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) deprecated: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::plugin) footprint: Vec<WireFootprint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) removes: Option<String>,
}

/// What a field takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::plugin) enum WireKind {
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

/// A rule between fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", deny_unknown_fields)]
pub(in crate::plugin) enum WireRule {
    MutuallyExclusive { fields: Vec<String> },
    RequiredOneOf { fields: Vec<String> },
    RequiredTogether { fields: Vec<String> },
    Requires { field: String, needs: String },
    ConflictsWith { field: String, other: String },
    RequiredIf { field: String, when: Vec<WireCondition> },
    RequiredUnless { field: String, unless: Vec<WireCondition> },
}

/// What is said of another field: that it is written, or that it is this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plugin) struct WireCondition {
    pub(in crate::plugin) field: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) is: Option<String>,
}

/// What a field says about what its resource manages, needs and touches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plugin) struct WireFootprint {
    pub(in crate::plugin) verb: WireVerb,
    pub(in crate::plugin) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) aspect: Option<String>,
    /// The field that has the name, where it is not this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) of: Option<String>,
    /// The name, where it is always the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::plugin) at: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::plugin) enum WireVerb {
    Manages,
    Ensures,
    Needs,
    Touches,
}

/// A value that can be looked up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::plugin) struct WireExport {
    pub(in crate::plugin) name: String,
    pub(in crate::plugin) doc: String,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(in crate::plugin) computed: bool,
    #[serde(default)]
    pub(in crate::plugin) shape: WireShape,
}

/// What is behind the name of an export.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::plugin) enum WireShape {
    #[default]
    Plain,
    Open,
    Struct(Vec<WireExport>),
}
