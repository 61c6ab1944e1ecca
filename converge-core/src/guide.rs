#![doc = include_str!("../docs/guide.md")]

pub mod language {
    #![doc = include_str!("../docs/language.md")]
}

#[cfg(feature = "engine")]
pub mod embedding {
    #![doc = include_str!("../docs/embedding.md")]
}
