//! Tables of templates with what they give.

mod go;
