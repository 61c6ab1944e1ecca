//! Tests of `#[derive(Export)]`: the seven rules of exports in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_core::Export;
use converge_core::schema::{ExportField, Shape};
use converge_core::value::{Secret, ToValue, Value};

/// The result of a command.
#[derive(Debug, Default, Export)]
struct Outcome {
    /// The output of the command.
    #[export]
    stdout: String,
    /// The code.
    #[export(name = "exitstatus")]
    code: Option<u32>,
}

/// Returns the names with their shapes on one line; `*` marks a computed export.
fn shown(fields: &[ExportField]) -> String {
    let format_field = |field: &ExportField| {
        let computed = if field.computed { "*" } else { "" };
        let shape = match &field.shape {
            Shape::Struct(inner) => format!("{{{}}}", shown(inner)),
            Shape::Open => "[]".to_owned(),
            Shape::Plain => String::new(),
        };
        format!("{}{computed}{shape}", field.name)
    };
    fields.iter().map(format_field).collect::<Vec<_>>().join(" ")
}

fn fields<T: Export>() -> String {
    shown(&T::export_fields())
}

/// Asserts that the names with a description and the names with a value are the same.
fn agree<T: Export>(task: &T) {
    let fields = T::export_fields();
    let exports = task.exports();
    let described: Vec<_> = fields.iter().map(|field| field.name).collect();
    let names: Vec<_> = exports.iter().map(|(name, _)| name).collect();
    assert_eq!(described, names);
}

fn outcome(stdout: &str) -> Outcome {
    Outcome { stdout: stdout.to_owned(), code: Some(0) }
}

#[track_caller]
fn check<T: Export>(task: &T, path: &str, expect: impl Into<Option<Value>>) {
    let parts: Vec<_> = path.split('.').collect();
    assert_eq!(task.exports().get(&parts).cloned(), expect.into(), "for {path}");
    agree(task);
}

#[test]
fn rule_1_a_field_with_the_attribute_is_exported() {
    #[derive(Export)]
    struct Task {
        /// The user.
        #[export]
        user: String,
        /// The permissions.
        #[export(name = "mode")]
        permissions: u32,
        /// The type.
        #[export]
        r#type: Option<bool>,
        /// The env.
        #[export]
        env: BTreeMap<String, String>,
        /// The password.
        #[export]
        password: Secret<String>,
        /// The hidden.
        #[expect(dead_code, reason = "not exported, which is the point")]
        hidden: String,
    }
    let task = Task {
        user: "me".to_owned(),
        permissions: 0o644,
        r#type: None,
        env: [("HOME".to_owned(), "/".to_owned())].into(),
        password: Secret::new("hunter2".to_owned()),
        hidden: String::new(),
    };
    assert_eq!(fields::<Task>(), "user mode type env[] password");
    assert_eq!(Task::export_fields()[0].doc, "The user.");
    check(&task, "user", Value::from("me"));
    check(&task, "USER", Value::from("me"));
    check(&task, "Mode", Value::Int(0o644));
    check(&task, "permissions", None);
    check(&task, "hidden", None);
    check(&task, "type", Value::Null);
    check(&task, "env.HOME", Value::from("/"));
    check(&task, "password", Value::from("hunter2").into_secret());
}

#[test]
fn rule_2_an_exported_struct_is_reached_by_further_dots() {
    #[derive(Export)]
    struct Task {
        /// The status.
        #[export]
        status: Outcome,
        /// The previous.
        #[export]
        previous: Option<Outcome>,
    }
    let task = Task { status: outcome("hello"), previous: None };
    assert_eq!(fields::<Task>(), "status{stdout exitstatus} previous{stdout exitstatus}");
    check(&task, "status.stdout", Value::from("hello"));
    check(&task, "Status.ExitStatus", Value::Int(0));
    check(&task, "stdout", None);
    check(&task, "previous", Value::Null);
    assert_eq!(task.to_value(), task.exports().into_value());
    assert_eq!(Task::shape(), Shape::Struct(Task::export_fields()));
}

#[test]
fn rule_3_an_embedded_struct_shares_the_namespace() {
    #[derive(Export)]
    struct Task {
        /// The outcome.
        #[export(embed)]
        outcome: Outcome,
        /// The user.
        #[export]
        user: String,
    }
    let task = Task { outcome: outcome("hello"), user: "me".to_owned() };
    assert_eq!(fields::<Task>(), "user stdout exitstatus Outcome{stdout exitstatus}");
    check(&task, "stdout", Value::from("hello"));
    check(&task, "outcome.stdout", Value::from("hello"));
    check(&task, "user", Value::from("me"));
}

#[test]
fn rule_3_goes_through_wrappers_and_levels() {
    #[derive(Export)]
    struct Middle {
        /// The inner.
        #[export(embed)]
        inner: Box<Outcome>,
    }
    #[derive(Export)]
    struct Task {
        /// The middle.
        #[export(embed)]
        middle: Option<Arc<Middle>>,
    }
    assert_eq!(
        fields::<Task>(),
        "stdout exitstatus Outcome{stdout exitstatus} Middle{stdout exitstatus Outcome{stdout exitstatus}}"
    );
    let task = Task { middle: Some(Arc::new(Middle { inner: Box::new(outcome("hello")) })) };
    check(&task, "stdout", Value::from("hello"));
    check(&task, "middle.outcome.stdout", Value::from("hello"));
    let empty_task = Task { middle: None };
    check(&empty_task, "stdout", Value::Null);
    check(&empty_task, "middle.stdout", Value::Null);
}

// Rule 4, that trait objects are not exported, is `tests/derives/tests/ui/export/trait_object.rs`.

#[test]
fn rule_5_the_outer_field_keeps_its_name() {
    #[derive(Export)]
    struct Task {
        /// The outcome.
        #[export(embed)]
        outcome: Outcome,
        /// The own.
        #[export(name = "STDOUT")]
        own: String,
    }
    let task = Task { outcome: outcome("inner"), own: "outer".to_owned() };
    assert_eq!(fields::<Task>(), "STDOUT exitstatus Outcome{stdout exitstatus}");
    check(&task, "stdout", Value::from("outer"));
    check(&task, "Outcome.stdout", Value::from("inner"));
}

#[test]
fn rule_5_of_two_embedded_structs_the_first_keeps_the_name() {
    #[derive(Export)]
    struct Other {
        /// The stdout.
        #[export]
        stdout: Option<String>,
    }
    #[derive(Export)]
    struct Task {
        /// The other.
        #[export(embed)]
        other: Other,
        /// The outcome.
        #[export(embed)]
        outcome: Outcome,
    }
    let task = Task { other: Other { stdout: None }, outcome: outcome("second") };
    assert_eq!(fields::<Task>(), "stdout Other{stdout} exitstatus Outcome{stdout exitstatus}");
    check(&task, "stdout", Value::Null);
    check(&task, "Outcome.stdout", Value::from("second"));
}

#[test]
fn rules_6_and_7_a_re_export_stands_under_its_name() {
    #[derive(Export)]
    struct Task {
        /// The plain.
        #[re_export_as = "status"]
        plain: Outcome,
        /// The value of the check.
        #[re_export_as = "checkstatus"]
        optional: Option<Outcome>,
        /// The in box.
        #[re_export_as = "boxed"]
        in_box: Box<Outcome>,
        /// The in arc.
        #[re_export_as = "shared"]
        in_arc: Option<Arc<Outcome>>,
    }
    let task = Task {
        plain: outcome("a"),
        optional: None,
        in_box: Box::new(outcome("c")),
        in_arc: Some(Arc::new(outcome("d"))),
    };
    assert_eq!(
        fields::<Task>(),
        "status{stdout exitstatus} checkstatus{stdout exitstatus} boxed{stdout exitstatus} \
         shared{stdout exitstatus}"
    );
    assert_eq!(Task::export_fields()[1].doc, "The value of the check.");
    check(&task, "status.stdout", Value::from("a"));
    check(&task, "Status.Stdout", Value::from("a"));
    check(&task, "plain", None);
    check(&task, "checkstatus", Value::Null);
    check(&task, "checkstatus.stdout", None);
    check(&task, "boxed.stdout", Value::from("c"));
    check(&task, "shared.stdout", Value::from("d"));
}

#[test]
fn computed_reaches_everything_inside() {
    #[derive(Export)]
    struct Deep {
        /// The outcome.
        #[export]
        outcome: Outcome,
    }
    #[derive(Export)]
    struct Task {
        /// The plain.
        #[export(computed)]
        plain: String,
        /// The other.
        #[export(name = "named", computed)]
        other: Deep,
        /// The status.
        #[export(computed)]
        #[re_export_as = "status"]
        status: Option<Deep>,
        /// The embedded.
        #[export(embed, computed)]
        embedded: Outcome,
        /// The known.
        #[export]
        known: String,
    }
    assert_eq!(
        fields::<Task>(),
        "plain* named*{outcome*{stdout* exitstatus*}} status*{outcome*{stdout* exitstatus*}} known \
         stdout* exitstatus* Outcome*{stdout* exitstatus*}"
    );
    let task = Task {
        plain: String::new(),
        other: Deep { outcome: outcome("a") },
        status: None,
        embedded: outcome("b"),
        known: String::new(),
    };
    check(&task, "named.outcome.stdout", Value::from("a"));
}

#[test]
fn a_struct_may_export_nothing() {
    #[derive(Export)]
    struct Unit;
    #[derive(Export)]
    struct Empty {}
    #[derive(Export)]
    struct Private {
        _hidden: String,
    }
    assert_eq!((fields::<Unit>(), fields::<Empty>(), fields::<Private>()), Default::default());
    assert_eq!(Unit.exports().iter().count() + Empty {}.exports().iter().count(), 0);
    assert_eq!(Private { _hidden: String::new() }.exports().iter().count(), 0);
}

#[test]
fn a_generic_struct_exports_by_its_own_bounds() {
    #[derive(Export)]
    struct Pair<T>
    where
        T: ToValue,
    {
        /// One.
        #[export]
        left: T,
        /// The other.
        #[export]
        right: T,
    }
    let pair = Pair { left: 1_i64, right: 2 };
    check(&pair, "left", Value::Int(1));
    check(&pair, "right", Value::Int(2));
}
