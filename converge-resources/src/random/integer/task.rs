use converge_sdk::prelude::*;

use crate::random::draw;
use crate::random::drawn_value::{self, DrawnResource, Keeping};

/// The task of a `random.integer` resource.
#[derive(Debug, Export)]
pub struct Integer {
    /// The number that was drawn.
    #[export(computed)]
    pub(super) value: Option<i64>,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Integer {
    type Value = i64;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, value: &i64) -> Option<String> {
        let Self { min, max, .. } = self;
        (!(*min..=*max).contains(value)).then(|| format!("it is not between {min} and {max}"))
    }

    async fn draw(&self, cx: &Context) -> Result<i64> {
        draw::between(cx, self.min, self.max).await
    }

    fn shown(value: &i64) -> DiffValue {
        value.to_string().into()
    }

    fn export(&mut self, _: &Context, value: Option<i64>) {
        self.value = value;
    }
}

drawn_value::task!(Integer);
