//! The body of a write.

use std::collections::BTreeMap;

use converge_controller::{Generation, Id, Metadata, Resource, Status, StatusKey, Version};
use serde::Deserialize;
use serde_json::Value;

use super::request_params::Asked;
use crate::json::Codec;
use crate::listeners::Refusal;

/// A resource to write.
///
/// The JSON of a read can be changed and written back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Draft {
    /// The id, which must match the path.
    id: Option<Id>,
    owner: Option<Id>,
    version: Option<Version>,
    /// The service assigns the generation; the value in the body is ignored.
    #[serde(default, rename = "generation")]
    _generation: Option<Generation>,
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    status: BTreeMap<StatusKey, Status>,
    data: Option<Value>,
}

impl Draft {
    pub(super) fn resource(self, codec: &Codec, target: Asked) -> Result<Resource, Refusal> {
        let Asked { mut id, version, .. } = target;
        if let Some(body_id) = self.id {
            let is_same = body_id.resource_type == id.resource_type && body_id.name == id.name;
            // The body may complete a tenancy that the path leaves out.
            let tenancy =
                if id.tenancy.scope() < body_id.tenancy.scope() { &body_id.tenancy } else { &id.tenancy };
            if !is_same || *tenancy != body_id.tenancy {
                return Err(Refusal::invalid(format!("the body names {body_id}, but the path names {id}")));
            }
            id.uid = id.uid.or(body_id.uid);
            id.tenancy = body_id.tenancy;
        }
        let data = self.data.map(|data| codec.data(&id.resource_type, data)).transpose()?;
        Ok(Resource {
            owner: self.owner,
            version: version.or(self.version),
            metadata: self.metadata,
            status: self.status,
            data,
            ..Resource::new(id)
        })
    }
}
