//! Leak tests: a canary secret is put into every field and parameter, and all output is searched.

mod fields;
mod forms;
mod leak_search;
