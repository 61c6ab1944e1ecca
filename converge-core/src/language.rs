#![doc = include_str!("../docs/language.md")]
