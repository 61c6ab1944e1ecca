use crate::graph::{Input, ParamOrigin};
use crate::sdk::registry::Registry;
use crate::{GivenParam, Loaded, Loader};
use converge_value::types::value::Value;

/// Formats the diagnostics of a module as lines `line:column.. code: message | help`.
fn lines(loaded: &Loaded) -> Vec<String> {
    let line = |diagnostic: &crate::diagnostic::Diagnostic| {
        let places: Vec<_> = diagnostic
            .labels
            .iter()
            .map(|label| {
                let position = loaded.sources.position(label.span);
                format!("{}:{}", position.line, position.column)
            })
            .collect();
        let help = diagnostic.help.as_ref().map(|help| format!(" | {help}")).unwrap_or_default();
        format!("{} {}: {}{help}", places.join(" "), diagnostic.code, diagnostic.message)
    };
    loaded.diagnostics.iter().map(line).collect()
}

/// Checks the diagnostics of a parameter `p` with this body.
fn check(body: &str, expect: &[&str]) {
    let loaded = Loader::new(&Registry::new()).load_text("m.hcl", format!("param \"p\" {{\n{body}\n}}"));
    assert_eq!(lines(&loaded), expect, "{body}");
}

/// Checks the diagnostics of a value given from outside.
fn check_given(body: &str, value: impl Into<Value>, origin: ParamOrigin, expect: &[&str]) {
    let registry = Registry::new();
    let loaded = Loader::new(&registry)
        .with_given(GivenParam::new("p", value, origin))
        .load_text("m.hcl", format!("param \"p\" {{\n{body}\n}}"));
    assert_eq!(lines(&loaded), expect, "{body}");
}

#[test]
fn the_description_says_what_is_missing() {
    check(
        "description = \"What is greeted.\\n\"",
        &[
            "1:1 missing-param: parameter `p` of m.hcl is required | give it a value with -p p=.., or a default in the module; its description is: What is greeted.",
        ],
    );
}

#[test]
fn types() {
    check("type = \"number\"\ndefault = \"5\"", &[]);
    check("type = \"list(string)\"\ndefault = [1, true]", &[]);
    check("type = \"any\"\ndefault = {}", &[]);
    check("type = bool\ndefault = \"true\"", &[]);
    check(
        "type = list(numbr)\ndefault = [1]",
        &[
            "2:8 value-not-allowed: param.type: \"numbr\" is not one of any, bool, list, map, number, string | did you mean \"number\"?",
        ],
    );
    check(
        "type = \"number\"\ndefault = \"five\"",
        &["3:11 2:8 not-a-number: parameter `p` must be `number`: \"five\" is not a number"],
    );
    check(
        "type = \"map(list(number))\"\ndefault = { a = [1], b = [2, \"x\"] }",
        &["3:30 2:8 not-a-number: parameter `p` must be `map(list(number))`, at b[1]: \"x\" is not a number"],
    );
    check(
        "type = \"numbr\"\ndefault = 1",
        &[
            "2:8 value-not-allowed: param.type: \"numbr\" is not one of any, bool, list, map, number, string | did you mean \"number\"?",
        ],
    );
    check(
        "type = \"{{env `X`}}\"\ndefault = 1",
        &["2:8 bad-param: `type` of a parameter cannot be computed | write it as it is"],
    );
    check("type = [1]\ndefault = 1", &["2:8 wrong-type: param.type: expected a string, found a list"]);
    check(
        "type = \"list\"",
        &[
            "1:1 missing-param: parameter `p` of m.hcl is required | give it a value with -p p=.., or a default in the module",
        ],
    );
}

#[test]
fn values_from_outside() {
    let number = "type = \"number\"\ndefault = 1";
    check_given(number, "5", ParamOrigin::CommandLine, &[]);
    check_given(number, 5, ParamOrigin::Json, &[]);
    check_given(
        number,
        "x",
        ParamOrigin::Environment { variable: "CONVERGE_PARAM_p".into() },
        &[
            "1:1 2:8 not-a-number: parameter `p` must be `number`: \"x\" is not a number | it was given by the environment variable CONVERGE_PARAM_p",
        ],
    );
    let list = "type = \"list(number)\"";
    check_given(list, "[80, 443]", ParamOrigin::CommandLine, &[]);
    check_given(
        list,
        "80",
        ParamOrigin::CommandLine,
        &[
            "1:1 2:8 wrong-type: parameter `p` must be `list(number)`: expected a list (a number each), found an integer | it was given on the command line",
        ],
    );
    check_given(
        list,
        "80, 443",
        ParamOrigin::CommandLine,
        &[
            "2:8 not-json: parameter `p` must be `list(number)`, and its text is not JSON: trailing characters | it was given on the command line; write it like [1, 2]",
        ],
    );
    let site = ParamOrigin::File { file: "site.hcl".into(), line: Some(3) };
    check_given(
        list,
        "[80]",
        site,
        &[
            "1:1 2:8 wrong-type: parameter `p` must be `list(number)`: expected a list (a number each), found a string | it was given in site.hcl, line 3",
        ],
    );
    // Text for a parameter without a type stays text.
    check_given(
        "validation {\ncondition = \"eq (param `p`) `[80]`\"\nmessage = \"no\"\n}",
        "[80]",
        ParamOrigin::CommandLine,
        &[],
    );
}

#[test]
fn validations() {
    let validation = |condition: &str, message: &str, expect: &[&str]| {
        let body = format!(
            "default = \"ab\"\nvalidation {{\ncondition = \"true\"\nmessage = \"never\"\n}}\nvalidation {{\ncondition = {condition}\nmessage = {message}\n}}"
        );
        check(&body, expect);
    };
    validation("\"eq (len (param `p`)) 2\"", "\"no\"", &[]);
    validation("length(param.p) == 2", "\"no\"", &[]);
    validation("length(param.p) > 2", "\"no\"", &["2:11 8:13 invalid-param: parameter `p`: no"]);
    validation("\"{{eq (param `p`) `ab`}}\"", "\"no\"", &[]);
    validation(
        "\"eq (param `p`) `x`\"",
        "\"{{param `p`}} is no x\"",
        &["2:11 8:13 invalid-param: parameter `p`: ab is no x"],
    );
    validation("false", "\"never\"", &["2:11 8:13 invalid-param: parameter `p`: never"]);
    validation("\"eq platform.OS `linux`\"", "\"not here\"", &[]);
    validation(
        "\"eq (param `q`) `x`\"",
        "\"no\"",
        &[
            "8:24 bad-param: the validation of parameter `p` can only use the parameter itself | its value is `param.p`",
        ],
    );
    validation("\"param `p`\"", "\"no\"", &["8:14 template: \"ab\" is neither true nor false"]);
    validation(
        "5",
        "\"no\"",
        &["8:13 wrong-type: the condition on parameter `p`: expected a bool, found an integer"],
    );
    validation("\"eq\"", "\"no\"", &["8:14 template: `eq` takes at least 2 arguments, but got 0"]);
    check(
        "default = 1\nvalidation {\ncondition = true\n}",
        &["3:1 missing-field: param.validation: `message` is required"],
    );
}

#[test]
fn secrets_are_not_shown() {
    let registry = Registry::new();
    let body = "type = \"number\"\nsensitive = true\ndefault = \"canary\"";
    let loaded = Loader::new(&registry).load_text("m.hcl", format!("param \"p\" {{\n{body}\n}}"));
    assert_eq!(
        lines(&loaded),
        [
            "1:1 2:8 not-a-number: parameter `p` must be `number`: (sensitive) is not a number | its value, which is not shown, is given at m.hcl:4:11"
        ]
    );
    assert!(!format!("{:?}", loaded.partial_graph()).contains("canary"));
    check(
        "sensitive = true\ndefault = \"canary\"\nvalidation {\ncondition = \"eq (param `p`) `x`\"\nmessage = \"no {{param `p`}}\"\n}",
        &[
            "1:1 5:13 invalid-param: parameter `p`: a condition does not hold; its message is sensitive | its value, which is not shown, is given at m.hcl:3:11",
        ],
    );
    check_given(
        "type = \"list\"\nsensitive = true",
        "canary",
        ParamOrigin::CommandLine,
        &[
            "2:8 not-json: parameter `p` must be `list`, and its text is not JSON: expected value | it was given on the command line; write it like [1, 2]",
        ],
    );
}

#[test]
fn text_from_outside_is_of_the_kind_of_the_default() {
    let check = |default: &str, given: &str, origin: ParamOrigin, expect: Value| {
        let loaded = Loader::new(&Registry::new())
            .with_given(GivenParam::new("p", given, origin))
            .load_text("m.hcl", format!("param \"p\" {{\n{default}\n}}"));
        assert_eq!(lines(&loaded), Vec::<String>::new());
        let node = loaded.partial_graph().node(loaded.partial_graph().find("root/param.p").unwrap());
        assert_eq!(
            super::value(&node.attributes).and_then(Input::known_value),
            Some(expect),
            "{default} {given}"
        );
    };
    let line = || ParamOrigin::CommandLine;
    check("default = false", "true", line(), Value::Bool(true));
    check("default = 1", "5", line(), Value::Int(5));
    check("default = 1", "0.5", line(), Value::Float(0.5));
    check("default = []", "[1]", line(), Value::List(vec![Value::Int(1)]));
    check("default = false\nsensitive = true", "true", line(), Value::Bool(true).into_secret());
    // Text stays text if its value is of another kind or would be written differently.
    for (default, param_text) in [
        ("1", "007"),
        ("1", "1e3"),
        ("false", "yes"),
        ("false", "1"),
        ("\"a\"", "true"),
        ("[]", "a,b"),
        ("null", "true"),
    ] {
        check(&format!("default = {default}"), param_text, line(), Value::from(param_text));
    }
    check("type = \"string\"\ndefault = \"1\"", "5", line(), Value::from("5"));
    check("default = false", "true", ParamOrigin::Code, Value::from("true"));
}
