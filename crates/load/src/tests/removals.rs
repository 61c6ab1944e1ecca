//! Tests of things that one resource removes and another one uses.

use super::footprint::{edges, load, module, registry};
use crate::Loader;

#[test]
fn what_is_removed_goes_last() {
    let check = |text: &str, expect: &[&str]| assert_eq!(edges(load(text).partial_graph()), expect, "{text}");
    let absent = |name: &str, field: &str| format!("t {name:?} {{\n {field}\n state = \"absent\"\n}}\n");
    check(&(absent("a", "user = \"u\"") + &absent("b", "as_user = [\"u\"]")), &["a b u"]);
    check(&(absent("a", "dir = \"/x\"") + &absent("b", "file = \"/x/y\"")), &["a b /x"]);
    check(&(absent("a", "dir = \"/x\"") + &absent("b", "needs = \"/x\"")), &["a b /x"]);
}

#[test]
fn what_is_removed_is_not_used() {
    let check = |removed: &str, used: &str, expect: &str| {
        let text =
            format!("t \"a\" {{\n {removed}\n state = \"absent\"\n}}\n") + &module(&format!("b: {used}"));
        let loaded = Loader::new(&registry()).load_text("m.hcl", text.as_str());
        let errors: Vec<&str> = loaded.diagnostics.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(errors, [expect], "{text}");
    };
    check("user = \"u\"", "as_user = [\"u\"]", "`t.a` removes the user `u`, which `t.b` needs");
    check("dir = \"/x\"", "needs = \"/x\"", "`t.a` removes `/x`, which `t.b` needs");
    check("packages = [\"p\"]", "packages = [\"p\"]", "`t.a` removes the package `p`, which `t.b` provides");
}
