use super::ask;
use crate::About;

/// Checks the hovered text and a short form of its hover information.
fn check(fixture: &str, expect: &str) {
    let actual = ask(fixture, |workspace, source, at| {
        let hover = workspace.hover(source, at)?;
        let text = workspace.text(source)?;
        let description = match hover.about {
            About::Type(known) => format!("type {}", known.name()),
            About::Field(field) => format!("field {}: {}", field.name, field.kind),
            About::Param(param) => format!("param {}: {}", param.name, param.summary()),
            About::Output(output) => {
                format!("output {}: {}, {}", output.name, output.summary(), output.description)
            }
            About::Declared { name, known, .. } => {
                format!("{name}: {}", known.map_or("?", |entry| entry.name()))
            }
            About::Module { params, .. } => format!("module of {} params", params.len()),
            About::Export { of, export } => format!("{of}: export {}", export.name),
            About::Function { signature, .. } => format!("function {signature}"),
        };
        Some(format!("|{}| {description}", &text[hover.range]))
    });
    assert_eq!(actual.as_deref().unwrap_or(""), expect, "{fixture}");
}

#[test]
fn outputs() {
    let web =
        "--- web.hcl\noutput \"url\" {\n  value = 1\n  description = \"Where.\"\n  sensitive = true\n}\n";
    let main = "module \"web.hcl\" \"w\" {\n}\nsite.page \"a\" {\n  path = module.w.output.u$0rl\n}\n";
    check(&format!("{main}{web}"), "|url| output url: never shown, Where.");
    check("output \"a$0\" {\n  value = 1\n}\n", "|a| output a: , ");
    check("outp$0ut \"a\" {\n  value = 1\n}\n", "|output| type output");
}

#[test]
fn places() {
    check("site.p$0age \"a\" {}\n", "|site.page| type site.page");
    check("site.page \"a$0\" {}\n", "|a| site.page.a: site.page");
    check("site.page \"a\" {\n  pa$0th = 1\n}\n", "|path| field path: a string");
    check("site.page \"a\" {\n  $0path = 1\n}\n", "|path| field path: a string");
    check("site.page \"a\" {\n  gro$0up = 1\n}\n", "|group| field group: a string");
    check("site.page \"a\" {\n  part {\n    si$0ze = 1\n  }\n}\n", "|size| field size: an integer");
    check("site.page \"a\" {\n  path = 1$0\n}\n", "");
    check("site.page \"a\" {\n  path = upp$0er(\"x\")\n}\n", "|upper| function upper(string)");
    check("site.page \"a\" {\n  path = mott$0o(\"x\")\n}\n", "|motto| function motto(string)");
    let b = "site.page \"b\" { path = 1 }\n";
    check(&format!("{b}param \"a\" {{ default = site.page.b$0.path }}\n"), "|b| site.page.b: site.page");
    check(
        &format!("{b}param \"a\" {{ default = site.page.b.pa$0th }}\n"),
        "|site.page.b.path| site.page.b: export path",
    );
    check(
        &format!("{b}param \"a\" {{ default = site.page.b.resu$0lt.size }}\n"),
        "|site.page.b.result.size| site.page.b: export result",
    );
    check(
        &format!("{b}param \"a\" {{ default = site.page.b.result.si$0ze }}\n"),
        "|site.page.b.result.size| site.page.b: export size",
    );
    check("site.page \"a\" {\n  path = self.bod$0y\n}\n", "|body| field body: a string");
    check(
        "module \"web.hcl\" \"w\" {\n  params { po$0rt = 1 }\n}\n--- web.hcl\nparam \"port\" {\n  type = \"number\"\n  default = 80\n}\n",
        "|port| param port: number, default 80",
    );
    check("module \"we$0b.hcl\" \"w\" {}\n--- web.hcl\nparam \"port\" {}\n", "|web.hcl| module of 1 params");
    check("site.page \"a\" {\n  path = \"é{{ jo$0in `a` .x }}\"\n}\n", "|join| function join SEPARATOR LIST");
    check("site.page \"a\" {\n  when = \"no$0t true\"\n}\n", "|not| function not VALUE");
    check("site.page \"a\" {\n  path = \"jo$0in\"\n}\n", "");
    check("site.other \"a\" {\n  x$0 = 1\n}\n", "");
}

#[test]
fn nothing_is_evaluated_and_no_secret_is_shown() {
    let home = "param \"a\" { default = \"{{env `HOME`}}\" }\nparam \"b\" { default = param.a$0 }\n";
    check(home, "|a| param a: default \"{{env `HOME`}}\"");
    let key =
        "param \"a\" {\n  default   = \"hush\"\n  sensitive = true\n}\nparam \"b\" { default = param.a$0 }\n";
    check(key, "|a| param a: never shown");
    let perhaps = "param \"a\" {\n  default   = \"hush\"\n  sensitive = true && true\n}\nparam \"b\" { default = param.a$0 }\n";
    check(perhaps, "|a| param a: never shown");
}
