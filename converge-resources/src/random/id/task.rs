use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use converge_sdk::prelude::*;

use crate::random::drawn_value::{self, DrawnResource, Keeping};
use crate::random::keepers::hex;

/// The task of a `random.id` resource.
#[derive(Debug, Export)]
pub struct Id {
    /// The bytes in hexadecimal.
    #[export(computed)]
    pub(super) hex: Option<String>,
    /// The bytes in the base64 alphabet for URLs and file names, without `=` at the end.
    #[export(computed)]
    pub(super) base64url: Option<String>,
    pub(super) bytes: usize,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Id {
    type Value = Vec<u8>;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, value: &Vec<u8>) -> Option<String> {
        let length = value.len();
        (length != self.bytes).then(|| format!("it has {length} bytes, and not {}", self.bytes))
    }

    async fn draw(&self, cx: &Context) -> Result<Vec<u8>> {
        Ok(cx.system().random().bytes(self.bytes).await?)
    }

    fn shown(value: &Vec<u8>) -> DiffValue {
        hex(value).into()
    }

    fn export(&mut self, _: &Context, value: Option<Vec<u8>>) {
        self.hex = value.as_deref().map(hex);
        self.base64url = value.map(|value| BASE64_URL_SAFE_NO_PAD.encode(value));
    }
}

drawn_value::task!(Id);
