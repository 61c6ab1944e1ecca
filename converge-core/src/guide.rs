#![doc = include_str!("../docs/guide.md")]

pub mod language {
    #![doc = include_str!("../docs/language.md")]
}
