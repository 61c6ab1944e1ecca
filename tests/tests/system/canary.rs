//! A canary is put into every field of every type, through every form of parameter, and everything that is said is searched.

mod fields;
mod forms;
mod leak_search;
