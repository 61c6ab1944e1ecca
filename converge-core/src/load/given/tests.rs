use super::GivenParams;
use crate::graph::ParamOrigin;

/// Checks what is read, one `name = value (origin)` or `line:column message` a line.
fn check(given: &GivenParams, expect: &[&str]) {
    let params =
        given.params.iter().map(|param| format!("{} = {} ({})", param.name, param.value, param.origin));
    let wrong = given.diagnostics.iter().map(|diagnostic| {
        let at = given.sources.position(diagnostic.span().unwrap());
        format!("{}:{} {}", at.line, at.column, diagnostic.message)
    });
    assert_eq!(params.chain(wrong).collect::<Vec<_>>(), expect);
}

#[test]
fn json() {
    let check = |text: &str, expect: &[&str]| {
        check(&GivenParams::from_json("--params-json", text, &ParamOrigin::Json), expect);
    };
    let origin = "(in the JSON of parameters on the command line)";
    check("{}", &[]);
    check(
        "{\"z\": [1, 2.5, true, null], \"a\": {\"y\": \"s\", \"b\": 18446744073709551615}}",
        &[
            &format!("z = [1, 2.5, true, null] {origin}"),
            &format!("a = {{y = \"s\", b = 18446744073709552000}} {origin}"),
        ],
    );
    check("[1]", &["1:1 parameters must be a JSON object, not a list"]);
    check("{\"a\": 1,\n \"é\": tru}", &["2:10 this is no JSON: expected ident"]);
    check("{\"a\": 1", &["1:7 this is no JSON: EOF while parsing an object"]);
    check("", &["1:1 this is no JSON: EOF while parsing a value"]);
    check("{\"a\": {\"b\": 1, \"b\": 2}}", &["1:22 this is no JSON: `b` is given twice"]);
}

#[test]
fn hcl() {
    let check = |text: &str, expect: &[&str]| {
        let origin = |line| ParamOrigin::File { file: "p.hcl".into(), line: Some(line) };
        check(&GivenParams::from_hcl("p.hcl", text, origin), expect);
    };
    check(
        "# all\nports = [80, \"443\"]\n\nenv = { A = 1, \"B c\" = { d = true } }\ntext = \"{{x}} ${y}\"\nmode = 0644\n",
        &[
            "ports = [80, \"443\"] (in p.hcl, line 2)",
            "env = {A = 1, B c = {d = true}} (in p.hcl, line 4)",
            "text = \"{{x}} ${y}\" (in p.hcl, line 5)",
            "mode = 420 (in p.hcl, line 6)",
        ],
    );
    check(
        "env { A = 1 }\nb = 1",
        &["b = 1 (in p.hcl, line 2)", "1:1 a file of parameters holds values, and no blocks"],
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests make the files that they read")]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        GivenParams::read(&path)
    };
    let given = read("p.JSON", "{\"a\": 1}");
    assert_eq!(given.params[0].origin.to_string(), format!("in {}", folder.path().join("p.JSON").display()));
    assert_eq!(read("p.hcl", "a = 1\nb = [").params.len(), 1);
    let missing = GivenParams::read(&folder.path().join("none.json"));
    assert!(missing.diagnostics.has_errors());
}
