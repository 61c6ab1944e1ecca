use converge_sdk::prelude::*;

use super::alphabet::Kinds;
use crate::random::draw;
use crate::random::drawn_value::{self, DrawnResource, Keeping};

/// The task of a `random.password` resource.
#[derive(Debug, Export)]
pub struct Password {
    /// The password that was drawn.
    #[export(computed)]
    pub(super) value: Option<Secret<String>>,
    pub(super) length: usize,
    pub(super) kinds: Kinds,
    pub(super) keeping: Keeping,
}

#[async_trait]
impl DrawnResource for Password {
    type Value = String;

    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn misfit(&self, value: &String) -> Option<String> {
        let length = value.chars().count();
        if length != self.length {
            return Some(format!("it has {length} characters, and not {}", self.length));
        }
        self.kinds.misfit(value)
    }

    async fn draw(&self, cx: &Context) -> Result<String> {
        let mut password: Vec<char> = Vec::with_capacity(self.length);
        for (characters, min) in self.kinds.iter() {
            for _ in 0..min {
                password.extend(characters.get(draw::index(cx, characters.len()).await?));
            }
        }
        let alphabet = self.kinds.all();
        while password.len() < self.length {
            password.extend(alphabet.get(draw::index(cx, alphabet.len()).await?));
        }
        // The characters are shuffled, because the required ones were drawn first.
        Ok(draw::some(cx, password, self.length).await?.into_iter().collect())
    }

    fn shown(_: &String) -> DiffValue {
        DiffValue::Secret
    }

    fn export(&mut self, cx: &Context, value: Option<String>) {
        if let Some(value) = &value {
            cx.redactor().hide(value);
        }
        self.value = value.map(Secret::new);
    }
}

drawn_value::task!(Password);
