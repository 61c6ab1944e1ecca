use converge_sdk::prelude::*;

use crate::random::drawn_value::{self, DrawnResource, Keeping};
use crate::random::keepers::hex;

/// The task of a `random.uuid` resource.
#[derive(Debug, Export)]
pub struct Uuid {
    /// The UUID in lower case: `0b9fa4e2-1c68-4d4e-9a51-8f0c6f0f4a6d`.
    #[export(computed)]
    pub(super) value: Option<String>,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Uuid {
    type Value = String;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, _: &String) -> Option<String> {
        None
    }

    async fn draw(&self, cx: &Context) -> Result<String> {
        let mut bytes = cx.system().random().bytes(16).await?;
        // These bits are the version and the variant of RFC 9562.
        for (index, mask, set) in [(6, 0x0f, 0x40), (8, 0x3f, 0x80)] {
            if let Some(byte) = bytes.get_mut(index) {
                *byte = *byte & mask | set;
            }
        }
        let text = hex(&bytes);
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| text.get(part).unwrap_or_default());
        Ok(parts.join("-"))
    }

    fn shown(value: &String) -> DiffValue {
        value.as_str().into()
    }

    fn export(&mut self, _: &Context, value: Option<String>) {
        self.value = value;
    }
}

drawn_value::task!(Uuid);
