use converge_sdk::prelude::*;
use converge_sdk::system::{HttpRequest, Url};

use super::{Fingerprint, KEY_BYTES, PublicKeys};

/// The source of the keys of a repository.
#[derive(Debug)]
pub(in crate::package) enum KeySource {
    Inline(PublicKeys),
    Url(Url),
    /// The repository has no key.
    None,
}

impl KeySource {
    /// Reads keys in the module, and checks that they are the expected ones.
    pub(in crate::package) fn inline(text: &str, expected: &[Fingerprint]) -> Result<Self, String> {
        let keys = PublicKeys::read(text.as_bytes())?;
        keys.expect(expected)?;
        Ok(Self::Inline(keys))
    }

    /// Returns the keys of the repository.
    ///
    /// They are those in the module, or those on the machine if they are as expected, or those at the URL.
    pub(in crate::package) async fn keys(
        &self,
        cx: &Context,
        has: Option<&str>,
        expected: &[Fingerprint],
    ) -> Result<Option<PublicKeys>> {
        let url = match self {
            Self::None => return Ok(None),
            Self::Inline(keys) => return Ok(Some(keys.clone())),
            Self::Url(url) => url,
        };
        let current = has.and_then(|key| PublicKeys::read(key.as_bytes()).ok());
        if let Some(keys) = current.filter(|keys| keys.expect(expected).is_ok()) {
            return Ok(Some(keys));
        }
        let request = HttpRequest::new(url.clone());
        let request = match cx.remaining() {
            Some(remaining) => request.deadline(remaining),
            None => request,
        };
        let network = cx.system().network();
        let fetched = async { network.request(request).await?.success()?.bytes(KEY_BYTES as u64).await };
        let failed = |error: converge_sdk::system::HttpError| {
            Error::msg(format!("the key at {url} cannot be fetched: {error}"))
        };
        let refused = |why: String| Error::msg(format!("the key at {url} is refused: {why}"));
        let keys = PublicKeys::read(&fetched.await.map_err(failed)?).map_err(refused)?;
        keys.expect(expected).map_err(refused)?;
        Ok(Some(keys))
    }
}
