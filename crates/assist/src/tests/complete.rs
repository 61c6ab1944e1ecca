use super::ask;
use crate::Completion;

fn items(fixture: &str) -> Vec<Completion> {
    ask(fixture, |workspace, source, at| workspace.complete(source, at).items)
}

/// Checks the complete list of completions.
fn check(fixture: &str, expect: &[&str]) {
    let items = items(fixture);
    let labels: Vec<&str> = items.iter().map(|item| item.label.as_str()).collect();
    assert_eq!(labels, expect, "{fixture}");
}

/// Checks that some completions are offered and others are not.
fn offers(fixture: &str, expect: &[&str], absent: &[&str]) {
    let items = items(fixture);
    let is_offered = |label: &&&str| items.iter().any(|item| item.label == ***label);
    let missing: Vec<_> = expect.iter().filter(|label| !is_offered(label)).collect();
    let unwanted: Vec<_> = absent.iter().filter(is_offered).collect();
    assert!(missing.is_empty() && unwanted.is_empty(), "{fixture}: without {missing:?}, with {unwanted:?}");
}

/// Checks the text after the first completion is accepted.
fn accept(fixture: &str, expect: &str) {
    let text = fixture.replace("$0", "");
    let item = items(fixture).into_iter().next().unwrap_or_else(|| panic!("{fixture} offers nothing"));
    let mut new = text;
    new.replace_range(item.replaces, &item.text);
    assert_eq!(new, expect, "{fixture}");
}

#[test]
fn types() {
    check("$0", &["module", "output", "param", "plugin", "site.page", "switch", "locals"]);
    check("si$0", &["site.page"]);
    check("param \"a\" {}\n\nsite.p$0\n\nparam \"b\" {}\n", &["site.page"]);
    check("switch \"s\" {\n  $0\n}\n", &["case", "default"]);
    check("switch \"s\" {\n  default {}\n  $0\n}\n", &["case"]);
    check("switch \"s\" {\n  case \"true\" \"a\" {\n    $0\n  }\n}\n", &["site.page"]);
    check("# si$0\n", &[]);
    check("/* si$0", &[]);
}

#[test]
fn fields() {
    check(
        "site.page \"a\" {\n  $0\n}\n",
        &[
            "path",
            "body",
            "look",
            "state",
            "public",
            "part",
            "words",
            "place",
            "key",
            "depends",
            "group",
            "timeout",
            "retry",
            "when",
            "for_each",
            "on_change_of",
            "optional",
            "even_after",
            "environment",
            "tags",
        ],
    );
    check("site.page \"a\" {\n  path = \"x\"\n  p$0\n}\n", &["public", "part", "place"]);
    check("site.page \"a\" {\n  pu$0 = true\n}\n", &["public"]);
    check("site.page \"a\" {\n  p$0\n  path = \"x\"\n  public = true\n}\n", &["part", "place"]);
    check("site.page \"a\" {\n  part {\n    $0\n  }\n}\n", &["size", "title"]);
    check("site.page \"a\" {\n  part {\n    size = 1\n    $0\n  }\n}\n", &["title"]);
    check("site.page \"a\" {\n  part = { $0 }\n}\n", &["size", "title"]);
    check("site.page \"a\" {\n  part = [{ t$0 }]\n}\n", &["title"]);
    check("site.page \"a\" {\n  retry {\n    $0\n  }\n}\n", &["attempts", "delay", "backoff"]);
    check("site.page \"a\" {\n  part {\n  }\n  pa$0\n}\n", &["path", "part"]);
    check("param \"a\" {\n  d$0\n}\n", &["default", "description", "depends"]);
    check("site.other \"a\" {\n  $0\n}\n", &[]);
    check("plugin \"a\" {\n  $0\n}\n", &["source", "sha256", "version"]);
    check(
        "module \"m.hcl\" \"m\" {\n  $0\n}\n",
        &["params", "depends", "when", "for_each", "tags", "optional", "environment"],
    );
    // The block is not closed yet.
    check("site.page \"a\" {\n  loo$0", &["look"]);
    check("site.page \"a\" {\n  loo$0\n\nparam \"b\" {\n}\n", &["look"]);
}

#[test]
fn what_is_written_for_a_field() {
    accept("site.page \"a\" {\n  loo$0\n}\n", "site.page \"a\" {\n  look = \n}\n");
    accept("site.page \"a\" {\n  loo$0 = \"light\"\n}\n", "site.page \"a\" {\n  look = \"light\"\n}\n");
    accept("site.page \"a\" {\n  par$0\n}\n", "site.page \"a\" {\n  part {\n}\n}\n");
    let item = items("site.page \"a\" {\n  par$0\n}\n").remove(0);
    assert_eq!(item.snippet.as_deref(), Some("part {\n  $0\n}"));
    let page = items("site.p$0").remove(0);
    assert_eq!(page.snippet.as_deref(), Some("site.page \"${1:name}\" {\n  path = \"$2\"\n}"));
    assert_eq!(page.doc, "A page, in a folder.");
    let place = items("site.page \"a\" {\n  plac$0\n}\n").remove(0);
    assert!(place.is_deprecated);
    assert_eq!((place.detail.as_str(), place.doc.as_str()), ("a string", "The old path."));
}

#[test]
fn values() {
    check("site.page \"a\" {\n  look = \"$0\"\n}\n", &["light", "dark"]);
    check("site.page \"a\" {\n  look = \"d$0\"\n}\n", &["dark"]);
    check("site.page \"a\" {\n  state = \"$0\n}\n", &["present", "absent"]);
    check("site.page \"a\" {\n  public = \"$0\"\n}\n", &["true", "false"]);
    offers("site.page \"a\" {\n  public = $0\n}\n", &["true", "false", "param", "upper"], &["light"]);
    offers("site.page \"a\" {\n  look = $0\n}\n", &["light", "dark", "each"], &["true"]);
    accept("site.page \"a\" {\n  look = da$0\n}\n", "site.page \"a\" {\n  look = \"dark\"\n}\n");
    accept("site.page \"a\" {\n  look = \"l$0ight\"\n}\n", "site.page \"a\" {\n  look = \"light\"\n}\n");
    check("param \"a\" {\n  type = li$0\n}\n", &["list", "list(string)"]);
    check("param \"a\" {\n  type = \"ma$0\"\n}\n", &["map", "map(string)"]);
    check("site.page \"a\" {\n  path = \"$0\"\n}\n", &[]);
    check("site.page \"a\" {\n  path = \"x\" $0\n}\n", &[]);
}

const PARAMS: &str = "param \"user\" { default = \"ada\" }\nparam \"port\" { type = \"number\" }\n";

#[test]
fn locals() {
    let check = |fixture: &str, expect: &[&str]| {
        check(&format!("locals {{\n  root = 1\n  pages = []\n}}\n{fixture}"), expect);
    };
    check("site.page \"a\" {\n  path = local.$0\n}\n", &["root", "pages"]);
    check("site.page \"a\" {\n  path = local.ro$0\n}\n", &["root"]);
    check("site.page \"a\" {\n  path = \"{{local `pa$0`}}\"\n}\n", &["pages"]);
}

#[test]
fn outputs() {
    let web = "--- web.hcl\nparam \"port\" {}\noutput \"url\" { value = 1 }\noutput \"all\" { value = 2 }\n";
    let check = |path: &str, expect: &[&str]| {
        let main = format!("module \"web.hcl\" \"w\" {{\n}}\nsite.page \"a\" {{\n  path = {path}\n}}\n");
        check(&format!("{main}{web}"), expect);
    };
    check("module.w.$0", &["output.url", "output.all", "params"]);
    check("module.w.output.$0", &["url", "all"]);
    check("module.w.output.u$0", &["url"]);
    check("\"{{lookup `module.w.output.a$0`}}\"", &["all"]);
    check("module.w.output.url.$0", &[]);
    let check = |path: &str, expect: &[&str]| {
        let main = format!(
            "module \"web.hcl\" \"w\" {{\n  for_each = [1]\n}}\nsite.page \"a\" {{\n  path = {path}\n}}\n"
        );
        super::complete::check(&format!("{main}{web}"), expect);
    };
    check("module.w[\"a.b/c\"].$0", &["output.url", "output.all", "params"]);
    check("module.w[\"a\"].output.$0", &["url", "all"]);
    check("module.w[\"a\"].output.u$0", &["url"]);
    check("<<END\n{{lookup `module.w[\"a\"].output.a$0`}}\nEND", &["all"]);
    check("module.w[each.key].output.u$0", &["url"]);
    check("module.w[each.key].$0", &["output.url", "output.all", "params"]);
    check("[for k in [\"a\"] : module.w[lower([k][0])].output.u$0", &["url"]);
}

#[test]
fn params() {
    let check = |fixture: &str, expect: &[&str]| check(&format!("{PARAMS}{fixture}"), expect);
    check("site.page \"a\" {\n  path = param.$0\n}\n", &["user", "port"]);
    check("site.page \"a\" {\n  path = param.us$0\n}\n", &["user"]);
    check("site.page \"a\" {\n  path = upper(param.us$0)\n}\n", &["user"]);
    check("site.page \"a\" {\n  path = [for x in param.po$0 : x]\n}\n", &["port"]);
    check("site.page \"a\" {\n  path = true ? param.us$0 : 1\n}\n", &["user"]);
    check("site.page \"a\" {\n  path = \"{{param `$0`}}\"\n}\n", &["user", "port"]);
    check("site.page \"a\" {\n  path = \"a{{param `po$0\n}\n", &["port"]);
    check("site.page \"a\" {\n  path = \"a{{ paramList \\\"us$0\\\" | join `,` }}\"\n}\n", &["user"]);
    check("site.page \"a\" {\n  path = <<END\n{{ if param `us$0` }}\nEND\n}\n", &["user"]);
    check("site.page \"a\" {\n  when = \"eq (param `po$0`) 1\"\n}\n", &["port"]);
    check("switch \"s\" {\n  case \"eq `x` (param `us$0`)\" \"a\" {\n  }\n}\n", &["user"]);
    check("site.page \"a\" {\n  path = \"{{param.po$0}}\"\n}\n", &["port"]);
    check("site.page \"a\" {\n  path = \"{{ if param.$0 }}\"\n}\n", &["user", "port"]);
    check("site.page \"a\" {\n  path = \"{{param.user.$0}}\"\n}\n", &[]);
    check("site.page \"a\" {\n  path = \"{{param `user`}}$0\"\n}\n", &[]);
    let port = items(&format!("{PARAMS}site.page \"a\" {{\n  path = param.po$0\n}}\n")).remove(0);
    assert_eq!(port.detail, "number, required");
    let secret = "param \"key\" {\n  default = \"hush\"\n  sensitive = true\n}\n";
    let key = items(&format!("{secret}site.page \"a\" {{\n  path = param.$0\n}}\n")).remove(0);
    assert_eq!((key.label.as_str(), key.detail.as_str()), ("key", "never shown"));
}

const PAGES: &str = "site.page \"home\" {\n  path = \"h\"\n}\nswitch \"s\" {\n  case \"true\" \"one\" {\n    site.page \"in\" {\n      path = \"i\"\n    }\n  }\n}\n";

#[test]
fn names_and_exports() {
    let check = |fixture: &str, expect: &[&str]| check(&format!("{PAGES}{fixture}"), expect);
    let page = |field: &str| format!("site.page \"a\" {{\n  {field}\n}}\n");
    check(&page("depends = [\"$0\"]"), &["site.page.home", "switch.s", "site.page.in"]);
    check(&page("depends = [\"site.page.h$0\"]"), &["site.page.home"]);
    check(&page("on_change_of = [\"sw$0"), &["switch.s"]);
    check(&page("depends = [sit$0]"), &["site.page.home", "site.page.in"]);
    check(&page("path = site.page.ho$0"), &["site.page.home"]);
    check(&page("path = site.page.home.$0"), &["path", "result"]);
    check(&page("path = site.page.home.result.$0"), &["size", "owner"]);
    check(&page("path = site.page.home.result.o$0wner"), &["owner"]);
    check(&page("path = site.page.in.pa$0"), &["path"]);
    check(&page("path = \"{{lookup `site.page.home.$0`}}\""), &["path", "result"]);
    check(&page("path = \"{{site.page.home.$0}}\""), &["path", "result"]);
    check(&page("path = \"{{print site.page.ho$0 | upper}}\""), &["site.page.home"]);
    check(&page("path = \"{{$x.$0}}\""), &[]);
    check(&page("path = lookup(\"site$0\")"), &[]);
    check(&page("path = self.pu$0"), &["public"]);
    check(&page("path = each.$0"), &["key", "value"]);
    check(&page("path = \"{{each.k$0}}\""), &["key"]);
    check(&page("path = platform.o$0"), &["os"]);
    check(&page("path = \"{{platform.O$0}}\""), &["OS"]);
    check(&page("path = path.$0"), &["cwd", "module", "root"]);
    let item = items(&format!("{PAGES}{}", page("path = site.page.home.result.s$0"))).remove(0);
    assert_eq!((item.detail.as_str(), item.doc.as_str()), ("known after apply", "The current size."));
    accept(
        "site.page \"b\" {\n  path = 1\n}\nsite.page \"a\" {\n  depends = [sit$0]\n}\n",
        "site.page \"b\" {\n  path = 1\n}\nsite.page \"a\" {\n  depends = [\"site.page.b\"]\n}\n",
    );
    let repeated = "site.page \"many\" {\n  for_each = [\"a\"]\n  path = each.key\n}\n";
    super::complete::check(
        &format!("{repeated}{}", page("path = site.page.many[\"a\"].$0")),
        &["path", "result"],
    );
}

#[test]
fn functions() {
    check("param \"a\" {\n  default = uppe$0\n}\n", &["upper"]);
    check("param \"a\" {\n  default = mott$0\n}\n", &["motto"]);
    check("param \"a\" {\n  default = \"{{ mot$0 }}\"\n}\n", &["motto"]);
    check("param \"a\" {\n  default = \"{{ paramL$0 }}\"\n}\n", &["paramList"]);
    // A function of expressions is offered, unless templates have another one of its name.
    check("param \"a\" {\n  default = \"{{ yamld$0 }}\"\n}\n", &["yamldecode"]);
    check("param \"a\" {\n  default = \"{{ slic$0 }}\"\n}\n", &["slice"]);
    let upper = items("param \"a\" {\n  default = uppe$0\n}\n").remove(0);
    assert_eq!((upper.detail.as_str(), upper.snippet.as_deref()), ("upper(string)", Some("upper($0)")));
}

const WEB: &str = "--- web.hcl\nparam \"port\" { default = 80 }\nparam \"name\" {}\nsite.page \"front\" {\n  path = \"f\"\n}\n--- sub/deep.hcl\n";

#[test]
fn modules() {
    let check = |fixture: &str, expect: &[&str]| check(&format!("{fixture}{WEB}"), expect);
    check("module \"$0\" \"web\" {\n}\n", &["web.hcl", "sub/deep.hcl"]);
    check("module \"sub/$0", &["sub/deep.hcl"]);
    check("module \"web.hcl\" \"web\" {\n  params {\n    $0\n  }\n}\n", &["port", "name"]);
    check("module \"web.hcl\" \"web\" {\n  params {\n    port = 1\n    $0\n  }\n}\n", &["name"]);
    check("module \"web.hcl\" \"web\" {\n  params = { n$0 }\n}\n", &["name"]);
    let call = "module \"web.hcl\" \"web\" {\n}\n";
    check(&format!("{call}param \"a\" {{\n  default = module.web.$0\n}}\n"), &["site.page.front", "params"]);
    check(&format!("{call}param \"a\" {{\n  default = module.web.params.p$0\n}}\n"), &["port"]);
    check(&format!("{call}param \"a\" {{\n  default = module.web.site.page.front.pa$0\n}}\n"), &["path"]);
    check(&format!("{call}site.page \"a\" {{\n  depends = [\"module.web/$0\"]\n}}\n"), &["site.page.front"]);
}
