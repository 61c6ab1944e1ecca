//! Rules for the modules in this repository.

use std::path::Path;
use std::process::Command;

use converge_tests::{programs, root};

use crate::workspace::files;

/// Modules that are badly formatted on purpose, because tests need that.
const ODD: [&str; 3] =
    ["crates/testing/src/laws/faulty_resources/examples", "tests/mistakes", "tests/modules/forms-of-hcl"];

#[test]
fn every_module_is_formatted() {
    let modules = files(|path| {
        let is_module = path.extension().is_some_and(|extension| extension == "hcl");
        is_module && !ODD.iter().any(|exception| path.starts_with(exception))
    });
    assert!(modules.iter().any(|path| path == Path::new("examples/hello.hcl")), "{modules:?}");
    let mut check = Command::new(programs().join("converge"));
    check.args(["fmt", "--check"]).args(&modules).current_dir(root());
    let output = check.output().expect("the command starts");
    assert!(
        output.status.success(),
        "run `converge fmt` on these files:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
