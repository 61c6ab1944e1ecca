use std::sync::Arc;

use converge_core::laws;
use converge_sdk::system::{ModelSystem, System};

use super::IntegerPreparer;
use crate::testing::plan;

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<IntegerPreparer>(&system, &[("min", 3.into()), ("max", 2.into())]).await;
    assert_eq!(output, "error: max: 2 is less than `min`, which is 3");
}

laws!(IntegerPreparer, values = ("min", [0, 3]), values = ("max", [9, 59]));
