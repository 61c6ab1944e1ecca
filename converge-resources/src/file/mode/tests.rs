use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::ModelSystem;
use converge_sdk::system::System;
use converge_sdk::value::Conversion;
use proptest::prelude::*;

use super::{Mode, ModePreparer, ModeSpec};
use crate::testing::{apply, plan, plan_pending};

fn parse(text: &str) -> ModeSpec {
    ModeSpec::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn modes_mean_what_they_mean_to_chmod() {
    let check = |text: &str, file: [u32; 2], directory: [u32; 2]| {
        let spec = parse(text);
        let apply_mode = |mode, is_directory| spec.apply_to(Mode::new(mode), is_directory).to_string();
        assert_eq!(
            apply_mode(file[0], false),
            format!("{:04o}", file[1]),
            "{text} on a file of {:04o}",
            file[0]
        );
        assert_eq!(
            apply_mode(directory[0], true),
            format!("{:04o}", directory[1]),
            "{text} on a directory of {:04o}",
            directory[0]
        );
    };
    check("0644", [0o600, 0o644], [0o2755, 0o644]);
    check("644", [0o600, 0o644], [0o700, 0o644]);
    check("0", [0o600, 0], [0o700, 0]);
    check("4755", [0o600, 0o4755], [0o700, 0o4755]);
    check("0o755", [0o600, 0o755], [0o700, 0o755]);
    check(" 0644\n", [0o600, 0o644], [0o700, 0o644]);

    check("u=rwx,go=rx", [0o600, 0o755], [0o2700, 0o2755]);
    check("a=r", [0o777, 0o444], [0o777, 0o444]);
    check("=r", [0o4777, 0o444], [0o4777, 0o4444]);
    check("u=", [0o777, 0o077], [0o777, 0o077]);
    check("=", [0o7777, 0], [0o7777, 0o6000]);
    check("ug=rw", [0o777, 0o667], [0o777, 0o667]);

    check("+x", [0o644, 0o755], [0o644, 0o755]);
    check("u+w", [0o444, 0o644], [0o444, 0o644]);
    check("a+rw", [0o100, 0o766], [0o100, 0o766]);
    check("go-w", [0o666, 0o644], [0o666, 0o644]);
    check("o-rwx", [0o1777, 0o1770], [0o1777, 0o1770]);
    check("-x", [0o755, 0o644], [0o755, 0o644]);

    check("a+X", [0o644, 0o644], [0o644, 0o755]);
    check("a+X", [0o744, 0o755], [0o744, 0o755]);
    check("a=rX", [0o644, 0o444], [0o644, 0o555]);
    check("go=rX", [0o700, 0o755], [0o600, 0o655]);

    check("u+s", [0o755, 0o4755], [0o755, 0o4755]);
    check("g+s", [0o755, 0o2755], [0o755, 0o2755]);
    check("+s", [0o755, 0o6755], [0o755, 0o6755]);
    check("o+s", [0o755, 0o755], [0o755, 0o755]);
    check("a-s", [0o6755, 0o755], [0o6755, 0o755]);
    check("u=rwx", [0o4700, 0o700], [0o4700, 0o4700]);
    check("u=rwxs", [0o700, 0o4700], [0o700, 0o4700]);
    check("+t", [0o777, 0o1777], [0o777, 0o1777]);
    check("o+t", [0o777, 0o1777], [0o777, 0o1777]);
    check("u+t", [0o777, 0o777], [0o777, 0o777]);
    check("-t", [0o1777, 0o777], [0o1777, 0o777]);

    check("g=u", [0o640, 0o660], [0o740, 0o770]);
    check("o=g", [0o640, 0o644], [0o750, 0o755]);
    check("go+u", [0o604, 0o666], [0o604, 0o666]);
    check("o-g", [0o667, 0o661], [0o667, 0o661]);
    check("u+x-w", [0o600, 0o500], [0o600, 0o500]);
    check("u+x,u-x", [0o600, 0o600], [0o600, 0o600]);
    check("u=g+x", [0o640, 0o540], [0o640, 0o540]);
}

#[test]
fn what_is_no_mode_says_why() {
    let check = |value: Value, expect: &str| {
        let errors = ModeSpec::from_value(value, &Conversion::default()).unwrap_err();
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(messages, [expect]);
    };
    let neither = "a mode is octal digits like \"0644\", or changes like \"u=rwx,go=rx\"";
    for text in ["", "rwx", "u", "u=rwx,", ",", "x=r", "0o"] {
        check(Value::from(text), &format!("{text:?} is not a mode: {neither}"));
    }
    check(Value::from("0888"), "\"0888\" is not a mode: `8` is not an octal digit");
    check(Value::from("0644x"), "\"0644x\" is not a mode: `x` is not an octal digit");
    check(Value::from("10000"), "\"10000\" is not a mode: it has bits beyond 7777");
    check(
        Value::from("77777777777777777777"),
        "\"77777777777777777777\" is not a mode: it has bits beyond 7777",
    );
    check(
        Value::from("u=rq"),
        "\"u=rq\" is not a mode: `q` is neither made of r w x X s t, nor one of u g o alone",
    );
    check(
        Value::from("g=uo"),
        "\"g=uo\" is not a mode: `o` is neither made of r w x X s t, nor one of u g o alone",
    );
    check(
        Value::from("g=ru"),
        "\"g=ru\" is not a mode: `u` is neither made of r w x X s t, nor one of u g o alone",
    );
    check(Value::Int(0o10000), "010000 is out of range: at least 0 and at most 07777");
    check(Value::Int(-1), "-1 is out of range: at least 0 and at most 07777");
    check(Value::Bool(true), "expected a string, found a bool");
    check(Value::from("hunter2").into_secret(), &format!("(sensitive) is not a mode: {neither}"));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,12}") {
        let _ = ModeSpec::parse(&text);
    }

    /// A mode either declares a stable state, or is refused.
    #[test]
    fn a_mode_settles_or_is_refused(
        text in "[ugoa]{0,2}[-+=]([rwxXst]{0,3}|[ugo])(,[ugoa]{0,2}[-+=]([rwxXst]{0,3}|[ugo])){0,2}",
        before in 0u32..=0o7777,
        directory: bool,
    ) {
        let spec = ModeSpec::parse(&text).map_err(TestCaseError::fail)?;
        if let Ok(mode) = spec.apply_settled(Mode::new(before), directory) {
            prop_assert_eq!(spec.apply_settled(mode, directory).ok(), Some(mode));
        }
    }
}

fn model() -> ModelSystem {
    ModelSystem::new().with_file("/bin/tool", "#!").with_mode("/bin/tool", 0o644).with_dir("/srv")
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, mode: Value, expect: &str| {
        let fields = [("destination", Value::from(destination)), ("mode", mode.clone())];
        assert_eq!(plan::<ModePreparer>(&system, &fields).await, expect, "{destination} {mode}");
    };
    check("/bin/tool", Value::Int(0o644), "no change").await;
    check("/bin/tool", Value::Int(0o755), "will change\nmode: \"0644\" => \"0755\"").await;
    check("/bin/tool", Value::from("0755"), "will change\nmode: \"0644\" => \"0755\"").await;
    check("/bin/tool", Value::from("u+rw"), "no change").await;
    check("/bin/tool", Value::from("a+x"), "will change\nmode: \"0644\" => \"0755\"").await;
    check("/bin/tool", Value::from("4755"), "will change\nmode: \"0644\" => \"4755\"").await;
    check("/srv", Value::from("go-rwx,a+X"), "will change\nmode: \"0755\" => \"0711\"").await;
    check("/bin/none", Value::from("0755"), "error: file \"/bin/none\" does not exist").await;
    check(
        "/bin/tool",
        Value::from("g=u,u=o"),
        "error: the mode \"g=u,u=o\" never settles: it makes 0464 of 0644, and then 0444 of that",
    )
    .await;
    check("", Value::from("0755"), "error: destination: `destination` must not be empty").await;
}

#[tokio::test]
async fn a_file_that_a_pending_change_may_make() {
    let system: Arc<dyn System> = Arc::new(model());
    let fields = [("destination", Value::from("/bin/new")), ("mode", Value::from("0755"))];
    assert_eq!(
        plan_pending::<ModePreparer>(&system, &fields).await,
        "may change\n# /bin/new does not exist yet"
    );
}

fn tree() -> ModelSystem {
    model()
        .with_file("/srv/web/run", "#!")
        .with_mode("/srv/web/run", 0o700)
        .with_file("/srv/web/a/page", "")
        .with_mode("/srv/web/a/page", 0o600)
        .with_mode("/srv/web/a", 0o700)
        .with_symlink("/srv/web/link", "/bin/tool")
}

#[tokio::test]
async fn a_tree() {
    let model = Arc::new(tree());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |destination: &str, mode: &str, expect: &str| {
        let fields =
            [("destination", Value::from(destination)), ("mode", mode.into()), ("recursive", true.into())];
        assert_eq!(apply::<ModePreparer>(&system, &fields).await, expect, "{destination} {mode}");
    };
    check("/srv/web/a", "u+r", "no change").await;
    check(
        "/srv/web",
        "u=rwX,go=rX",
        "will change\nmode: \"0600, 0700\" => \"0644, 0755\"\n# 3 of 4 paths differ: a, run, a/page",
    )
    .await;
    check("/srv/web", "0755", "will change\nmode: \"0644\" => \"0755\"\n# 1 of 4 paths differs: a/page")
        .await;
    check(
        "/srv/web",
        "o-rx",
        "will change\nmode: \"0755\" => \"0750\"\n# 4 of 4 paths differ: a, run, a/page",
    )
    .await;
    check("/bin/tool", "0755", "will change\nmode: \"0644\" => \"0755\"").await;
    for mode in ["0644", "a-x", "u=rw,go=r"] {
        let refused = "error: mode: their owner could not enter the directories in the tree: write `X` for them, as in \
                       \"u=rwX,go=rX\"";
        check("/srv/web", mode, refused).await;
    }
    // The target of the link was changed by its own name only.
    let effects: Vec<_> = model.effects().iter().map(|effect| format!("{effect:?}")).collect();
    assert!(effects.iter().all(|effect| !effect.contains("link")), "{effects:?}");
    let deep = effects.iter().position(|effect| effect.contains("a/page"));
    assert!(deep < effects.iter().position(|effect| effect.contains("/srv/web/a\"")), "{effects:?}");
}

#[tokio::test]
async fn on_the_real_machine() {
    use std::os::unix::fs::PermissionsExt as _;

    let file = tempfile::NamedTempFile::new().unwrap();
    let fields =
        [("destination", Value::from(file.path().to_str().unwrap())), ("mode", Value::from("u=rwx,go=rx"))];
    let system = crate::testing::local();
    assert_eq!(apply::<ModePreparer>(&system, &fields).await, "will change\nmode: \"0600\" => \"0755\"");
    assert_eq!(file.as_file().metadata().unwrap().permissions().mode() & 0o7777, 0o755);
    assert_eq!(apply::<ModePreparer>(&system, &fields).await, "no change");
}

laws!(ModePreparer, start = tree, values = ("destination", ["/srv/web", "/bin/tool", "/srv"]));
