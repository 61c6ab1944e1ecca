use proptest::prelude::*;

use super::GivenParams;
use crate::diagnostic::{Diagnostics, Label, SourceMap};
use crate::graph::ParamOrigin;
use crate::syntax::{self, Expression, ExpressionKind, Item};
use converge_value::types::value::Value;

/// Compares the result with lines of the form `name = value (origin)` or `line:column message`.
fn check(params_given: &GivenParams, expect: &[&str]) {
    let params = params_given
        .params
        .iter()
        .map(|param| format!("{} = {} ({})", param.name, param.value, param.origin));
    let messages = params_given.diagnostics.iter().map(|diagnostic| {
        let position = params_given.sources.position(diagnostic.span().unwrap());
        format!("{}:{} {}", position.line, position.column, diagnostic.message)
    });
    assert_eq!(params.chain(messages).collect::<Vec<_>>(), expect);
}

#[test]
fn json() {
    let check = |text: &str, expect: &[&str]| {
        check(&GivenParams::from_json("--params-json", text, &ParamOrigin::Json), expect);
    };
    let origin = "(in the JSON of parameters on the command line)";
    check("{}", &[]);
    check(
        "{\"z\": [1, 2.5, true, null], \"a\": {\"y\": \"s\", \"b\": 1844674407370955161.5}}",
        &[
            &format!("z = [1, 2.5, true, null] {origin}"),
            &format!("a = {{y = \"s\", b = 1844674407370955300}} {origin}"),
        ],
    );
    check("{\"b\": 18446744073709551615}", &["1:7 this number is out of range"]);
    check("\u{feff}{\"a\": 1}", &[&format!("a = 1 {origin}")]);
    check("[1]", &["1:1 parameters must be a JSON object, not a list"]);
    check("{\"a\": 1,\n \"é\": tru}", &["2:10 this is not JSON: expected ident"]);
    check("{\"a\": 1", &["1:7 this is not JSON: EOF while parsing an object"]);
    check("", &["1:1 this is not JSON: EOF while parsing a value"]);
    check("{\"a\": {\"b\": 1, \"b\": 2}}", &["1:22 this is not JSON: `b` is given twice"]);
}

#[test]
fn yaml() {
    let check = |text: &str, expect: &[&str]| check(&GivenParams::from_text("p.yaml", text), expect);
    check("a: 1\nb: [x, {c: true}]\n", &["a = 1 (in p.yaml)", "b = [\"x\", {c = true}] (in p.yaml)"]);
    check("# nothing\n", &[]);
    check("- a\n", &["1:1 parameters must be a YAML map, not a list"]);
    check(
        "a: 1\nb: [\n",
        &["2:1 this is not valid YAML: while parsing a node, did not find expected node content"],
    );
    check(
        "a: 98765432109876543210\n",
        &["1:1 this is not valid YAML: the number is too large; quotes make a text of it"],
    );
}

#[test]
fn a_text_without_a_name_is_known_by_its_content() {
    let check = |text: &str, expect: &[&str]| check(&GivenParams::from_text("-", text), expect);
    check("a = \"b: c\"\n", &["a = \"b: c\" (in -, line 1)"]);
    check("\u{feff}a: 1\n", &["a = 1 (in -)"]);
    check(" {\"a\": 1}", &["a = 1 (in -)"]);
    check("{\"a\": tru}", &["1:10 this is not JSON: expected ident"]);
    check("a = x", &["1:5 a parameter file holds only literal values"]);
    check("", &[]);
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
        &["b = 1 (in p.hcl, line 2)", "1:1 a parameter file holds values, not blocks"],
    );
}

fn read(text: &str) -> GivenParams {
    GivenParams::from_hcl("p.hcl", text, |_| ParamOrigin::Json)
}

/// Formats values as JSON, which distinguishes 1 from 1.0, and 0.0 from -0.0.
fn json_of<'a>(values: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Vec<String> {
    let line = |(name, value)| format!("{name} = {}", serde_json::to_string(value).unwrap());
    values.into_iter().map(line).collect()
}

fn json_of_params(params_given: &GivenParams) -> Vec<String> {
    json_of(params_given.params.iter().map(|param| (&*param.name, &param.value)))
}

/// The result of the module parser: the data, whether there is anything else, and the errors.
struct Module {
    data: Vec<(String, Value)>,
    computed: bool,
    diagnostics: Diagnostics,
}

fn read_module(text: &str) -> Module {
    fn data(expression: Expression) -> Option<Value> {
        Some(match expression.kind {
            ExpressionKind::Bool(value) => Value::Bool(value),
            ExpressionKind::Int { value, .. } => Value::Int(value),
            ExpressionKind::Float(value) => Value::Float(value),
            ExpressionKind::String(text) => Value::String(text),
            ExpressionKind::List(items) => Value::List(items.into_iter().map(data).collect::<Option<_>>()?),
            ExpressionKind::Map(entries) => {
                let entry = |(name, item): (syntax::Name, _)| Some((name.text.to_string(), data(item)?));
                Value::Map(entries.into_iter().map(entry).collect::<Option<_>>()?)
            }
            ExpressionKind::Computed(_) => return None,
        })
    }
    let (body, diagnostics) = syntax::parse(SourceMap::new().add("p.hcl", text), text);
    let items: Vec<_> = body
        .items
        .into_iter()
        .map(|item| match item {
            Item::Attribute(attribute) => Some((attribute.name.text.to_string(), data(attribute.value)?)),
            Item::Block(_) => None,
        })
        .collect();
    Module { computed: items.contains(&None), data: items.into_iter().flatten().collect(), diagnostics }
}

#[test]
fn data_means_what_it_means_in_a_module() {
    let deepest = |open: &str, close: &str| open.repeat(64) + "1" + &close.repeat(64);
    let cases = [
        ("1", "1"),
        ("-010", "-8"),
        ("0x1F", "31"),
        ("0", "0"),
        ("-0", "0"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("1e6", "1000000.0"),
        ("1.5e-1", "0.15"),
        ("0.1", "0.1"),
        ("1e19", "1e+19"),
        ("-1e300", "-1e+300"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("true", "true"),
        ("false", "false"),
        ("(1)", "1"),
        ("((\n\"x\"\n))", "\"x\""),
        ("[(1), ([2]), ({ b = 3 })]", "[1,[2],{\"b\":3}]"),
        ("({ \"b\" : 1, c = (2) })", "{\"b\":1,\"c\":2}"),
        ("\n  1", "1"),
        ("[]", "[]"),
        ("{}", "{}"),
        ("[[], {}, [{}], { b = [] }]", "[[],{},[{}],{\"b\":[]}]"),
        ("[true,\n]", "[true]"),
        (
            "{ \"c\" = 1 d.e = 2, true = [1,] /* , */ f { g = false }\n}",
            r#"{"c":1,"d.e":2,"true":[1],"f":{"g":false}}"#,
        ),
        ("{ \"\" = 1, \"${x}\" = 2, Map = [], Float = \"1\" }", r#"{"":1,"${x}":2,"Map":[],"Float":"1"}"#),
        ("\"\"", "\"\""),
        (
            r#""${HOME} $${x} %{http_code} %%{y} \a\033\x41\u00e9\U0001f600 \\ \" $ %""#,
            r#""${HOME} $${x} %{http_code} %%{y} \u0007\u001bAé😀 \\ \" $ %""#,
        ),
        (r#""\u0000\u007f\u0085\u2028\r\n\t""#, "\"\\u0000\u{7f}\u{85}\u{2028}\\r\\n\\t\""),
        ("<<EOF\n${x}\n  y\nEOF", r#""${x}\n  y\n""#),
        ("[<<-E\n  z\r\n  E\n]", r#"["z\n"]"#),
        (&deepest("[", "]"), &deepest("[", "]")),
        (&deepest("(", ")"), "1"),
        (&deepest("{ a = ", " }"), &deepest("{\"a\":", "}")),
    ];
    for (text, expect) in cases {
        let text = format!("a = {text}\n\"b c\" = 1, d = 2 e = 3");
        let params_given = read(&text);
        assert!(params_given.diagnostics.is_empty(), "{text}: {:?}", params_given.diagnostics);
        let expect = [&format!("a = {expect}"), "b c = 1", "d = 2", "e = 3"];
        assert_eq!(json_of_params(&params_given), expect, "{text}");
        let module = read_module(&text).data;
        assert_eq!(json_of(module.iter().map(|(name, value)| (&**name, value))), expect, "{text}");
    }
}

#[test]
fn what_is_no_data_is_refused() {
    let check = |text: &str, expect: &[&str]| {
        let params_given = read(text);
        let messages = params_given.diagnostics.iter().map(|diagnostic| {
            let label = |label: &Label| format!("{:?}", params_given.sources.text(label.span));
            let places: Vec<_> = diagnostic.labels.iter().map(label).collect();
            format!("{}: {}", places.join(", "), diagnostic.message)
        });
        assert_eq!(
            json_of_params(&params_given).into_iter().chain(messages).collect::<Vec<_>>(),
            expect,
            "{text}"
        );
    };
    let computed = "a parameter file holds only literal values";
    for text in [
        "param.x",
        "null",
        "f(1)",
        "1 + 2",
        "[1][0]",
        "-(1)",
        "{ (c) = 1 }",
        "{ 1 = 2 }",
        "[for x in y : x]",
        "!true",
    ] {
        check(&format!("a = {text}\nb = 1"), &["b = 1", &format!("{text:?}: {computed}")]);
    }
    check(
        "a = [b, { c = (d), e = 1, f = g.h }]\ni = [j]",
        &[
            &format!("\"b\": {computed}"),
            &format!("\"d\": {computed}"),
            &format!("\"g.h\": {computed}"),
            &format!("\"j\": {computed}"),
        ],
    );
    check(
        "a = { b = 1, b = 2 }\nc = [1,\nd = 3",
        &["d = 3", "\"b\", \"b\": `b` is written twice", "\"\", \"[\": `]` is missing"],
    );
    check(
        "a = 1\n\"a\" = 2\nb =\nc = \"\\q\" d = 08",
        &[
            "a = 1",
            "\"\\\"a\\\"\", \"a\": `a` is written twice",
            "\"=\": no value after `=`",
            "\"\\\\q\": unknown escape `\\q`",
            "\"08\": `08` is not an octal number",
        ],
    );
    check("a = [1 2]", &["\"\": a comma is missing in the list"]);
    check("{\"a\": 1}", &["\"{\": write the parameter file as lines of `name = value`"]);
    let block = "a parameter file holds values, not blocks";
    check("env { A = 1 }\nb \"c\" {}", &[&format!("\"env\": {block}"), &format!("\"b\": {block}")]);
    check(&format!("a = {}", "[".repeat(100_000)), &["\"[\": more than 64 levels of nesting"]);
}

/// A parser that compares each name with all others would take minutes.
#[test]
fn a_map_with_very_many_names() {
    let names = 10_000;
    let entries: Vec<_> = (0..names).map(|number| format!("name{number} = {number}\n")).collect();
    let entries = entries.concat();
    let params_given = read(&format!("a = {{\n{entries}}}"));
    let Value::Map(map) = &params_given.params[0].value else { panic!("no map") };
    assert_eq!(map.len(), names);
    assert_eq!(map["name4711"], Value::Int(4711));
    let duplicate = read(&format!("a = {{\n{entries}name0 = 1\n}}"));
    assert_eq!(duplicate.diagnostics.len(), 1);
}

/// Fragments of data.
const PIECES: &[&str] = &[
    "a = ",
    "b = ",
    "c.d = ",
    "\"e f\" = ",
    "g ",
    "[",
    "]",
    "{",
    "}",
    "{}",
    "[]",
    ",",
    "\n",
    " ",
    "1",
    "-2",
    "010",
    "0x1f",
    "1.5",
    "2.0",
    "-0.0",
    ":",
    "1e3",
    "-0",
    "true",
    "false",
    "null",
    "\"x\"",
    "\"${y}\"",
    "\"$${y} %{z} \\a\\\\ \\\" \\n\"",
    "<<E\n${é}\nE\n",
    "<<-E\n  x\r\n  E\n",
    "# c\n",
    "/* d */",
    "(",
    ")",
    "+",
    "h.i",
    "=",
    "\u{feff}",
    "\"",
    "a = [1, 2]\n",
    "b = { c = \"d\" }\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_file_of_parameters_means_what_a_module_means(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16)
    ) {
        let text = pieces.concat();
        let params_given = read(&text);
        let mut module = read_module(&text);
        module.diagnostics.redact(params_given.sources.redactor());
        let data = json_of(module.data.iter().map(|(name, value)| (&**name, value)));
        prop_assert_eq!(json_of_params(&params_given), data, "{}", text);
        let (file_only, as_in_a_module): (Vec<_>, Vec<_>) =
            params_given.diagnostics.iter().partition(|diagnostic| diagnostic.code == "bad-params-file");
        let (json, json_only): (Vec<_>, Vec<_>) =
            module.diagnostics.iter().partition(|diagnostic| diagnostic.code == "json-module");
        prop_assert_eq!(file_only.is_empty(), json.is_empty() && !module.computed, "{}", text);
        prop_assert_eq!(as_in_a_module, json_only, "{}", text);
    }
}

proptest! {
    #[test]
    fn every_text_stays_as_it_is(text: String, name: String) {
        let module = format!("a = {{ {} = {} }}", quote(&name), quote(&text));
        let params_given = read(&module);
        let expect = Value::Map([(name, Value::string(text))].into_iter().collect());
        prop_assert_eq!(&params_given.params[0].value, &expect);
    }

    #[test]
    fn every_number_stays_as_it_is(int: i64, float in any::<f64>().prop_filter("finite", |float| float.is_finite())) {
        let params_given = read(&format!("a = {int}\nb = {float:?}"));
        prop_assert_eq!(&params_given.params[0].value, &Value::Int(int));
        let Value::Float(read) = params_given.params[1].value else { panic!("no float") };
        prop_assert_eq!(read.to_bits(), float.to_bits());
    }
}

fn quote(text: &str) -> String {
    let escaped: Vec<_> = text.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect();
    format!("\"{}\"", escaped.concat())
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
    let params_given = read("p.JSON", "{\"a\": 1}");
    assert_eq!(
        params_given.params[0].origin.to_string(),
        format!("in {}", folder.path().join("p.JSON").display())
    );
    assert_eq!(read("p.hcl", "a = 1\nb = [").params.len(), 1);
    let missing = GivenParams::read(&folder.path().join("none.json"));
    assert!(missing.diagnostics.has_errors());
}

#[test]
fn a_file_may_say_what_its_schema_is() {
    let text = r#"{"$schema": "./site.params.schema.json", "port": 80}"#;
    let params_given = GivenParams::from_json("blue.json", text, &ParamOrigin::Json);
    assert!(params_given.diagnostics.is_empty());
    let names: Vec<&str> = params_given.params.iter().map(|param| &*param.name).collect();
    assert_eq!(names, ["port"]);
}
