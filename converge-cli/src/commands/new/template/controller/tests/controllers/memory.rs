//! In memory and in paused time: nothing really waits, and one seed gives one order.

use converge_controller::testing::simulate;

use crate::bodies;

#[tokio::test(start_paused = true)]
async fn lifecycle() {
    let test = bodies::builder().start().await;
    bodies::lifecycle(&test.client).await;
    test.stop().await;
}

#[test]
fn one_shot() {
    simulate(20, |seed| async move {
        let mut test = bodies::builder().seed(seed).start().await;
        bodies::publish(&mut test).await;
        bodies::verify(&test.client).await;
        test.stop().await;
    });
}
