//! What the derives make of structs and enums, each of which stands in the file of its derive.

mod block;
mod enums;
mod export;
mod preparer;
mod text;
