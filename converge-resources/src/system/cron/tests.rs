use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Machine, ModelSystem, Output, System};
use proptest::prelude::*;

use super::CronJobPreparer;
use super::table::Entry;
use super::times::{Day, Hour, Minute, Month, Weekday};
use crate::testing::{Written, apply, plan, plan_pending};

#[test]
fn times() {
    fn check<T: std::str::FromStr<Err = String>>(text: &str, expect: &str) {
        let message = text.parse::<T>().err().unwrap_or_default();
        assert!(message.contains(expect) && message.is_empty() == expect.is_empty(), "{text}: {message}");
    }
    for text in ["*", "*/15", "0", "59", "00", "0,30", "10-20", "10-20/5,40", "1,2,3-4"] {
        check::<Minute>(text, "");
    }
    check::<Minute>("60", "60 is out of range");
    check::<Minute>("", "`` is not a number");
    check::<Minute>("1,", "`` is not a number");
    check::<Minute>("-1", "`` is not a number");
    check::<Minute>("5/10", "a step follows `*` or a range, not `5`");
    check::<Minute>("*/0", "`0` is not a step");
    check::<Minute>("*/60", "`60` is not a step");
    check::<Minute>("20-10", "`20-10` ends before it begins");
    check::<Minute>("* *", "`* *` is not a number");
    check::<Minute>("1\n* * * * * evil", "is not a number");
    check::<Minute>("+1", "`+1` is not a number");
    check::<Minute>("\u{661}", "is not a number");
    check::<Hour>("23", "");
    check::<Hour>("24", "\"24\" is not a valid hour of cron: 24 is out of range; it is `*`");
    check::<Day>("0", "0 is out of range");
    check::<Day>("31", "");
    check::<Month>("JAN", "");
    check::<Month>("jan-mar", "`jan` is not a number");
    check::<Month>("13", "13 is out of range");
    check::<Weekday>("7", "");
    check::<Weekday>("sun", "");
    check::<Weekday>("jan", "`jan` is not a number");
}

fn entry(line: Option<&str>) -> Entry {
    Entry { name: "j".parse().unwrap(), line: line.map(str::to_owned), secret: false }
}

#[test]
fn edits() {
    let check = |line: Option<&str>, before: &str, expect: &str| {
        let actual = match entry(line).edit(before) {
            Ok(edited) => edited.text,
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(actual, expect, "{line:?} in {before:?}");
        if !actual.starts_with("error") {
            assert_eq!(entry(line).edit(&actual).unwrap().text, actual, "twice: {line:?} in {before:?}");
        }
    };
    let job_line = Some("* * * * * a");
    check(job_line, "", "# converge: j\n* * * * * a\n");
    check(job_line, "A=b\n0 0 * * * x", "A=b\n0 0 * * * x\n# converge: j\n* * * * * a\n");
    check(job_line, "A=b\r\n", "A=b\r\n# converge: j\r\n* * * * * a\r\n");
    check(job_line, "# converge: j\n@daily b\n \t# c\n", "# converge: j\n* * * * * a\n \t# c\n");
    check(job_line, "# converge: j\n#disabled @daily b", "# converge: j\n* * * * * a\n");
    check(
        job_line,
        "# converge: j\n# converge: k\n@daily b\n",
        "# converge: j\n* * * * * a\n# converge: k\n@daily b\n",
    );
    check(job_line, "# converge: j\n\n@daily b\n", "# converge: j\n* * * * * a\n\n@daily b\n");
    check(job_line, "# converge: j", "# converge: j\n* * * * * a\n");
    check(job_line, "# converge: jj\n@daily b\n", "# converge: jj\n@daily b\n# converge: j\n* * * * * a\n");
    check(None, "x\n# converge: j\n@daily b\ny", "x\ny");
    check(None, "# converge: j\n# other\n", "# other\n");
    check(None, "@daily b\n", "@daily b\n");
    check(None, "", "");
    check(
        job_line,
        "# converge: j\n@daily b\n# converge: j\n@daily b\n",
        "error: the job \"j\" is there several times, in lines 1, 3",
    );
}

proptest! {
    /// Every line that does not belong to the job stays, in its order and with its ending.
    #[test]
    fn other_lines_are_kept(before in "((# converge: [jk]|@daily x|A=b|#c|)(\n|\r\n)){0,6}", is_there: bool) {
        let edit = entry(is_there.then_some("@hourly y"));
        let Ok(edited) = edit.edit(&before) else { return Ok(()) };
        let mut others: Vec<&str> = before.split_inclusive('\n').collect();
        if let Some(position) = others.iter().position(|line| line.trim_end() == "# converge: j") {
            let jobs = others.get(position + 1).is_some_and(|line| line.starts_with(['@', 'A']));
            others.drain(position..=position + usize::from(jobs));
        }
        let mut left: Vec<&str> = edited.text.split_inclusive('\n').collect();
        left.retain(|line| !["# converge: j", "@hourly y"].contains(&line.trim_end()));
        prop_assert_eq!(left, others);
    }

    #[test]
    fn no_table_makes_it_panic(before in "(# converge: j|#disabled|[\r\n]|\\PC){0,20}") {
        let _ = entry(Some("@daily x")).edit(&before);
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/etc/cron.d")
        .with_dir("/var/spool/cron/crontabs")
        .with_file("/usr/bin/crontab", "")
        .with_user("ada", 1000, 1000)
        .with_program(run)
}

/// Runs a model of Debian's `crontab`, as far as the resource uses it.
fn run(command: &Command, machine: &mut Machine) -> Option<Output> {
    if command.program != "crontab" {
        return None;
    }
    let args: Vec<&str> = command.args.iter().map(String::as_str).collect();
    let (user, action) = match args.as_slice() {
        ["-u", user, action] => (*user, *action),
        [action] => ("root", *action),
        _ => return None,
    };
    let path = format!("/var/spool/cron/crontabs/{user}");
    let no_crontab = Output::failure(1, format!("no crontab for {user}\n"));
    Some(match (action, machine.file(&path).map(<[u8]>::to_vec)) {
        ("-l", Some(text)) => Output { stdout: text, ..Output::success("") },
        ("-r", Some(_)) => {
            machine.remove(&path);
            Output::success("")
        }
        ("-", _) if command.stdin.last() != Some(&b'\n') => {
            Output::failure(1, "new crontab file is missing newline before EOF, can't install.\n")
        }
        ("-", _) => {
            machine.put_file(&path, command.stdin.clone());
            Output::success("")
        }
        _ => no_crontab,
    })
}

fn job(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("name", Value::from("clean"))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn jobs() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |more: Written<'_>, said: &str, path: &str, expect: &str| {
        let fields = job(more);
        assert_eq!(apply::<CronJobPreparer>(&system, &fields).await, said, "{more:?}");
        assert_eq!(plan::<CronJobPreparer>(&system, &fields).await, "no change", "{more:?}");
        let machine = model.machine();
        let actual = machine.file(path).map(|text| String::from_utf8_lossy(text).into_owned());
        assert_eq!(actual.unwrap_or_default(), expect, "{more:?}");
    };
    let ada = ("user", Value::from("ada"));
    let command = ("command", Value::from("a b"));
    let tab = "/var/spool/cron/crontabs/ada";
    check(
        &[ada.clone(), command.clone(), ("hour", 3.into()), ("minute", "*/5".into())],
        "will change\njob: \"absent\" => \"*/5 3 * * * a b\"",
        tab,
        "# converge: clean\n*/5 3 * * * a b\n",
    )
    .await;
    check(
        &[ada.clone(), command.clone(), ("special", "daily".into()), ("disabled", true.into())],
        "will change\njob: \"*/5 3 * * * a b\" => \"#disabled @daily a b\"",
        tab,
        "# converge: clean\n#disabled @daily a b\n",
    )
    .await;
    let env = Value::Map([("A".to_owned(), Value::from("it's 5%"))].into_iter().collect());
    check(
        &[ada.clone(), command.clone(), ("special", "daily".into()), ("env", env)],
        "will change\njob: \"#disabled @daily a b\" => \"@daily export A='it'\\\\''s 5\\\\%'; a b\"",
        tab,
        "# converge: clean\n@daily export A='it'\\''s 5\\%'; a b\n",
    )
    .await;
    let absent = ("state", Value::from("absent"));
    check(
        &[ada, absent.clone()],
        "will change\njob: \"@daily export A='it'\\\\''s 5\\\\%'; a b\" => \"absent\"",
        tab,
        "",
    )
    .await;
    let file = ("file", Value::from("app"));
    let path_of_table = "/etc/cron.d/app";
    check(
        &[file.clone(), command, ("weekday", "mon".into())],
        "will change\njob: \"absent\" => \"* * * * mon root a b\"",
        path_of_table,
        "# converge: clean\n* * * * mon root a b\n",
    )
    .await;
    assert_eq!(model.machine().entry(path_of_table).unwrap().mode, 0o644);
    check(&[file, absent], "will change\njob: \"* * * * mon root a b\" => \"absent\"", path_of_table, "")
        .await;
    assert!(model.machine().entry(path_of_table).is_none());
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |more: Written<'_>, expect: &str| {
        let output = plan::<CronJobPreparer>(&system, &job(more)).await;
        assert_eq!(output, format!("error: {expect}"), "{more:?}");
    };
    let command = ("command", Value::from("a"));
    check(&[], "command: `command` is required, as `state` is \"present\"").await;
    check(
        &[("command", "a\nb".into())],
        "command: it has several lines, which cron cannot run: write a script, and run that",
    )
    .await;
    check(
        &[command.clone(), ("special", "daily".into()), ("hour", 3.into())],
        "special: it replaces `minute`, `hour`, `day`, `month` and `weekday`",
    )
    .await;
    check(
        &[command.clone(), ("file", "a.b".into())],
        "file: \"a.b\" is not the name of a file that cron reads: it has letters, digits, `-` and `_` only",
    )
    .await;
    check(&[command.clone(), ("user", "-r".into())], "user: it is not the name of a user").await;
    check(&[command.clone(), ("user", "gone".into())], "user \"gone\" does not exist").await;
    let pending = job(&[command.clone(), ("user", "gone".into())]);
    let output = plan_pending::<CronJobPreparer>(&system, &pending).await;
    assert_eq!(output, "may change\n# the user \"gone\" does not exist yet");
    let without_cron: Arc<dyn System> = Arc::new(ModelSystem::new());
    let output = plan::<CronJobPreparer>(&without_cron, &job(&[command])).await;
    assert_eq!(output, "error: there is no `crontab`: install the package `cron`");
    let secret = job(&[("command", Value::from("hunter2").into_secret())]);
    let output = plan::<CronJobPreparer>(&system, &secret).await;
    assert_eq!(output, "will change\njob: \"(sensitive)\" => \"(sensitive)\"");
}

laws!(
    CronJobPreparer,
    start = model,
    values = ("name", ["clean", "other"]),
    values = ("user", ["ada", "root"]),
    values = ("file", ["app"]),
    values = ("minute", ["0", "*/5"]),
    values = ("hour", ["3"]),
    values = ("day", ["1"]),
    values = ("month", ["jan"]),
    values = ("weekday", ["mon"]),
    beside = (
        "/var/spool/cron/crontabs",
        "the crontabs are files of `crontab`, and ours to change only through it"
    )
);
