//! Tests of secret values and of functions that inspect secrecy.

use super::check;

#[test]
fn a_value_becomes_a_secret() {
    check(&[
        (r#"sensitive("x")"#, r#"secret "x""#),
        (r#"upper(sensitive("x"))"#, r#"secret "X""#),
        ("sensitive(param.secret)", r#"secret "hunter2""#),
        ("sensitive(param.unknown)", "Unknown(task.first)"),
        ("issensitive(param.secret)", "true"),
        ("issensitive([1, param.secret])", "true"),
        ("issensitive([1])", "false"),
        ("issensitive(param.unknown)", "Unknown(task.first)"),
        ("issensitive([param.unknown, param.secret])", "true"),
        (
            r#"urldecode(sensitive("%"))"#,
            r#"error at sensitive("%"): urldecode: failed; the reason is not shown, because a value is secret"#,
        ),
    ]);
}

#[test]
fn states_go_through_every_kind_of_function() {
    let calls = [
        "quote(#)",
        "versioncmp(\"1\", #)",
        "in(#, [1])",
        "index([7], #)",
        "setproduct([#])",
        "chunklist([1], #)",
        "pow(#, 2)",
        "yamldecode(#)",
        "urlencode(#)",
        "md5(#)",
        "sha512crypt(#, \"a\")",
        "parseint(#, 10)",
        "cidrhost(\"10.0.0.0/8\", #)",
        "formatlist(\"%d\", [#])",
        "strrev(#)",
        "csvencode([{a = #}])",
        "iniencode({a = #})",
    ];
    for call in calls {
        check(&[
            (&call.replace('#', "param.unknown"), "Unknown(task.first)"),
            (&format!("issensitive({})", call.replace('#', "param.secretnumber")), "true"),
            (&format!("issensitive({})", call.replace('#', "7")), "false"),
        ]);
    }
}
