//! Of runs that are stopped or cancelled.

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
    told("makes_twice", Laws::<makes_twice::WrongPreparer>::new(), Law::StoppedIsFinished);
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
    told("marks_first", Laws::<marks_first::WrongPreparer>::new(), Law::StoppedIsFinished);
}

wrong! {
    keeps_its_lock { #[hcl(required)] text: String, }
    check(task, cx) { Ok(differs("text", read(cx, MOTD).await?, &task.text)) }
    apply {
        if exists(cx, "/tmp/motd.lock").await? {
            return Err(Error::msg("another apply is running: /tmp/motd.lock"));
        }
        write(cx, "/tmp/motd.lock", "").await?;
        let written = write(cx, MOTD, &task.text).await;
        cx.system().files().remove_file("/tmp/motd.lock".as_ref()).await?;
        written
    }
}

#[test]
fn an_apply_that_leaves_its_lock_behind() {
    told("keeps_its_lock", Laws::<keeps_its_lock::WrongPreparer>::new(), Law::CancelledIsFinished);
}

mod batch {
    use super::*;

    /// A file, written with others at once.
    #[derive(Debug, converge_derive::Preparer)]
    #[preparer(name = "test.wrong", task = Parcel, batch, register = false)]
    pub(super) struct WrongPreparer {
        /// Where it is.
        #[hcl(required, nonempty, manages = "path")]
        path: String,
    }

    #[derive(Debug, converge_derive::Export)]
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
                // Each of them says that it worked.
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
    told("batch", laws, Law::BatchIsMembers);
}
