//! Tests of the derives, with one file for each derive.

mod block;
mod enums;
mod export;
mod preparer;
mod sets;
mod text;
