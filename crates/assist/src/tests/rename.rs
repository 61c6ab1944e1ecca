use super::ask;
use crate::RenameError;

/// Returns all files after the item at the cursor was renamed.
fn renamed(fixture: &str, name: &str) -> Result<String, RenameError> {
    ask(fixture, |workspace, source, at| {
        let edits = workspace.rename(source, at, name)?;
        let mut text = fixture.replace("$0", "");
        // Edits are applied from the end so that they do not move each other.
        let mut places: Vec<(usize, usize)> = Vec::new();
        for edit in &edits {
            let file = edit.place.source.name().rsplit('/').next().unwrap();
            let header = format!("--- {file}\n");
            let start = text.find(&header).map_or(0, |offset| offset + header.len());
            places.push((start + edit.place.range.start, start + edit.place.range.end));
        }
        places.sort_unstable();
        for (start, end) in places.into_iter().rev() {
            text.replace_range(start..end, name);
        }
        Ok(text)
    })
}

fn check(fixture: &str, name: &str, expect: &str) {
    assert_eq!(renamed(fixture, name).as_deref(), Ok(expect), "{fixture}");
}

fn refuses(fixture: &str, name: &str, expect: &str) {
    assert_eq!(renamed(fixture, name).unwrap_err().to_string(), expect, "{fixture}");
}

#[test]
fn outputs_of_instances() {
    let module = |name: &str| {
        format!(
            "module \"web.hcl\" \"w\" {{\n  for_each = [1]\n}}\nsite.page \"a\" {{\n  path = module.w[each.key].output.{name}\n  \
             body = \"{{{{lookup `module.w.output.{name}`}}}}\"\n}}\nsite.page \"b\" {{\n  path = module.w[\"1\"].output.{name}\n}}\n"
        )
    };
    let web = |name: &str| format!("--- web.hcl\noutput \"{name}\" {{\n  value = 1\n}}\n");
    let expect = module("address") + &web("address");
    check(&(module("url") + &web("u$0rl")), "address", &expect);
    check(&(module("url").replacen(".url", ".u$0rl", 1) + &web("url")), "address", &expect);
}

#[test]
fn everything_that_names_it_is_edited() {
    check(
        "locals {\n  us$0er = 1\n  all = [local.user]\n}\nparam \"user\" {}\nsite.page \"a\" {\n  path = \"{{local `user`}}{{param `user`}}\"\n}\n",
        "name",
        "locals {\n  name = 1\n  all = [local.name]\n}\nparam \"user\" {}\nsite.page \"a\" {\n  path = \"{{local `name`}}{{param `user`}}\"\n}\n",
    );
    check(
        "param \"us$0er\" {}\nsite.page \"user\" {\n  path = \"{{param `user`}} user\"\n  body = param.user\n}\n",
        "name",
        "param \"name\" {}\nsite.page \"user\" {\n  path = \"{{param `name`}} user\"\n  body = param.name\n}\n",
    );
    check(
        "site.page \"a\" {\n  path = 1\n}\nsite.page \"b\" {\n  depends = [\"site.page.a\"]\n  path = site.page.a$0.path\n  body = \"{{lookup `site.page.a.path`}}\"\n}\n",
        "first",
        "site.page \"first\" {\n  path = 1\n}\nsite.page \"b\" {\n  depends = [\"site.page.first\"]\n  path = site.page.first.path\n  body = \"{{lookup `site.page.first.path`}}\"\n}\n",
    );
    check(
        "site.page \"a$0\" {\n  for_each = [\"a\"]\n  path = each.key\n}\nparam \"x\" { default = site.page.a[\"a\"].path }\n",
        "all",
        "site.page \"all\" {\n  for_each = [\"a\"]\n  path = each.key\n}\nparam \"x\" { default = site.page.all[\"a\"].path }\n",
    );
    check(
        "param \"user\" {}\nparam \"x\" { default = param[\"us$0er\"] }\n",
        "name",
        "param \"name\" {}\nparam \"x\" { default = param[\"name\"] }\n",
    );
}

#[test]
fn other_files_are_edited() {
    check(
        "module \"web.hcl\" \"web\" {\n  params { port = 1 }\n}\nparam \"x\" { default = module.web.params.port }\n--- web.hcl\nparam \"po$0rt\" {}\nparam \"y\" { default = param.port }\n",
        "number",
        "module \"web.hcl\" \"web\" {\n  params { number = 1 }\n}\nparam \"x\" { default = module.web.params.number }\n--- web.hcl\nparam \"number\" {}\nparam \"y\" { default = param.number }\n",
    );
    check(
        "module \"web.hcl\" \"we$0b\" {}\nparam \"x\" { default = module.web.site.page.p.path }\n--- web.hcl\nsite.page \"p\" { path = 1 }\n",
        "site",
        "module \"web.hcl\" \"site\" {}\nparam \"x\" { default = module.site.site.page.p.path }\n--- web.hcl\nsite.page \"p\" { path = 1 }\n",
    );
}

#[test]
fn files_of_parameters_are_edited() {
    check(
        "param \"po$0rt\" {}\nparam \"host\" {}\n--- blue.hcl\nhost = \"a\"\nport = 80 # port\n--- all.hcl\n\"port\" = 1\n--- other.hcl\nport = 80\nelse = 1\n",
        "number",
        "param \"number\" {}\nparam \"host\" {}\n--- blue.hcl\nhost = \"a\"\nnumber = 80 # port\n--- all.hcl\n\"number\" = 1\n--- other.hcl\nport = 80\nelse = 1\n",
    );
    // Another module accepts the same parameters, so the owner of the file is ambiguous.
    check(
        "param \"po$0rt\" {}\n--- web.hcl\nparam \"port\" {}\n--- blue.hcl\nport = 80\n",
        "number",
        "param \"number\" {}\n--- web.hcl\nparam \"port\" {}\n--- blue.hcl\nport = 80\n",
    );
    // The parameter file would become one of another module.
    refuses(
        "param \"po$0rt\" {}\n--- web.hcl\nparam \"number\" {}\n--- blue.hcl\nport = 80\n",
        "number",
        "the new name would change the meaning of /there-is-no-such-folder/blue.hcl",
    );
}

#[test]
fn what_would_mean_something_else_is_refused() {
    refuses("param \"us$0er\" {}\nparam \"name\" {}\n", "name", "there is a `param.name` already");
    refuses(
        "param \"us$0er\" {}\nparam \"x\" { default = param.user }\n",
        "a-b",
        "`a-b` cannot be a name here: write letters, digits and `_`, beginning with a letter",
    );
    check("param \"us$0er\" {}\n", "a-b", "param \"a-b\" {}\n");
    refuses(
        "param \"us$0er\" {}\n",
        "a b",
        "`a b` cannot be a name here: write letters, digits and `_`, beginning with a letter, or `-`",
    );
    refuses("param \"user\" {}\n$0\n", "name", "there is no name here that can be renamed");
    // Inside the `case`, the name would refer to the nearer declaration.
    refuses(
        "site.page \"to$0p\" {\n  path = 1\n}\nswitch \"s\" {\n  case \"true\" \"c\" {\n    site.page \"near\" {\n      path = 2\n    }\n    site.page \"x\" {\n      path = site.page.top.path\n    }\n  }\n}\n",
        "near",
        "the new name would change the meaning of /there-is-no-such-folder/main.hcl",
    );
    refuses(
        "switch \"s$0\" {\n  case \"true\" \"c\" {}\n}\nsite.page \"a\" {\n  depends = [\"macro.switch.s\"]\n  path = 1\n}\n",
        "t",
        "/there-is-no-such-folder/main.hcl names it at byte 66 in a form that cannot be edited: with escapes, or in the old syntax",
    );
}
