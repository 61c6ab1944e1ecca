//! Tests of warnings about unused parameters and locals.

use crate::Loader;
use crate::sdk::registry::Registry;

/// Checks the warnings of an inspected module, as lines `line:column code: message | help`.
fn check(text: &str, expect: &[&str]) {
    let registry = Registry::new();
    let loaded = Loader::new(&registry).for_inspection().load_text("m.hcl", text);
    let line = |diagnostic: &crate::diagnostic::Diagnostic| {
        let position = loaded.sources.position(diagnostic.span().unwrap());
        let help = diagnostic.help.as_deref().unwrap_or_default();
        format!("{}:{} {}: {} | {help}", position.line, position.column, diagnostic.code, diagnostic.message)
    };
    assert_eq!(loaded.diagnostics.iter().map(line).collect::<Vec<_>>(), expect, "{text}");
    // A load for a run gives no such warnings.
    let run = Loader::new(&registry).load_text("m.hcl", text);
    assert!(!run.diagnostics.iter().any(|diagnostic| diagnostic.code == "unused"), "{text}");
}

#[test]
fn what_nothing_uses() {
    check(
        "param \"port\" {\n  default = 80\n}\nlocals {\n  url = 1\n}\n",
        &[
            "1:1 unused: nothing uses the parameter `param.port` | remove it, or rename it to `_port` if callers still set it",
            "5:3 unused: nothing uses the value `local.url` | remove it, or use it as local.url",
        ],
    );
    check("param \"_port\" {}\nlocals {\n  _url = 1\n}\n", &[]);
    // A validation does not count as a use of its parameter.
    check(
        "param \"port\" {\n  default = 1\n  validation {\n    condition = param.port > 0\n    message = \"no\"\n  }\n}\n",
        &[
            "1:1 unused: nothing uses the parameter `param.port` | remove it, or rename it to `_port` if callers still set it",
        ],
    );
}

#[test]
fn what_something_uses() {
    let used = |by: &str| {
        check(
            &format!(
                "param \"_o\" {{}}\nparam \"p\" {{\n  default = [\"a\"]\n}}\nlocals {{\n  l = [\"a\"]\n}}\n{by}\n"
            ),
            &[],
        );
    };
    used("output \"o\" {\n  value = [param.p, local.l]\n}");
    used("output \"o\" {\n  value = \"{{paramList `p`}}{{local `l`}}\"\n}");
    used("output \"o\" {\n  value = \"{{param.p}}{{local.l}}\"\n}");
    used("output \"o\" {\n  value = \"{{if false}}{{param `p`}}{{end}}{{join `,` local.l}}\"\n}");
    used("output \"o\" {\n  value = [for x in param.p : local.l[0]]\n}");
    used("output \"o\" {\n  value = param[\"p\"]\n  depends = [\"local.l\"]\n}");
    used("locals {\n  _m = [param.p, local.l]\n}");
    used("param \"_q\" {\n  default = [param.p, local.l]\n}");
    used("switch \"s\" {\n  case \"eq (len (paramList `p`)) (len local.l)\" \"c\" {}\n}");
    // A computed name could be any name.
    used(
        "param \"name\" {\n  default = \"p\"\n}\noutput \"o\" {\n  value = \"{{param (param `name`)}}\"\n  depends = [\"param.p\"]\n}",
    );
}

/// A module with errors gives no such warnings, because the faulty part may contain the use.
#[test]
fn a_module_with_mistakes() {
    let registry = Registry::new();
    let text = "param \"p\" {\n  default = 1\n}\noutput \"o\" {\n  value = parm.p\n}\n";
    let loaded = Loader::new(&registry).for_inspection().load_text("m.hcl", text);
    assert!(loaded.diagnostics.has_errors());
    assert!(loaded.diagnostics.iter().all(|diagnostic| diagnostic.code != "unused"));
}
