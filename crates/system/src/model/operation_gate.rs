//! The gate before each operation of the model host.

use std::future::poll_fn;
use std::task::Poll;

use super::Shared;
use super::fault_schedule::{FaultSchedule, Takes};

impl Shared {
    /// Runs before each operation: lets others run first, delays or hangs, as the test requested.
    pub(super) async fn turn(&self) {
        let (pauses, answers, delay) = {
            let faults = &mut self.lock().faults;
            let answers = faults.answers_left != Some(0);
            faults.answers_left = faults.answers_left.map(|left| left.saturating_sub(1));
            let delay = faults.course.as_mut().map(FaultSchedule::operation);
            (faults.pauses, answers && delay != Some(Takes::ForEver), delay)
        };
        if !answers {
            return std::future::pending().await;
        }
        if let Some(Takes::Time(time)) = delay
            && !time.is_zero()
        {
            tokio::time::sleep(time).await;
        }
        let mut had_its_turn = !pauses;
        poll_fn(|cx| {
            if std::mem::replace(&mut had_its_turn, true) {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
}
