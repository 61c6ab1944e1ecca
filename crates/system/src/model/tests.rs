use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::types::limits::Limits;
use crate::{CommitFile, KeepOutput, Output, WriteFile};

async fn run(model: &ModelSystem, line: &str) -> Result<Output, String> {
    let mut words = line.split(' ');
    let command = Command::new(words.next().unwrap_or_default()).args(words);
    model.processes().run(command).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn programs_answer_as_the_test_says() {
    let model = ModelSystem::new()
        .with_query(["id", "-u"], Output::success("0"))
        .with_command(["reboot"], Output::failure(3, "no"))
        .with_program(|command, machine| {
            let fact = command.args.first()?;
            machine.put_fact(fact, "set");
            (command.program == "put").then(|| Output::success(""))
        });
    assert_eq!(run(&model, "id -u").await, Ok(Output::success("0")));
    assert_eq!(run(&model, "id -g").await, Err("cannot run id -g: it does not exist".to_owned()));
    assert_eq!(model.machine().fact("-g"), None, "a program that does not answer changes nothing");
    assert_eq!(model.effects(), []);

    assert_eq!(run(&model, "reboot").await, Ok(Output::failure(3, "no")));
    for _ in 0..2 {
        assert_eq!(run(&model, "put x").await, Ok(Output::success("")));
    }
    let effects =
        [Command::new("reboot"), Command::new("put").arg("x")].map(|command| Effect::Run { command });
    assert_eq!(model.effects(), effects, "the second put finds everything as it is to be");
    assert_eq!(model.commands().len(), 5);
}

#[tokio::test]
async fn a_crash_ends_all_effects() {
    let model = ModelSystem::new().with_dir("/etc").with_command(["reboot"], Output::success(""));
    let write = async |path: &str| {
        let written = model.files().write(path.as_ref(), WriteFile::new(b"x")).await;
        written.map_err(|error| error.to_string())
    };
    model.fail_after(1);
    assert_eq!(write("/none/a").await, Err("cannot write /none/a: it does not exist".to_owned()));
    assert_eq!(write("/etc/a").await, Ok(()), "what failed was no effect");
    let crashed = |what: &str| Err(format!("cannot {what}: the machine has crashed"));
    assert_eq!(write("/etc/b").await, crashed("write /etc/b"));
    assert_eq!(run(&model, "reboot").await.map(|_| ()), crashed("run reboot"));
    assert_eq!(model.snapshot().keys().filter(|path| path.starts_with("/etc")).count(), 2);
    model.restart();
    assert_eq!(write("/etc/b").await, Ok(()));
    assert_eq!(model.effects(), [Effect::WriteFile { path: "/etc/b".into() }]);
}

#[test]
fn time_is_turned_by_the_test() {
    let model = ModelSystem::new();
    let start = model.clock().now();
    let mut sleep = pin!(model.clock().sleep(Duration::from_secs(10)));
    let mut cx = Context::from_waker(Waker::noop());
    assert_eq!(sleep.as_mut().poll(&mut cx), Poll::Pending);
    model.advance(Duration::from_secs(9));
    assert_eq!(sleep.as_mut().poll(&mut cx), Poll::Pending);
    model.advance(Duration::from_secs(1));
    assert_eq!(sleep.as_mut().poll(&mut cx), Poll::Ready(()));
    assert_eq!(model.clock().now(), start + Duration::from_secs(10));
}

#[tokio::test]
async fn time_can_flow() {
    let model = ModelSystem::new().with_flowing_time();
    let start = model.clock().now();
    model.clock().sleep(Duration::from_hours(1)).await;
    assert_eq!(model.clock().now(), start + Duration::from_hours(1));
}

#[tokio::test]
async fn users_are_found_by_name_and_id() {
    let model = ModelSystem::new().with_user("jo", 1000, 1001).with_group("staff", 1001);
    let by_name = model.users().user_by_name("jo").await;
    assert_eq!(by_name.as_ref().map(|user| user.as_ref().map(|user| user.uid)), Ok(Some(1000)));
    assert_eq!(model.users().user_by_uid(1000).await, by_name);
    let by_name = model.users().group_by_name("staff").await;
    assert_eq!(by_name.as_ref().map(|group| group.as_ref().map(|group| group.gid)), Ok(Some(1001)));
    assert_eq!(model.users().group_by_gid(1001).await, by_name);
    assert_eq!(
        model.users().user_by_uid(1).await.map(|user| user.map(|user| user.name)),
        Ok(Some("daemon".into()))
    );
    assert_eq!(model.users().group_by_name("none").await, Ok(None));
}

#[tokio::test]
async fn relative_paths_begin_in_the_working_directory() {
    let model = ModelSystem::new().with_working_dir("/home/app").with_file("/home/app/file", "x");
    let read = async |path: &str| Ok(model.files().read(path.as_ref()).await?.map(|file| file.bytes));
    for path in ["file", "./file", "../app/file", "/home/app/file"] {
        assert_eq!(read(path).await, Ok::<_, SystemError>(Some(b"x".to_vec())), "{path}");
    }
    assert_eq!(read("/file").await, Ok(None));
    model.files().write("new".as_ref(), WriteFile::new(b"y")).await.expect("it can be written");
    assert_eq!(model.effects(), [Effect::WriteFile { path: "/home/app/new".into() }]);
}

#[tokio::test]
async fn files_are_limited() {
    let model = ModelSystem::new().with_file_size_limit(3);
    let files = model.files();
    let refused = |result: Result<(), SystemError>| {
        let error = result.expect_err("it is too large");
        assert_eq!(error.to_string(), "cannot write /a: no file may be larger than 3 bytes here");
    };
    refused(files.write("/a".as_ref(), WriteFile::new(b"four")).await);
    let mut staged = files.stage("/a".as_ref()).await.expect("it can be begun");
    staged.write(b"thr").await.expect("it is small");
    refused(staged.write(b"e").await);
    refused(staged.commit(CommitFile::default()).await);
    assert_eq!(model.effects(), []);
    files.write("/a".as_ref(), WriteFile::new(b"thr")).await.expect("it is small");
}

/// Callers see the same output from the model and from a local system.
#[tokio::test]
async fn output_is_limited_as_on_a_local_system() {
    let limits = Limits { output: 8, ..Limits::default() };
    let local = crate::LocalSystem::builder().limits(&limits).build().expect("a system");
    let line = |size: usize| ["printf".to_owned(), "x".repeat(size)];
    let answer = |model: ModelSystem, size| model.with_query(line(size), Output::success("x".repeat(size)));
    let model = [8, 9, 5000].into_iter().fold(ModelSystem::new().with_limits(&limits), answer);
    let systems: [&dyn System; 2] = [&model, &local];
    for size in [8, 9, 5000] {
        for keep in [KeepOutput::All, KeepOutput::Ends] {
            let [program, arg] = line(size);
            let command = Command { keep, ..Command::new(program).arg(arg) };
            let [first, second] = systems.map(|system| system.processes().run(command.clone()));
            let (first, second) = (first.await, second.await);
            assert_eq!(first, second, "{size} {keep:?}");
            assert_eq!(first.is_err(), size > 8 && keep == KeepOutput::All, "{first:?}");
        }
    }
    let refused = model.files().write("/a".as_ref(), WriteFile::new(&[0; 9])).await;
    assert_eq!(refused, Ok(()), "files are limited by their own");
}

#[tokio::test(start_paused = true)]
async fn what_is_to_go_wrong_does() {
    let model = ModelSystem::new().with_dir("/etc").with_command(["reboot"], Output::success(""));
    let files = model.files();
    model.fail_once_after(0);
    assert_eq!(run(&model, "reboot").await.map(|output| output.exit.success()), Ok(false));
    assert_eq!(run(&model, "reboot").await.map(|output| output.exit.success()), Ok(true));
    assert_eq!(model.effects().len(), 1, "what failed was no effect");

    model.restart();
    model.pause_before_each();
    let mut write = files.write("/etc/a".as_ref(), WriteFile::new(b""));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(write.as_mut().poll(&mut cx).is_pending());
    assert_eq!(model.effects(), []);
    assert!(write.as_mut().poll(&mut cx).is_ready());
    drop(write);

    model.restart();
    model.hang_after(1);
    let look = || files.read("/etc/a".as_ref());
    assert!(look().await.is_ok());
    let day = std::time::Duration::from_hours(24);
    assert!(tokio::time::timeout(day, look()).await.is_err(), "nobody answers");

    model.restart();
    model.let_time_follow_tokio();
    let (before, then) = (model.clock().now(), tokio::time::Instant::now());
    model.clock().sleep(day).await;
    assert_eq!(model.clock().now().duration_since(before).ok(), Some(day));
    assert_eq!(then.elapsed(), day);
}
