use converge_sdk::prelude::*;

use crate::random::draw;
use crate::random::drawn_value::{self, DrawnResource, Keeping};

/// The task of a `random.shuffle` resource.
#[derive(Debug, Export)]
pub struct Shuffle {
    /// The items in the drawn order.
    #[export(computed)]
    pub(super) values: Option<Vec<String>>,
    pub(super) from: Vec<String>,
    pub(super) count: usize,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Shuffle {
    type Value = Vec<String>;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, values: &Vec<String>) -> Option<String> {
        if values.len() != self.count {
            return Some(format!("it has {} items, and not {}", values.len(), self.count));
        }
        let mut left = self.from.clone();
        let is_gone = |value: &String| match left.iter().position(|item| item == value) {
            Some(index) => {
                left.swap_remove(index);
                false
            }
            None => true,
        };
        values.iter().any(is_gone).then(|| "one of its items is no longer in `from`".to_owned())
    }

    async fn draw(&self, cx: &Context) -> Result<Vec<String>> {
        draw::some(cx, self.from.clone(), self.count).await
    }

    fn shown(values: &Vec<String>) -> DiffValue {
        values.join(", ").into()
    }

    fn export(&mut self, _: &Context, values: Option<Vec<String>>) {
        self.values = values;
    }
}

drawn_value::task!(Shuffle);
