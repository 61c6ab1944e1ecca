//! Tests of the scripted parts of the model host.
//!
//! These are services, a network, disks, temporary folders and randomness.
//!
//! Features that a real machine shares are tested for both in `system_laws`.
#![cfg(feature = "testing")]
#![expect(clippy::expect_used, reason = "a test")]

use std::sync::Arc;
use std::time::Duration;

use converge_core::system::{
    Address, Command, Disk, Effect, HostState, HttpError, HttpReply, HttpRequest, Method, ModelSystem,
    Output, OutputLine, OutputLines, OutputStream, OutputWatch, Stream, System, SystemError, SystemErrorKind,
    WriteFile,
};

const ALBUM: &str = "https://music.test/albums/7";

fn request(method: Method, url: &str) -> HttpRequest {
    HttpRequest::new(url.parse().expect("a URL")).method(method)
}

async fn ask(model: &ModelSystem, request: HttpRequest) -> Result<(u16, String), HttpError> {
    let response = model.network().request(request).await?;
    let status = response.status;
    Ok((status, String::from_utf8_lossy(&response.bytes(1 << 20).await?).into_owned()))
}

/// Returns a host with a service whose albums are facts of the machine.
fn music() -> ModelSystem {
    ModelSystem::new().with_service("https://music.test/albums/", |asked, machine| {
        let album = asked.url.to_string();
        Some(match asked.method {
            Method::Get => HttpReply::new(200).with_body(machine.fact(&album)?),
            Method::Put if asked.header("authorization") != Some("Bearer let me in") => HttpReply::new(401),
            Method::Put => {
                machine.put_fact(&album, String::from_utf8_lossy(&asked.body));
                HttpReply::new(204)
            }
            _ => HttpReply::new(405),
        })
    })
}

#[tokio::test]
async fn a_service_has_a_state_and_remembers_what_it_was_asked() {
    let model = music();
    let put_request = || request(Method::Put, ALBUM).body("Blue");
    let allowed = || put_request().header("Authorization", "Bearer let me in");
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((404, String::new())));
    assert_eq!(ask(&model, put_request()).await, Ok((401, String::new())));
    assert_eq!(model.effects(), []);
    assert_eq!(ask(&model, allowed()).await, Ok((204, String::new())));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((200, "Blue".to_owned())));
    let url = ALBUM.parse().expect("a URL");
    let effect = Effect::Request { method: Method::Put, url };
    assert_eq!(model.effects(), std::slice::from_ref(&effect));
    // A request that changes nothing is no effect.
    assert_eq!(ask(&model, allowed()).await, Ok((204, String::new())));
    assert_eq!(model.effects(), [effect]);

    let calls = model.requests();
    let lines: Vec<String> =
        calls.iter().map(|call| format!("{} {} {}", call.method, call.url, call.body.len())).collect();
    assert_eq!(lines.iter().filter(|call| *call == &format!("PUT {ALBUM} 4")).count(), 3);
    assert_eq!(calls.last().and_then(|call| call.header("AUTHORIZATION")), Some("Bearer let me in"));
    assert!(!format!("{calls:?}").contains("let me in"));
    // Nobody has defined a response to this request.
    assert_eq!(ask(&model, request(Method::Get, "https://music.test/x")).await, Ok((404, String::new())));
    let unknown = ask(&model, request(Method::Get, "https://other.test/")).await;
    assert_eq!(unknown, Err(HttpError::NoSuchHost));
}

#[tokio::test]
async fn requests_are_effects_that_fail_and_stop() {
    let model = music().with_reply(Method::Post, "https://mail.test/", HttpReply::new(202));
    let post = || request(Method::Post, "https://mail.test/").body("hello");
    let put_request = || request(Method::Put, ALBUM).header("Authorization", "Bearer let me in").body("Blue");
    model.fail_once_after(1);
    assert_eq!(ask(&model, post()).await, Ok((202, String::new())));
    assert_eq!(ask(&model, put_request()).await, Ok((500, "the model lets this fail\n".to_owned())));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((404, String::new())));
    assert_eq!(ask(&model, put_request()).await, Ok((204, String::new())));
    assert_eq!(model.effects().len(), 2);
    model.restart();
    model.fail_after(0);
    assert_eq!(ask(&model, post()).await, Err(HttpError::Failed("the machine has crashed".to_owned())));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((200, "Blue".to_owned())));
    model.restart();
    model.fail_read_after(1);
    assert_eq!(ask(&model, post()).await, Ok((202, String::new())));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((200, "Blue".to_owned())));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Err(HttpError::Incomplete));
    assert_eq!(ask(&model, request(Method::Get, ALBUM)).await, Ok((200, "Blue".to_owned())));
}

#[tokio::test]
async fn services_take_their_time_by_the_clock_of_the_model() {
    let secs = Duration::from_secs;
    let check = async |reply: HttpReply,
                       deadline: Option<u64>,
                       expect: Result<(u16, String), HttpError>,
                       took: u64| {
        let model = ModelSystem::new().with_flowing_time().with_reply(Method::Get, ALBUM, reply.clone());
        let began = model.clock().now();
        let mut call = request(Method::Get, ALBUM);
        call.deadline = deadline.map(secs);
        assert_eq!(ask(&model, call).await, expect, "{reply:?} {deadline:?}");
        let time = model.clock().now().duration_since(began).expect("it goes forward");
        assert_eq!(time, secs(took), "{reply:?} {deadline:?}");
    };
    let blue = || HttpReply::new(200).with_body("Blue");
    let success = || Ok((200, "Blue".to_owned()));
    let late = |time| Err(HttpError::Timeout(secs(time)));
    let quiet = || Err(HttpError::Inactive(secs(30)));
    check(blue(), None, success(), 0).await;
    check(blue().after(secs(5)), None, success(), 5).await;
    check(blue().after(secs(5)), Some(6), success(), 5).await;
    check(blue().after(secs(5)), Some(4), late(4), 4).await;
    check(blue().after(secs(40)), None, quiet(), 30).await;
    check(HttpReply::silent(), None, quiet(), 30).await;
    check(HttpReply::silent(), Some(7), late(7), 7).await;
    check(blue().silent_after(2), None, quiet(), 30).await;
    check(blue().silent_after(2), Some(7), late(7), 7).await;
    check(blue().cut_after(2), None, Err(HttpError::Incomplete), 0).await;
    check(HttpReply::failed(HttpError::Incomplete), None, Err(HttpError::Incomplete), 0).await;
}

#[tokio::test]
async fn hosts_of_the_network() {
    let model = Arc::new(
        music()
            .with_flowing_time()
            .with_listener(Address::tcp("music.test", 443))
            .with_url("http://[::1]/a", "a"),
    );
    let connect = async || {
        let connected = model.network().connect(&Address::tcp("music.test", 443)).await;
        connected.map(|_: Box<dyn Stream>| ()).map_err(|error: SystemError| error.kind)
    };
    let get = async || ask(&model, request(Method::Get, ALBUM)).await;
    assert_eq!((connect().await, get().await), (Ok(()), Ok((404, String::new()))));
    model.alter(|machine| machine.put_host("Music.test", HostState::Refuses));
    assert_eq!(
        (connect().await, get().await),
        (Err(SystemErrorKind::ConnectionRefused), Err(HttpError::Refused))
    );
    model.alter(|machine| machine.put_host("music.test", HostState::Unreachable));
    assert_eq!((connect().await, get().await), (Err(SystemErrorKind::Unreachable), Err(HttpError::NoWay)));
    model.alter(|machine| machine.put_host("music.test", HostState::Hangs));
    assert_eq!(get().await, Err(HttpError::ConnectTimeout(Duration::from_secs(10))));
    let address = Address::tcp("music.test", 443);
    let hangs = model.network().connect(&address);
    assert!(tokio::time::timeout(Duration::from_millis(20), hangs).await.is_err());
    model.alter(|machine| machine.restore_host("music.test"));
    assert_eq!(connect().await, Ok(()));
    model.alter(|machine| machine.put_host("::1", HostState::Refuses));
    assert_eq!(ask(&model, request(Method::Get, "http://[::1]/a")).await, Err(HttpError::Refused));
}

#[tokio::test]
async fn a_folder_for_a_while_is_no_change() {
    let model =
        ModelSystem::new().with_file("/etc/sudoers", "old").with_query(["visudo", "-c"], Output::success(""));
    let before = model.machine();
    let files = model.files();
    let folder = files.temp_dir().await.expect("it is made");
    let other_folder = files.temp_dir().await.expect("it is made");
    assert_ne!(folder.path(), other_folder.path());
    assert_eq!(model.machine().entry(folder.path()).map(|entry| (entry.mode, entry.uid)), Some((0o700, 0)));
    files.write(&folder.path().join("sudoers"), WriteFile::new(b"new")).await.expect("it is written");
    files.create_dir(&folder.path().join("d"), 0o755).await.expect("it is made");
    assert_eq!(model.effects(), []);
    // A file that is moved out of the temporary folder is an effect.
    files.rename(&folder.path().join("sudoers"), "/etc/sudoers".as_ref()).await.expect("it is renamed");
    assert_eq!(model.effects().len(), 1);
    other_folder.remove().await.expect("it is removed");
    drop(folder);
    assert_eq!(
        model.machine().entries().keys().collect::<Vec<_>>(),
        before.entries().keys().collect::<Vec<_>>()
    );
    // A temporary folder cannot be created on a full disk.
    let full_disk = ModelSystem::new().with_disk("/tmp", Disk::Full);
    let refused = full_disk.files().temp_dir().await.err().map(|error| error.to_string());
    assert_eq!(refused.as_deref(), Some("cannot make a temporary folder in /tmp: no space left on device"));
}

#[tokio::test]
async fn chance_is_the_same_from_the_same_seed() {
    let bytes =
        async |model: &ModelSystem, count| model.random().bytes(count).await.expect("there is chance");
    let (first_system, second_system) = (ModelSystem::new(), ModelSystem::new().with_seed(7));
    let first = bytes(&first_system, 20).await;
    assert_eq!(first.len(), 20);
    assert_ne!(first, bytes(&first_system, 20).await);
    assert_ne!(first, bytes(&second_system, 20).await);
    first_system.restart();
    assert_eq!(first, bytes(&first_system, 20).await);
    let end = std::num::NonZeroU64::new(3).expect("it is not zero");
    let mut lengths = [false; 3];
    for _ in 0..100 {
        let number = first_system.random().below(end).await.expect("there is chance");
        lengths[usize::try_from(number).expect("it is small")] = true;
    }
    assert_eq!(lengths, [true; 3]);
    assert!(first_system.random().bytes(usize::MAX).await.is_err());
}

#[tokio::test]
async fn lines_of_programs() {
    let print = |text: &str| ModelSystem::new().with_query(["print"], Output::success(text));
    let check = async |text: &str, expect: &[(&str, u64)]| {
        let expect: Vec<_> = expect.iter().map(|(line, left_out)| ((*line).to_owned(), *left_out)).collect();
        let model = print(text);
        let mut lines = OutputLines::new(model.processes(), Command::new("print"), 6);
        let mut lines_read = Vec::new();
        while let Some(OutputLine { stream, bytes, left_out }) = lines.next().await {
            assert_eq!(stream, OutputStream::Stdout);
            lines_read.push((String::from_utf8_lossy(&bytes).into_owned(), left_out));
        }
        assert_eq!(lines_read, expect, "{text:?}");
        assert_eq!(lines.output().await.map(|output| output.stdout), Ok(text.as_bytes().to_vec()));

        let lines_read = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = Arc::clone(&lines_read);
        let mut command = Command::new("print");
        command.watch = Some(OutputWatch::lines(6, move |line| {
            sink.lock().expect("no other panic").push((line.text().into_owned(), line.left_out));
        }));
        model.processes().run(command).await.expect("it runs");
        assert_eq!(*lines_read.lock().expect("no other panic"), expect, "{text:?}");
    };
    check("", &[]).await;
    check("one\n\nthree", &[("one", 0), ("", 0), ("three", 0)]).await;
    check("one\r\ntwo\n", &[("one", 0), ("two", 0)]).await;
    check("\r 10%\r 20%\r", &[(" 10%", 0), (" 20%", 0)]).await;
    check("far too long\nshort\n", &[("far to", 6), ("short", 0)]).await;
    let model = print("");
    let missing_program = OutputLines::new(model.processes(), Command::new("none"), 6);
    assert_eq!(missing_program.output().await.map_err(|error| error.kind), Err(SystemErrorKind::NotFound));
}

/// The listener serves clients that bring their own HTTP implementation.
#[tokio::test]
async fn a_listener_speaks_http() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let address = Address::Unix("/run/engine.sock".into());
    let model = ModelSystem::new()
        .with_flowing_time()
        .with_http_listener(address.clone(), "http://engine.test/v1/")
        .with_reply(Method::Get, "http://engine.test/ping", HttpReply::new(200).with_body("pong"))
        .with_reply(Method::Get, "http://engine.test/cut", HttpReply::new(200).with_body("pong").cut_after(2))
        .with_reply(Method::Get, "http://engine.test/late", HttpReply::new(204).after(Duration::from_secs(5)))
        .with_service("http://engine.test/echo", |asked, _| {
            Some(HttpReply::new(201).with_body(asked.body.clone()))
        });
    let check = async |written: &[&str], expect: &str| {
        let mut stream = model.network().connect(&address).await.expect("it listens");
        for piece in written {
            stream.write_all(piece.as_bytes()).await.expect("it takes it");
        }
        let mut answer = vec![0; expect.len()];
        stream.read_exact(&mut answer).await.expect("it answers");
        assert_eq!(String::from_utf8_lossy(&answer), expect, "{written:?}");
        // Nothing follows the response: neither more data nor, on a persistent connection, an end.
        let mut excess = Vec::new();
        let rest = tokio::time::timeout(Duration::from_millis(20), stream.read_to_end(&mut excess)).await;
        (rest.is_ok(), excess.len())
    };
    let pong = "HTTP/1.1 200 Model\r\ncontent-length: 4\r\n\r\npong";
    let get = "GET /ping HTTP/1.1\r\nHost: x\r\n\r\n";
    assert_eq!(check(&[get], pong).await, (false, 0));
    // The requests arrive in pieces and one after the other.
    let pongs = [pong, pong].concat();
    assert_eq!(check(&["GET /pi", "ng HTTP/1.1\r\n", "\r\n", get], &pongs).await, (false, 0));
    let echoed = "HTTP/1.1 201 Model\r\ncontent-length: 5\r\n\r\nhello";
    assert_eq!(
        check(&["PUT /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhe", "llo"], echoed).await,
        (false, 0)
    );
    let chunked =
        ["POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n", "3\r\nllo\r\n0\r\n\r\n"];
    assert_eq!(check(&chunked, echoed).await, (false, 0));
    assert_eq!(
        check(&["GET /cut HTTP/1.1\r\n\r\n"], "HTTP/1.1 200 Model\r\ncontent-length: 4\r\n\r\npo").await,
        (true, 0)
    );
    let began = model.clock().now();
    assert_eq!(check(&["GET /late HTTP/1.1\r\n\r\n"], "HTTP/1.1 204 Model\r\n\r\n").await, (false, 0));
    assert_eq!(model.clock().now().duration_since(began).ok(), Some(Duration::from_secs(5)));
    // The first text is not a request, and the second has no defined response.
    assert_eq!(check(&["\u{0} / x\r\n\r\n"], "").await, (true, 0));
    assert_eq!(
        check(&["GET /none HTTP/1.1\r\n\r\n"], "HTTP/1.1 404 Model\r\ncontent-length: 0\r\n\r\n").await,
        (false, 0)
    );
    assert_eq!(model.requests().len(), 8);
}
