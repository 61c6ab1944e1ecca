use super::registry;
use crate::fixes;
use converge_load::Loader;

/// Checks the text after the first fix of the first diagnostic.
fn check(text: &str, expect: &str) {
    let registry = registry();
    let loaded = Loader::new(&registry).for_inspection().load_text("main.hcl", text);
    let mut suggestions = loaded.diagnostics.iter().flat_map(|mistake| fixes(mistake, text));
    let fix = suggestions.next().unwrap_or_else(|| panic!("{text} has no fix: {:?}", loaded.diagnostics));
    let mut mended = text.to_owned();
    mended.replace_range(fix.range, &fix.text);
    assert_eq!(mended, expect, "{text}");
}

#[test]
fn names_that_were_meant() {
    let page = |field: &str| format!("site.page \"a\" {{\n  path = \"x\"\n  {field}\n}}\n");
    check("site.pag \"a\" {}\n", "site.page \"a\" {}\n");
    check(&page("bodi = 1"), &page("body = 1"));
    check(&page("look = \"drak\""), &page("look = \"dark\""));
    check(&page("state = \"presnt\""), &page("state = \"present\""));
    check(&page("body = uper(\"x\")"), &page("body = upper(\"x\")"));
    check(&page("body = \"{{paramLst `x`}}\""), &page("body = \"{{paramList `x`}}\""));
    check(&page("body = platform.oss"), &page("body = platform.os"));
    check(&page("part {\n    sise = 1\n  }"), &page("part {\n    size = 1\n  }"));
    let user = "param \"user\" { default = 1 }\n";
    check(&format!("{user}{}", page("body = param.usr")), &format!("{user}{}", page("body = param.user")));
    check(
        &format!("{user}{}", page("body = \"{{param `usr`}}\"")),
        &format!("{user}{}", page("body = \"{{param `user`}}\"")),
    );
    let second_page = "site.page \"other\" {\n  path = \"y\"\n}\n";
    for value in [
        "body = site.page.othr.path",
        "body = \"{{lookup `site.page.othr.path`}}\"",
        "depends = [\"site.page.othr\"]",
    ] {
        check(
            &format!("{second_page}{}", page(value)),
            &format!("{second_page}{}", page(&value.replace("othr", "other"))),
        );
    }
    check(
        &format!("{second_page}{}", page("body = site.page.other.paht")),
        &format!("{second_page}{}", page("body = site.page.other.path")),
    );
}

#[test]
fn marks_that_were_meant() {
    check("site.page \"a\" {\n  path: \"x\"\n}\n", "site.page \"a\" {\n  path = \"x\"\n}\n");
    check("param \"a\" {\n  default = [1 2]\n}\n", "param \"a\" {\n  default = [1 , 2]\n}\n");
    check("param \"a\" {\n  default = true and false\n}\n", "param \"a\" {\n  default = true && false\n}\n");
}
