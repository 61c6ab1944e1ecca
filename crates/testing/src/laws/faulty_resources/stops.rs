//! Faulty resources: runs that are stopped or cancelled.

use super::*;

wrong! {
    makes_twice { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, "/srv/site/index").await?, &task.text)) }
    apply {
        if read(cx, "/srv/site/index").await?.is_empty() {
            cx.system().files().create_dir("/srv/site".as_ref(), 0o755).await?;
        }
        write(cx, "/srv/site/index", &task.text).await
    }
}

#[test]
fn an_apply_that_fails_on_what_it_has_made() {
    assert_message("makes_twice", Laws::<makes_twice::WrongPreparer>::new(), Law::StoppedIsFinished);
}

wrong! {
    marks_first { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("version", read(cx, "/etc/version").await?, &task.text)) }
    apply {
        write(cx, "/etc/version", &task.text).await?;
        write(cx, MOTD, &task.text).await
    }
}

#[test]
fn an_apply_that_marks_what_is_not_done() {
    assert_message("marks_first", Laws::<marks_first::WrongPreparer>::new(), Law::StoppedIsFinished);
}

#[test]
fn a_failed_apply_that_counts_as_done() {
    assert_message("counts_as_done", Laws::<marks_first::WrongPreparer>::new(), Law::NoErrorIsSwallowed);
}

wrong! {
    keeps_its_lock { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        if exists(cx, "/tmp/motd.lock").await? {
            return Err(Error::msg("another apply is running: /tmp/motd.lock"));
        }
        write(cx, "/tmp/motd.lock", "").await?;
        let result = write(cx, MOTD, &task.text).await;
        cx.system().files().remove_file("/tmp/motd.lock".as_ref()).await?;
        result
    }
}

#[test]
fn an_apply_that_leaves_its_lock_behind() {
    assert_message("keeps_its_lock", Laws::<keeps_its_lock::WrongPreparer>::new(), Law::CancelledIsFinished);
}

mod batch {
    use super::*;

    /// A file that is written in a batch with others.
    #[derive(Debug, converge_sdk::Preparer)]
    #[preparer(name = "test.wrong", task = Parcel, batch, register = false)]
    pub(super) struct WrongPreparer {
        /// The path of the file.
        #[hcl(required, nonempty, manages = "path")]
        path: String,
    }

    #[derive(Debug, converge_sdk::Export)]
    pub(super) struct Parcel {
        path: String,
    }

    impl Resource for WrongPreparer {
        async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Parcel> {
            Ok(Parcel { path: self.path })
        }
    }

    impl Task for Parcel {
        async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
            Ok(differs(&self.path, exists(cx, &self.path).await?.to_string(), "true"))
        }

        async fn apply(&mut self, cx: &Context) -> Result<Status> {
            write(cx, &self.path, "sent").await
        }
    }

    impl Batch for Parcel {
        async fn apply_batch(batch: &mut [&mut Self], cx: &Context) -> Vec<Result<Status>> {
            let mut results = Vec::new();
            for parcel in batch.iter_mut() {
                // Each member reports success.
                if results.is_empty() {
                    results.push(parcel.apply(cx).await);
                } else {
                    results.push(Ok(Status::new()));
                }
            }
            results
        }
    }
}

#[test]
fn a_batch_that_forgets_a_member() {
    let laws = Laws::<batch::WrongPreparer>::new().values(("path", ["/srv/a", "/srv/b"]));
    assert_message("batch", laws, Law::BatchIsMembers);
}

wrong! {
    loses_what_is_there { #[hcl(required, nonempty)] line: String, }
    check(task, cx) {
        let lines = read(cx, "/etc/hosts").await?;
        let is_there = lines.lines().any(|line| line == task.line);
        Ok(differs("line", is_there.to_string(), "true"))
    }
    apply {
        let lines = read(cx, "/etc/hosts").await.unwrap_or_default();
        write(cx, "/etc/hosts", &format!("{lines}{}\n", task.line)).await
    }
}

#[test]
fn an_apply_that_loses_what_it_cannot_read() {
    let start = || ModelSystem::new().with_file("/etc/hosts", "127.0.0.1 localhost\n");
    let laws = Laws::<loses_what_is_there::WrongPreparer>::new().start(start).values(("line", ["::1 me"]));
    assert_message("loses_what_is_there", laws, Law::FailingLooksAreTold);
}

wrong! {
    posts_and_forgets { #[hcl(required, nonempty)] name: String, }
    check(task, cx) {
        let url = format!("https://music.test/{}", task.name.len()).parse().map_err(Error::other)?;
        let answer = cx.system().network().request(crate::system::HttpRequest::new(url)).await?;
        Ok(differs("status", answer.status.to_string(), "200"))
    }
    apply {
        let url = format!("https://music.test/{}", task.name.len()).parse().map_err(Error::other)?;
        let request = crate::system::HttpRequest::new(url).method(crate::system::Method::Put);
        // The status of the response is ignored.
        cx.system().network().request(request).await?;
        Ok(Status::new())
    }
}

#[test]
fn an_apply_that_does_not_look_at_the_status_of_an_answer() {
    let start = || {
        ModelSystem::new().with_service("https://music.test/", |asked, machine| {
            let name = asked.url.to_string();
            if asked.method == crate::system::Method::Put {
                machine.put_fact(&name, "");
            }
            machine.fact(&name).map(|_| crate::system::HttpReply::new(200))
        })
    };
    let laws = Laws::<posts_and_forgets::WrongPreparer>::new().start(start).values(("name", ["a"]));
    assert_message("posts_and_forgets", laws, Law::NoErrorIsSwallowed);
}
