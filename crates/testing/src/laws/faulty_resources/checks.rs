//! Faulty resources: checks, and applies with unreported effects.

use super::*;

wrong! {
    check_writes { #[hcl(required)] text: String, }
    check(task, cx) {
        write(cx, "/etc/checked", "").await?;
        Ok(differs("text", read(cx, MOTD).await?, &task.text))
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_check_that_writes() {
    assert_message("check_writes", Laws::<check_writes::WrongPreparer>::new(), Law::CheckChangesNothing);
}

wrong! {
    check_installs { #[hcl(required, nonempty)] package: String, }
    check(task, cx) {
        let is = if run(cx, ["apt-get", &task.package]).await? { "installed" } else { "missing" };
        Ok(differs("package", is, "installed"))
    }
    apply { run(cx, ["apt-get", &task.package]).await.map(|_| Status::new()) }
}

#[test]
fn a_check_that_runs_a_program_that_changes_something() {
    let laws = Laws::<check_installs::WrongPreparer>::new().start(packages);
    assert_message("check_installs", laws, Law::CheckChangesNothing);
}

wrong! {
    around { #[hcl(required)] text: String, }
    check(task, cx) {
        let _ = cx;
        // The text stands for what `std::fs::read` would find.
        let is = if task.applies > 0 { task.text.clone() } else { String::new() };
        Ok(differs("text", format!("{is}-"), format!("{}-", task.text)))
    }
    apply { let _ = (task, cx); Ok(Status::new()) }
}

#[test]
fn a_resource_that_reaches_around_the_system() {
    assert_message("around", Laws::<around::WrongPreparer>::new(), Law::ApplyMakesWhatIsReported);
}

wrong! {
    mode_unasked { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        let write = WriteFile { mode: Some(0o644), ..WriteFile::new(task.text.as_bytes()) };
        cx.system().files().write(MOTD.as_ref(), write).await?;
        Ok(Status::new())
    }
}

#[test]
fn an_apply_that_changes_a_mode_that_the_check_does_not_look_at() {
    let start = || ModelSystem::new().with_file(MOTD, "old").with_mode(MOTD, 0o600);
    assert_message(
        "mode_unasked",
        Laws::<mode_unasked::WrongPreparer>::new().start(start),
        Law::ApplyMakesWhatIsReported,
    );
}

wrong! {
    writes_more { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        write(cx, "/etc/issue", &task.text).await?;
        write(cx, MOTD, &task.text).await
    }
}

#[test]
fn an_apply_that_writes_another_file() {
    assert_message("writes_more", Laws::<writes_more::WrongPreparer>::new(), Law::ApplyMakesWhatIsReported);
}

wrong! {
    remembers { #[hcl(required)] text: String, }
    check(task, cx) {
        let is = if task.applies > 0 { task.text.clone() } else { read(cx, MOTD).await? };
        Ok(differs("text", is, &task.text))
    }
    apply { write(cx, MOTD, task.text.trim()).await }
}

#[test]
fn a_check_that_remembers_the_apply() {
    let laws = Laws::<remembers::WrongPreparer>::new().values(("text", ["hello\n", "a"]));
    assert_message("remembers", laws, Law::NothingIsLeft);
}

wrong! {
    newline { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply { write(cx, MOTD, &format!("{}\n", task.text)).await }
}

#[test]
fn an_apply_that_writes_something_else_than_the_check_wants() {
    assert_message("newline", Laws::<newline::WrongPreparer>::new(), Law::NothingIsLeft);
}

wrong! {
    around_writes { #[hcl(required, nonempty, manages = "path")] path: String, }
    check(task, cx) { Ok(differs("state", exists(cx, &task.path).await?.to_string(), "true")) }
    apply {
        #[expect(clippy::disallowed_methods, reason = "this is what is wrong with it")]
        std::fs::write(format!("{}.bak", task.path), "")?;
        write(cx, &task.path, "").await
    }
}

#[test]
fn an_apply_that_writes_around_the_system() {
    let laws = Laws::<around_writes::WrongPreparer>::new();
    assert_message("around_writes", laws, Law::OnlyTheSystemIsUsed);
}

wrong! {
    around_looks { #[hcl(required, nonempty, manages = "path")] path: String, }
    check(task, cx) {
        #[expect(clippy::disallowed_methods, reason = "this is what is wrong with it")]
        let is_there = Path::new(&task.path).exists();
        Ok(differs("state", (is_there || exists(cx, &task.path).await?).to_string(), "true"))
    }
    apply { write(cx, &task.path, "").await }
}

#[test]
fn a_check_that_looks_around_the_system() {
    assert_message("around_looks", Laws::<around_looks::WrongPreparer>::new(), Law::OnlyTheSystemIsUsed);
}

wrong! {
    unread { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await.unwrap_or_default(), &task.text)) }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_check_that_takes_what_it_cannot_read_for_empty() {
    let start = || ModelSystem::new().with_file(MOTD, "old");
    assert_message("unread", Laws::<unread::WrongPreparer>::new().start(start), Law::FailingLooksAreTold);
}

/// Returns the path of a file on the test machine that no resource may touch.
fn fixed() -> String {
    let path = std::env::temp_dir().join(format!("converge-wrong-{}", std::process::id()));
    path.to_string_lossy().into_owned()
}

wrong! {
    around_at_a_fixed_path { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, &fixed()).await?, &task.text)) }
    apply {
        #[expect(clippy::disallowed_methods, reason = "this is what is wrong with it")]
        std::fs::write(fixed(), &task.text)?;
        write(cx, &fixed(), &task.text).await
    }
}

#[test]
fn an_apply_that_writes_around_the_system_at_a_path_of_its_own() {
    let laws = Laws::<around_at_a_fixed_path::WrongPreparer>::new();
    let broken = laws.check(Law::OnlyTheSystemIsUsed).expect_err("it is wrong");
    #[expect(clippy::disallowed_methods, reason = "the test takes away what is left of it")]
    let _ = std::fs::remove_file(fixed());
    let expect = format!("it wrote {} on the machine of the test, around the system", fixed());
    assert!(broken.reason().starts_with(&expect), "{broken}");
}
