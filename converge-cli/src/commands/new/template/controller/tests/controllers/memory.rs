//! Tests in memory with paused time: nothing really waits, and one seed gives one order.

use converge_controller::testing::simulate;

use crate::shared_cases;

#[tokio::test(start_paused = true)]
async fn lifecycle() {
    let test = shared_cases::builder().start().await;
    shared_cases::lifecycle(&test.client).await;
    test.stop().await;
}

#[test]
fn one_shot() {
    simulate(20, |seed| async move {
        let mut test = shared_cases::builder().seed(seed).start().await;
        shared_cases::publish(&mut test).await;
        shared_cases::verify(&test.client).await;
        test.stop().await;
    });
}
