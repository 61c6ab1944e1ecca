//! The built-in resources.
