use std::collections::BTreeSet;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::UuidPreparer;
use crate::random::drawn_value::DrawnResource as _;
use crate::testing::{context, prepare};

#[tokio::test]
async fn they_are_of_version_4() {
    let system: Arc<dyn System> = Arc::new(ModelSystem::new());
    let cx = context(system, RunMode::Apply);
    let task = prepare::<UuidPreparer>(&cx, &[]).await.unwrap();
    let mut uuids = BTreeSet::new();
    for _ in 0..200 {
        let uuid = task.draw(&cx).await.unwrap();
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{uuid}");
        assert!(uuid.chars().all(|char| matches!(char, '0'..='9' | 'a'..='f' | '-')), "{uuid}");
        assert_eq!(uuid.chars().nth(14), Some('4'), "{uuid}");
        assert!(matches!(uuid.chars().nth(19), Some('8' | '9' | 'a' | 'b')), "{uuid}");
        assert!(uuids.insert(uuid));
    }
}

laws!(UuidPreparer);
