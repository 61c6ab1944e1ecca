use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::IdPreparer;
use crate::testing::{apply, context, plan, prepare};

#[tokio::test]
async fn both_texts_are_of_the_same_bytes() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    apply::<IdPreparer>(&system, &[("bytes", 3.into())]).await;
    let cx = context(Arc::clone(&system), RunMode::Plan);
    let mut task = prepare::<IdPreparer>(&cx, &[("bytes", 3.into())]).await.unwrap();
    task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
    let (hex, base64) = (task.hex.clone().unwrap(), task.base64url.clone().unwrap());
    assert_eq!((hex.len(), base64.len()), (6, 4));
    let value = u32::from_str_radix(&hex, 16).unwrap();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let decoded_value =
        base64.chars().fold(0, |sum, char| sum << 6 | u32::try_from(alphabet.find(char).unwrap()).unwrap());
    assert_eq!(value, decoded_value);
    let output = plan::<IdPreparer>(&system, &[("bytes", 4.into())]).await;
    assert_eq!(
        output,
        format!(
            "will change\nvalue: \"{hex}\" => \"(known after apply)\"\n# another value is drawn: it has 3 bytes, and not 4"
        )
    );
}

laws!(IdPreparer, values = ("bytes", [1, 8]));
