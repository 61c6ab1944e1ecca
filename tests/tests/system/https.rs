//! Tests of downloads and requests over HTTPS.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use converge_core::testing::server::{Reply, Request, Server, answer};
use converge_tests::{Said, converge};

use crate::run::{module, private};

/// Returns a key with its self-signed certificate, and the certificate alone.
fn identity() -> (String, String) {
    let (key, certificate) = key_and_certificate();
    (key + &certificate, certificate)
}

fn key_and_certificate() -> (String, String) {
    let key_pair = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    (key_pair.signing_key.serialize_pem(), key_pair.cert.pem())
}

#[test]
fn a_file_is_fetched_from_who_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let fetched = folder.path().join("fetched");
    let (identity, pem) = identity();
    let port = Server::encrypted(&identity, |_, _| answer("200 OK", &[], b"hello\n")).address().port();
    let certificate = folder.path().join("certificate.pem");
    fs::write(&certificate, pem).unwrap();
    let path = module(
        folder.path(),
        &format!(
            "file.fetch \"it\" {{\n  source = \"https://localhost:{port}/it\"\n  destination = \"{}\"\n}}\n",
            fetched.display()
        ),
    );
    let apply = |trusted: bool| -> Said {
        let mut command = converge(&["apply", "--format", "json", &path]);
        command.env("NO_PROXY", "localhost");
        if trusted {
            command.env("SSL_CERT_FILE", &certificate);
        }
        command.output().unwrap().into()
    };
    let output = apply(false);
    let failure = output.failure("file.fetch.it");
    let expect = format!("cannot fetch https://localhost:{port}/it: the server cannot be trusted: ");
    assert!(failure.starts_with(&expect), "{failure}");
    assert!(!fetched.exists());

    apply(true).success();
    assert_eq!(fs::read_to_string(&fetched).unwrap(), "hello\n");
}

/// A redirect from HTTPS to HTTP is refused.
#[test]
fn an_encrypted_source_never_becomes_a_plain_one() {
    let folder = tempfile::tempdir().unwrap();
    let plain_server = Server::new(|_, _| answer("200 OK", &[], b"# nothing\n"));
    let location = format!("Location: {}", plain_server.url("/it"));
    let (identity, pem) = identity();
    let port =
        Server::encrypted(&identity, move |_, _| answer("302 Found", &[&location], b"")).address().port();
    let certificate = folder.path().join("certificate.pem");
    fs::write(&certificate, pem).unwrap();
    let url = format!("https://localhost:{port}/it");
    let refused =
        format!("cannot fetch {url}: it redirects to {}, which is not encrypted", plain_server.url("/it"));
    let run = |target: &str| -> Said {
        let mut command = converge(&["apply", "--format", "json", target]);
        command.env("NO_PROXY", "localhost").env("SSL_CERT_FILE", &certificate).output().unwrap().into()
    };
    let destination = folder.path().display();
    for (kind, destination) in
        [("file.fetch", format!("{destination}/it")), ("unarchive", format!("{destination}"))]
    {
        let text = format!("{kind} \"it\" {{\n  source = \"{url}\"\n  destination = \"{destination}\"\n}}\n");
        let failure = run(&module(folder.path(), &text)).failure(&format!("{kind}.it"));
        assert!(failure.starts_with(&refused), "{failure}");
    }
    let output = run(&url);
    assert!(output.everything().contains(&refused), "{}", output.everything());
    assert_eq!(plain_server.requests().len(), 0);
}

/// Returns the value of a request header.
fn header<'a>(request: &'a [String], name: &str) -> Option<&'a str> {
    let mut headers = request.iter().filter_map(|line| line.split_once(": "));
    headers.find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// The server requires its token and a known certificate, and redirects some clients to another server.
#[test]
fn who_asks_is_told_to_the_server_alone() {
    const TOKEN: &str = "canary-of-the-token";
    let folder = tempfile::tempdir().unwrap();
    let path_of = |name: &str| folder.path().join(name);
    let (server, authority) = identity();
    let (strange, strange_certificate) = identity();
    let (key, certificate) = key_and_certificate();
    let stranger = Server::encrypted(&strange, |_, _| answer("200 OK", &[], b"theirs\n"));
    let location = format!("Location: https://localhost:{}/it", stranger.address().port());
    let server = Server::for_certified(&server, &certificate, move |path, request| {
        let is_known = header(request, "authorization").is_some_and(|sent| sent == format!("Bearer {TOKEN}"));
        match path {
            _ if !is_known => answer("401 Unauthorized", &[], b""),
            "/away" => answer("302 Found", &[&location], b""),
            _ => answer("200 OK", &[], b"ours\n"),
        }
    });
    let url = format!("https://localhost:{}", server.address().port());
    for (name, text) in [("ca.pem", &authority), ("both.pem", &(authority.clone() + &strange_certificate))] {
        fs::write(path_of(name), text).unwrap();
    }
    fs::write(path_of("client.pem"), &certificate).unwrap();
    fs::write(path_of("client.key"), &key).unwrap();
    let run = |path: &str, fields: &str| -> Said {
        let _ = fs::remove_file(path_of("fetched"));
        let text = format!(
            "param \"token\" {{\n  sensitive = true\n}}\nfile.fetch \"it\" {{\n  source = \"{url}{path}\"\n  destination = \
             \"{}\"\n{fields}\n}}\n",
            path_of("fetched").display()
        );
        let module = module(folder.path(), &text.replace("DIR", &folder.path().display().to_string()));
        let token = format!("token={TOKEN}");
        let mut command = converge(&["apply", "--format", "json", "-p", &token, &module]);
        let output: Said = command.env("NO_PROXY", "localhost").output().unwrap().into();
        assert!(
            !output.everything().contains(TOKEN) && !output.everything().contains("PRIVATE"),
            "{}",
            output.everything()
        );
        output
    };
    let auth = "auth {\n token = param.token\n}\n";
    let client = "client_cert = \"DIR/client.pem\"\nclient_key = \"DIR/client.key\"\n";
    let fails = |fields: &str, expect: &str| {
        let failure = run("/it", fields).failure("file.fetch.it");
        assert!(failure.starts_with(&format!("cannot fetch {url}/it: {expect}")), "{failure}");
        assert!(!path_of("fetched").exists());
    };
    let ca = "ca = \"DIR/ca.pem\"\n";
    fails(&format!("{auth}{client}"), "the server cannot be trusted: ");
    fails(
        &format!("{auth}{ca}"),
        "the server requires a client certificate, or refuses the one that was sent",
    );
    fails(&format!("{client}{ca}"), "the server answers 401 Unauthorized");
    run("/it", &format!("{auth}{client}{ca}")).success();
    assert_eq!(fs::read_to_string(path_of("fetched")).unwrap(), "ours\n");
    run("/it", &format!("{auth}{client}insecure = true\naccept_unverified = true\n")).success();
    let said_once = run("/it", &format!("{auth}{client}insecure = true\n"));
    assert!(said_once.everything().contains("to accept that, write"), "{}", said_once.everything());
    // Only `ca` would make the other server trusted, and it learns nothing otherwise.
    let unverified = run("/away", &format!("{auth}{client}insecure = true\naccept_unverified = true\n"));
    let failure = unverified.failure("file.fetch.it");
    assert!(failure.contains("the server cannot be trusted"), "{failure}");
    run("/away", &format!("{auth}{client}ca = \"DIR/both.pem\"\n")).success();
    assert_eq!(fs::read_to_string(path_of("fetched")).unwrap(), "theirs\n");
    let requests = stranger.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert!(requests.iter().all(|request| header(request, "authorization").is_none()), "{requests:?}");
}

/// `http.request` over HTTPS: check, apply, check; and over HTTP nothing that was not accepted twice.
#[test]
fn a_server_is_asked_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let (identity, authority) = identity();
    fs::write(folder.path().join("ca.pem"), authority).unwrap();
    let mut page = None;
    let pages = move |_: &str, request: &Request| {
        let is_known = header(request, "authorization") == Some("Basic bWU6Y2FuYXJ5LXB3");
        let body = request.iter().skip_while(|line| !line.is_empty()).nth(1).cloned();
        if !is_known {
            return answer("401 Unauthorized", &[], b"");
        }
        if request.first().is_some_and(|line| line.starts_with("PUT")) {
            page = body;
            return answer("201 Created", &[], b"");
        }
        match &page {
            Some(page) => answer("200 OK", &[], page.as_bytes()),
            None => answer("404 Not Found", &[], b""),
        }
    };
    let server = Server::encrypted(&identity, pages);
    let plain_server = Server::new(|_, _| answer("200 OK", &[], b"Welcome"));
    let text = |url: &str, ca: &str| {
        format!(
            "param \"password\" {{\n  sensitive = true\n}}\nhttp.request \"page\" {{\n  url = \"{url}/page\"\n  {ca}\n  auth {{\n    \
             username = \"me\"\n    password = param.password\n  }}\n  check {{\n    body_matches = \"^Welcome$\"\n  }}\n  apply \
             {{\n    method = \"PUT\"\n    body = \"Welcome\"\n  }}\n}}\n"
        )
    };
    let run = |command: &str, text: &str| -> Said {
        let module = module(folder.path(), text);
        let mut command = converge(&[command, "--format", "json", "-p", "password=canary-pw", &module]);
        let output: Said = command.env("NO_PROXY", "localhost").output().unwrap().into();
        assert!(!output.everything().contains("canary-pw"), "{}", output.everything());
        output
    };
    let ca = format!("ca = \"{}\"", folder.path().join("ca.pem").display());
    let module = text(&format!("https://localhost:{}", server.address().port()), &ca);
    let methods = |server: &Server| -> Vec<String> {
        let lines = server.request_lines().into_iter();
        lines.map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(run("plan", &module).outcomes()["http.request.page"], "will-change");
    assert_eq!(methods(&server), ["GET"]);
    run("apply", &module).success();
    assert_eq!(methods(&server), ["GET", "PUT", "GET"]);
    assert_eq!(run("plan", &module).outcomes()["http.request.page"], "unchanged");
    let refused = run("apply", &text(&plain_server.url(""), ""));
    assert!(refused.everything().contains("secrets are sent over https only"), "{}", refused.everything());
    assert_eq!(plain_server.requests().len(), 0);
    // The server is on this machine. Its missing verification must be accepted twice, and no proxy is used.
    let accepted = "environment = {\n    http_proxy = \"http://127.0.0.1:9\"\n  }\n  insecure = true\n  accept_unverified = true";
    run("apply", &text(&plain_server.url(""), accepted)).success();
    let requests = plain_server.requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(header(&requests[0], "authorization"), Some("Basic bWU6Y2FuYXJ5LXB3"));
}

/// Returns the answer of git's HTTP backend.
fn of_git(repositories: &Path, path: &str, request: &Request) -> Reply {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let header = |name: &str| {
        let mut headers = request.iter().filter_map(|line| line.split_once(": "));
        headers.find(|(have, _)| have.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    };
    let body = request.iter().position(String::is_empty).map_or("", |index| &*request[index + 1]);
    let method = request[0].split(' ').next().unwrap();
    let mut served = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", repositories)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .envs([("PATH_INFO", path), ("QUERY_STRING", query), ("REQUEST_METHOD", method)])
        .envs([("CONTENT_TYPE", header("content-type")), ("GIT_PROTOCOL", header("git-protocol"))])
        .env("CONTENT_LENGTH", body.len().to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    served.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let stdout = served.wait_with_output().unwrap().stdout;
    let end = stdout.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8_lossy(&stdout[..end]).into_owned();
    let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
    let headers: Vec<&str> = head.lines().filter(|line| !line.starts_with("Status: ")).collect();
    answer(status, &headers, &stdout[end + 4..])
}

/// A module comes from a repository on a server that git trusts, and from no other.
#[test]
fn a_module_is_fetched_from_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("served/modules");
    fs::create_dir_all(&repository).unwrap();
    let destination = folder.path().join("made").display().to_string();
    let text = format!(
        "file.content \"it\" {{\n  destination = \"{destination}\"\n  content     = \"from git\"\n}}\n"
    );
    fs::write(repository.join("web.hcl"), text).unwrap();
    let script = "git init --quiet --template= && git add . && git -c user.name=t -c user.email=t@example.com commit --quiet -m m && git tag v1";
    assert!(Command::new("sh").args(["-c", script]).current_dir(&repository).status().unwrap().success());
    let (identity, pem) = identity();
    let certificate = folder.path().join("certificate.pem");
    fs::write(&certificate, pem).unwrap();
    let served = folder.path().join("served");
    let port =
        Server::encrypted(&identity, move |path, request| of_git(&served, path, request)).address().port();
    let module = module(
        folder.path(),
        &format!("module \"git::https://localhost:{port}/modules/.git//web.hcl?ref=v1\" \"web\" {{}}\n"),
    );
    let cache = private();
    let run = |arguments: &[&str], trusted: bool| -> Said {
        let mut command = converge(arguments);
        command.arg(&module).env("NO_PROXY", "localhost").env("CONVERGE_CACHE_DIR", cache.path());
        if trusted {
            command.env("GIT_SSL_CAINFO", &certificate);
        }
        command.output().unwrap().into()
    };
    let refused = run(&["modules", "lock"], false);
    let help = "help: add the authority that signed its certificate to those of this machine";
    assert!(refused.code == Some(1) && refused.stderr.contains(help), "{}", refused.stderr);
    run(&["modules", "lock"], true).success();
    run(&["apply"], true).success();
    assert_eq!(fs::read_to_string(destination).unwrap(), "from git");
}
