use super::{ask, shown};

fn definition(fixture: &str, expect: &[&str]) {
    let actual = ask(fixture, |workspace, source, at| {
        let places = workspace.definition(source, at);
        places.iter().map(|place| shown(workspace, place)).collect::<Vec<_>>()
    });
    assert_eq!(actual, expect, "{fixture}");
}

fn references(fixture: &str, expect: &[&str]) {
    let actual = ask(fixture, |workspace, source, at| {
        let places = workspace.references(source, at, true);
        places.iter().map(|place| shown(workspace, place)).collect::<Vec<_>>()
    });
    assert_eq!(actual, expect, "{fixture}");
}

#[test]
fn of_params() {
    let module = |value: &str| format!("param \"user\" {{}}\nsite.page \"a\" {{\n  path = {value}\n}}\n");
    let places = ["main.hcl:1:8 |user|"];
    definition(&module("param.us$0er"), &places);
    definition(&module("par$0am.user"), &[]);
    definition(&module("\"a{{param `us$0er`}}\""), &places);
    definition(&module("\"a{{param \\\"user$0\\\"}}\""), &places);
    definition(&module("\"\\u00e9{{param `$0user`}}\""), &places);
    definition(&module("<<END\n  {{param `us$0er`}}\nEND"), &places);
    definition(&module("[for user in param.us$0er : user]"), &places);
    definition(&module("[for user in [1] : us$0er]"), &[]);
    definition(&module("param[\"us$0er\"]"), &places);
    definition(&module("param.othe$0r"), &[]);
    definition(
        "param \"user\" {}\nswitch \"s\" {\n  case \"eq `a` (param `us$0er`)\" \"a\" {}\n}\n",
        &places,
    );
    definition("param \"us$0er\" {}\n", &places);
}

#[test]
fn of_locals() {
    let module = |value: &str| {
        format!("locals {{\n  root = 1\n  user = 2\n}}\nsite.page \"a\" {{\n  path = {value}\n}}\n")
    };
    let places = ["main.hcl:3:3 |user|"];
    definition(&module("local.us$0er"), &places);
    definition(&module("\"a{{local `us$0er`}}\""), &places);
    definition(&module("local.othe$0r"), &[]);
    definition(&module("param.us$0er"), &[]);
    references(
        "locals {\n  us$0er = 1\n  all = [local.user]\n}\nsite.page \"a\" {\n  path = \"{{local `user`}}{{param `user`}}\"\n}\n",
        &["main.hcl:2:3 |user|", "main.hcl:3:16 |user|", "main.hcl:6:20 |user|"],
    );
}

#[test]
fn of_outputs() {
    let web = "--- web.hcl\noutput \"url\" {\n  value = 1\n}\n";
    let module = |value: &str| {
        format!("module \"web.hcl\" \"w\" {{\n}}\nsite.page \"a\" {{\n  path = {value}\n}}\n{web}")
    };
    definition(&module("module.w.output.u$0rl"), &["web.hcl:1:9 |url|"]);
    definition(&module("\"a{{lookup `module.w.output.u$0rl`}}\""), &["web.hcl:1:9 |url|"]);
    let with_each = |value: &str| module(value).replace("{\n}\nsite", "{\n  for_each = [1]\n}\nsite");
    definition(&with_each("module.w[\"a\"].output.u$0rl"), &["web.hcl:1:9 |url|"]);
    definition(&with_each("module.w[each.key].output.u$0rl"), &["web.hcl:1:9 |url|"]);
    // An unknown output leads to the module call.
    definition(&module("module.w.output.ot$0her"), &["main.hcl:1:19 |w|"]);
}

#[test]
fn of_names() {
    let module = |value: &str| {
        format!(
            "site.page \"b\" {{\n  path = 1\n}}\nsite.page \"a\" {{\n  {value}\n}}\nswitch \"s\" {{\n  case \"true\" \"c\" {{\n    site.page \"in\" {{\n      path = 2\n    }}\n  }}\n}}\n"
        )
    };
    let places = ["main.hcl:1:12 |b|"];
    definition(&module("path = site.page.$0b.path"), &places);
    definition(&module("path = si$0te.page.b.path"), &places);
    definition(&module("path = site.page.b.pa$0th"), &places);
    definition(&module("path = \"{{lookup `site.page.b$0.path`}}\""), &places);
    definition(&module("path = lookup(\"site.page.b$0.path\")"), &places);
    definition(&module("depends = [\"site.page.$0b\"]"), &places);
    definition(&module("path = site.page.in$0.path"), &["main.hcl:9:16 |in|"]);
    definition(&module("depends = [\"switch.s$0\"]"), &["main.hcl:7:9 |s|"]);
    definition(&module("depends = [\"macro.switch.s$0\"]"), &["main.hcl:7:9 |s|"]);
    definition(&module("depends = [\"switch.s/case.c/site.page.in$0\"]"), &["main.hcl:9:16 |in|"]);
    definition(&module("depends = [\"switch.s/case.$0c/site.page.in\"]"), &["main.hcl:8:16 |c|"]);
    definition(&module("path = 1\n  body = self.pa$0th"), &["main.hcl:5:3 |path|"]);
    definition(&module("path = each.k$0ey\n  for_each = []"), &["main.hcl:6:3 |for_each|"]);
}

#[test]
fn in_other_files() {
    let web = "--- web.hcl\nparam \"port\" {}\nsite.page \"p\" {\n  path = param.port\n}\n";
    let module = |rest: &str| {
        format!("module \"web.hcl\" \"web\" {{\n  params {{\n    port = 1\n  }}\n}}\n{rest}{web}")
    };
    let main = |value: &str| module(&format!("site.page \"a\" {{\n  path = {value}\n}}\n"));
    definition(&format!("module \"we$0b.hcl\" \"web\" {{}}\n{web}"), &["web.hcl:1:1 ||"]);
    definition("module \"no$0ne.hcl\" \"web\" {}\n", &[]);
    definition(&module("").replace("port = 1", "po$0rt = 1"), &["web.hcl:1:8 |port|"]);
    definition(&main("module.web.params.po$0rt"), &["web.hcl:1:8 |port|"]);
    definition(&main("module.we$0b.site.page.p.path"), &["main.hcl:1:19 |web|"]);
    definition(&main("module.web.site.page.p$0.path"), &["web.hcl:2:12 |p|"]);
    definition(&main("\"{{lookup `module.web/site.page.p$0.path`}}\""), &["web.hcl:2:12 |p|"]);
}

#[test]
fn uses() {
    references(
        "param \"us$0er\" {}\nsite.page \"user\" {\n  path = \"{{param `user`}}/{{param `user`}}\"\n  body = param.user\n}\n",
        &["main.hcl:1:8 |user|", "main.hcl:3:20 |user|", "main.hcl:3:37 |user|", "main.hcl:4:16 |user|"],
    );
    references(
        "param \"port\" {}\nparam \"ports\" { default = [param.po$0rt] }\n",
        &["main.hcl:1:8 |port|", "main.hcl:2:34 |port|"],
    );
    references(
        "site.page \"a\" {\n  path = 1\n}\nsite.page \"ab\" {\n  depends = [\"site.page.a\"]\n  path = site.page.a$0.path\n}\n",
        &["main.hcl:1:12 |a|", "main.hcl:5:25 |a|", "main.hcl:6:20 |a|"],
    );
    references(
        "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n}\nparam \"x\" { default = module.web.params.port }\n--- web.hcl\nparam \"po$0rt\" {}\n",
        &["web.hcl:1:8 |port|", "main.hcl:2:12 |port|", "main.hcl:4:41 |port|"],
    );
    // A called module sees the names around the call.
    references(
        "site.page \"to$0p\" {\n  path = 1\n}\nmodule \"web.hcl\" \"web\" {}\n--- web.hcl\nsite.page \"p\" {\n  path = site.page.top.path\n}\n",
        &["main.hcl:1:12 |top|", "web.hcl:2:20 |top|"],
    );
    references(
        "module \"web.hcl\" \"we$0b\" {}\nparam \"x\" { default = module.web.site.page.p.path }\n--- web.hcl\nsite.page \"p\" { path = 1 }\n",
        &["main.hcl:1:19 |web|", "main.hcl:2:30 |web|"],
    );
    references("$0\n", &[]);
}

#[test]
fn modules_that_call_each_other_end() {
    definition(
        "module \"main.hcl\" \"again\" {}\nparam \"x\" { default = module.again.module.again.param.x$0 }\n",
        &["main.hcl:2:8 |x|"],
    );
    definition("module \"main.hcl\" \"again\" {}\nparam \"x\" { default = site.page.no$0.path }\n", &[]);
}
