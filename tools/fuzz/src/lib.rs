//! The fuzz targets and their laws.
//!
//! For every input, a target must not panic and must terminate.
//!
//! Each target is a file in `targets`. A violated law is a panic, which the fuzzer reports with the input.

mod scope;
mod source_ranges;
mod targets;
mod test_server;
mod tree;

use std::sync::LazyLock;

/// The environment variable with the name of the target to fuzz.
pub const CHOICE: &str = "CONVERGE_FUZZ_TARGET";

/// A fuzz target.
#[derive(Debug)]
pub struct Target {
    /// The name of the target.
    pub name: &'static str,
    run: fn(&[u8]),
}

impl Target {
    /// Runs the target once.
    ///
    /// Panics if the input violates a law.
    pub fn run(&self, bytes: &[u8]) {
        (self.run)(bytes);
    }
}

/// All targets.
pub static TARGETS: [Target; 11] = [
    Target { name: "assist", run: targets::assist::run },
    Target { name: "expression", run: targets::expression::run },
    Target { name: "format", run: targets::format::run },
    Target { name: "grpc", run: targets::grpc::run },
    Target { name: "http", run: targets::http::run },
    Target { name: "load", run: targets::load::run },
    Target { name: "mutate", run: targets::mutate::run },
    Target { name: "parse", run: targets::parse::run },
    Target { name: "plugin", run: targets::plugin::run },
    Target { name: "stored", run: targets::stored::run },
    Target { name: "template", run: targets::template::run },
];

/// Returns the target with this name.
pub fn named(name: &str) -> Result<&'static Target, String> {
    TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        format!("there is no target `{name}`; there are {}", names.join(", "))
    })
}

/// Returns the target that the environment names.
///
/// # Panics
///
/// The environment names no target.
pub fn chosen() -> &'static Target {
    static CHOSEN: LazyLock<Result<&'static Target, String>> =
        LazyLock::new(|| named(&std::env::var(CHOICE).unwrap_or_default()));
    match &*CHOSEN {
        Ok(target) => target,
        Err(problem) => unreachable!("{problem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_target() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/targets");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let mut names: Vec<String> =
            files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        names.retain(|name| name != "mod");
        names.sort();
        assert_eq!(names, TARGETS.each_ref().map(|target| target.name));
    }

    #[test]
    fn no_seed_breaks_a_law() {
        for target in &TARGETS {
            for text in ["", "t \"x\" { a = 1 }", "{{ param `a` }}", "a + b", "\0\u{1}\u{2}\u{3}"] {
                target.run(text.as_bytes());
            }
        }
    }
}
