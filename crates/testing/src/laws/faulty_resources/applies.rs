//! Faulty resources: second applies, and errors.

use super::*;

wrong! {
    appends { #[hcl(required, nonempty)] line: String, }
    check(task, cx) {
        let is_present = read(cx, MOTD).await?.lines().any(|line| line == task.line);
        Ok(differs("line", if is_present { "present" } else { "absent" }, "present"))
    }
    apply {
        let text = read(cx, MOTD).await?;
        write(cx, MOTD, &format!("{text}{}\n", task.line)).await
    }
}

#[test]
fn an_apply_that_appends() {
    let laws = Laws::<appends::WrongPreparer>::new().values(("line", ["a", "b"]));
    assert_message("appends", laws, Law::TwiceIsOnce);
}

wrong! {
    every_time { #[hcl(required)] text: String, }
    check(task, cx) {
        let mut status = differs("text", read(cx, MOTD).await?, &task.text);
        if task.applies == 0 {
            status.raise_level(StatusLevel::WillChange);
        }
        Ok(status)
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn an_apply_at_every_run() {
    assert_message("every_time", Laws::<every_time::WrongPreparer>::new(), Law::TwiceIsOnce);
}

wrong! {
    ignores_errors { #[hcl(required)] text: String, }
    check(task, cx) {
        let status = differs("text", read(cx, MOTD).await?, &task.text);
        Ok(if task.applies > 0 { Status::new() } else { status })
    }
    apply {
        let _ = write(cx, MOTD, &task.text).await;
        Ok(Status::new())
    }
}

#[test]
fn an_apply_that_ignores_an_error() {
    assert_message("ignores_errors", Laws::<ignores_errors::WrongPreparer>::new(), Law::NoErrorIsSwallowed);
}

wrong! {
    ignores_exit_codes { #[hcl(required, nonempty)] package: String, }
    check(task, cx) {
        let is = if run(cx, ["dpkg", &task.package]).await? { "installed" } else { "missing" };
        Ok(differs("package", is, "installed"))
    }
    apply { run(cx, ["apt-get", &task.package]).await.map(|_| Status::new()) }
}

#[test]
fn an_apply_that_ignores_an_exit_code() {
    let laws = Laws::<ignores_exit_codes::WrongPreparer>::new().start(packages);
    assert_message("ignores_exit_codes", laws, Law::NoErrorIsSwallowed);
}

wrong! {
    waits { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        write(cx, MOTD, &task.text).await?;
        while !exists(cx, "/run/motd.read").await? {
            cx.system().clock().sleep(std::time::Duration::from_secs(1)).await;
        }
        Ok(Status::new())
    }
}

#[test]
fn an_apply_that_waits_for_ever() {
    assert_message("waits", Laws::<waits::WrongPreparer>::new(), Law::NothingHangs);
}

wrong! {
    asks { #[hcl(required)] text: String, }
    check(task, cx) {
        while !exists(cx, "/run/motd.ready").await? {}
        Ok(differs("text", read(cx, MOTD).await?, &task.text))
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_check_that_asks_again_and_again() {
    assert_message("asks", Laws::<asks::WrongPreparer>::new(), Law::NothingHangs);
}

wrong! {
    cuts { #[hcl(required)] text: String, }
    check(task, cx) {
        let head = &task.text[..1];
        Ok(differs("text", read(cx, MOTD).await?, head))
    }
    apply { write(cx, MOTD, &task.text[..1]).await }
}

#[test]
fn a_check_that_panics_for_some_values() {
    assert_message("cuts", Laws::<cuts::WrongPreparer>::new(), Law::NothingPanics);
}

wrong! {
    unwraps { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        write(cx, MOTD, &task.text).await.unwrap();
        Ok(Status::new())
    }
}

#[test]
fn an_apply_that_panics_when_an_effect_fails() {
    let laws = Laws::<unwraps::WrongPreparer>::new().values(("text", ["a", "b"]));
    assert_message("unwraps", laws, Law::NothingPanics);
}

// The test is the one that the law prints.
#[test]
#[should_panic(expected = "`test.wrong` breaks a law: twice is the same as once")]
fn a_printed_test_fails_as_the_law_did() {
    use appends::WrongPreparer;
    use converge_core::testing::laws::{Case, Law, Laws};
    use converge_core::value::Value;

    let case = Case::new([("line", Value::from("a"))]);
    Laws::<WrongPreparer>::new().hold_on(Law::TwiceIsOnce, case);
}

// The test is the one that the law prints, with the changes that somebody made to the machine.
#[test]
fn a_printed_machine_is_the_one_that_is_met() {
    use converge_core::testing::laws::{Case, Law, Laws};
    use converge_core::value::Value;

    let case = Case::new([("line", Value::from("a"))]).earlier([("line", Value::from("b"))]).on(|machine| {
        machine.remove("/etc/motd");
        machine.put_dir("/etc/motd");
    });
    // A line cannot be added to a directory, and the check reports that.
    Laws::<appends::WrongPreparer>::new().hold_on(Law::TwiceIsOnce, case);
}
