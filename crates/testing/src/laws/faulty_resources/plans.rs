//! Faulty resources: plans, exports and secrets.

use super::*;

wrong! {
    fails_too_early { #[hcl(required, nonempty, manages = "path")] path: String, }
    check(task, cx) {
        let folder = Path::new(&task.path).parent().unwrap_or(Path::new("/")).display().to_string();
        if !folder.is_empty() && !exists(cx, &folder).await? {
            return Err(Error::NotFound { kind: "directory", name: folder });
        }
        Ok(differs("file", exists(cx, &task.path).await?.to_string(), "true"))
    }
    apply { write(cx, &task.path, "").await }
}

#[test]
fn a_check_that_fails_where_a_dependency_is_pending() {
    assert_message("fails_too_early", Laws::<fails_too_early::WrongPreparer>::new(), Law::PendingMayChange);
}

wrong! {
    says_nothing { #[hcl(required, needs = "user")] user: String, }
    check(task, cx) {
        match cx.system().users().user_by_name(&task.user).await? {
            Some(user) => Ok(differs("uid", read(cx, "/etc/uid").await?, user.uid.to_string())),
            None if cx.pending().is_empty() => Err(Error::NotFound { kind: "user", name: task.user.clone() }),
            None => Ok(Status::new()),
        }
    }
    apply {
        let user = cx.system().users().user_by_name(&task.user).await?;
        write(cx, "/etc/uid", &user.map(|user| user.uid.to_string()).unwrap_or_default()).await
    }
}

#[test]
fn a_check_that_says_no_change_where_a_dependency_is_pending() {
    assert_message("says_nothing", Laws::<says_nothing::WrongPreparer>::new(), Law::PendingMayChange);
}

mod export {
    use super::*;

    /// A file.
    #[derive(Debug, converge_sdk::Preparer)]
    #[preparer(name = "test.wrong", task = Wrong, register = false)]
    pub(super) struct WrongPreparer {
        /// The content of the file.
        #[hcl(required)]
        text: String,
    }

    #[derive(Debug, converge_sdk::Export)]
    pub(super) struct Wrong {
        text: String,
        /// The content that was found.
        #[export]
        content: String,
    }

    impl Resource for WrongPreparer {
        async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Wrong> {
            Ok(Wrong { text: self.text, content: String::new() })
        }
    }

    impl Task for Wrong {
        async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
            self.content = read(cx, MOTD).await?;
            Ok(differs("text", &self.content, &self.text))
        }

        async fn apply(&mut self, cx: &Context) -> Result<Status> {
            write(cx, MOTD, &self.text).await
        }
    }
}

#[test]
fn an_export_that_an_apply_changes() {
    assert_message("export", Laws::<export::WrongPreparer>::new(), Law::SetExportsAreComputed);
}

wrong! {
    shows_its_password { #[hcl(required, sensitive)] password: Secret<String>, }
    check(task, cx) {
        let is = read(cx, "/etc/password").await?;
        Ok(differs("password", is, task.password.expose()))
    }
    apply { write(cx, "/etc/password", task.password.expose()).await }
}

#[test]
fn a_difference_that_shows_a_secret() {
    assert_message(
        "shows_its_password",
        Laws::<shows_its_password::WrongPreparer>::new(),
        Law::SecretsAreNotShown,
    );
}

wrong! {
    shows_a_part { #[hcl(required)] text: String, }
    check(task, cx) {
        let text = read(cx, MOTD).await?;
        let mut status = Status::new();
        if text != task.text {
            status.raise_level(StatusLevel::WillChange);
            status.add_message(format!("writes {}...", task.text.chars().take(12).collect::<String>().to_uppercase()));
        }
        Ok(status)
    }
    apply { write(cx, MOTD, &task.text).await }
}

#[test]
fn a_message_with_a_part_of_a_secret_in_capitals() {
    assert_message("shows_a_part", Laws::<shows_a_part::WrongPreparer>::new(), Law::SecretsAreNotShown);
}
