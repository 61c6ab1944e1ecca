use converge_sdk::prelude::*;

use crate::random::draw;
use crate::random::drawn_value::{self, DrawnResource, Keeping};

/// The task of a `random.choice` resource.
#[derive(Debug, Export)]
pub struct Choice {
    /// The item that was drawn.
    #[export(computed)]
    pub(super) value: Option<String>,
    pub(super) from: Vec<String>,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Choice {
    type Value = String;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, value: &String) -> Option<String> {
        (!self.from.contains(value)).then(|| "it is no longer in `from`".to_owned())
    }

    async fn draw(&self, cx: &Context) -> Result<String> {
        let index = draw::index(cx, self.from.len()).await?;
        self.from.get(index).cloned().ok_or_else(|| Error::msg("there is nothing to draw from"))
    }

    fn shown(value: &String) -> DiffValue {
        value.as_str().into()
    }

    fn export(&mut self, _: &Context, value: Option<String>) {
        self.value = value;
    }
}

drawn_value::task!(Choice);
