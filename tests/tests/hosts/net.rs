//! Tests of `file.fetch`, `unarchive`, `http.request`, `wait.port` and `wait.query`.

use std::path::Path;
use std::process::Command;

use converge_tests::host::{Host, Kind};
use converge_tests::skip;

/// A server in the host, which answers the first request with "busy".
const SERVER: &str = r#"
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
my $asked = 0;
while (my $client = $socket->accept) {
    while (defined(my $line = <$client>)) { last if $line =~ /^\r?\n$/ }
    if ($asked++ == 0) {
        print $client "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\nRetry-After: 0\r\n\r\n";
    } else {
        open(my $file, "<:raw", $ARGV[1]) or die;
        local $/;
        my $content = <$file>;
        print $client "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " . length($content)
            . "\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n" . $content;
    }
    close $client;
}
"#;

const FETCH: &str = r#"
param "hash" {}

file.fetch "book" {
  source      = "http://127.0.0.1:8080/book"
  destination = "/small/book"
  hash_type   = "sha256"
  hash        = param.hash
  force       = true
  mode        = "0644"
  owner       = "daemon"
}

file.fetch "copy" {
  source      = file.fetch.book.destination
  destination = "/srv/copy"
}
"#;

#[test]
fn files_are_fetched_also_where_the_disk_was_full() {
    let name = "files_are_fetched_also_where_the_disk_was_full";
    let Some(host) = Host::with(name, Kind::Plain, &["--tmpfs", "/small:size=256k"]) else { return };
    host.ok("seq 30000 >/srv/book");
    host.put("/srv/server.pl", SERVER);
    host.ok("setsid perl /srv/server.pl 8080 /srv/book </dev/null >/dev/null 2>&1 &");
    let hash = host.ok("sha256sum /srv/book").stdout.split(' ').next().unwrap_or_default().to_owned();
    let hash = &["-p", &format!("hash={hash}")];

    host.put("/small/book", "old\n");
    host.run("head -c 150000 /dev/zero >/small/filler");
    let failed_apply = host.converge("apply", FETCH, hash);
    assert_eq!(failed_apply.with_outcome("failed"), ["file.fetch.book"], "{}", failed_apply.everything());
    let failure = failed_apply.failure("file.fetch.book");
    assert_eq!(failure, "cannot write /small/book: no space left on device");
    assert_eq!(host.ok("ls -A /small").stdout, "book\nfiller\n");
    host.file("/small/book").is("old\n");

    host.ok("rm /small/filler");
    host.story(FETCH, hash);
    host.ok("cmp /srv/book /small/book && cmp /srv/book /srv/copy");
    assert_eq!(host.ok("stat -c '%a %U %Y' /small/book").stdout, "644 daemon 784111777\n");

    // Content with an unexpected hash is refused.
    host.ok("echo other >/srv/book; echo old >/small/book");
    let second_apply = host.converge("apply", FETCH, hash);
    let failure = second_apply.failure("file.fetch.book");
    assert!(failure.starts_with("http://127.0.0.1:8080/book has the sha256 "), "{failure}");
    host.file("/small/book").is("old\n");
}

/// The options of `tar` for each format.
const FORMATS: [(&str, &str); 5] =
    [("tar", ""), ("tar.gz", "--gzip"), ("tar.bz2", "--bzip2"), ("tar.xz", "--xz"), ("tar.zst", "--zstd")];

const UNARCHIVE: &str = r#"
unarchive "all" {
  for_each    = ["tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip"]
  source      = format("file:///srv/archive.%s", each.key)
  destination = format("/srv/%s", each.key)
  depends     = ["file.directory.all"]
}

file.directory "all" {
  for_each    = ["tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip"]
  destination = format("/srv/%s", each.key)
}
"#;

#[test]
fn archives_of_the_real_programs() {
    let name = "archives_of_the_real_programs";
    let Some(host) = Host::plain(name) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let sh = |script: &str| {
        let output = Command::new("sh").args(["-e", "-c", script]).current_dir(folder.path()).output();
        let output = output.expect("sh starts");
        output
            .status
            .success()
            .then_some(())
            .ok_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let long = "d".repeat(200);
    sh(&format!("mkdir -p in/bin in/{long} && seq 50000 >in/numbers && echo hello >in/{long}/{long}"))
        .and_then(|()| {
            sh("printf '#!/bin/sh\\n' >in/bin/tool && chmod 4755 in/bin/tool && ln -s ../numbers in/bin/link")
        })
        .and_then(|()| sh("chmod 0750 in/bin && : >in/empty"))
        .expect("the files");
    let packed = FORMATS
        .iter()
        .map(|(name, flag)| format!("tar {flag} -cf archive.{name} -C in ."))
        .chain(["cd in && zip -q --symlinks -r ../archive.zip .".to_owned()]);
    for command in packed {
        if let Err(error) = sh(&command) {
            skip(name, &format!("`{command}` fails: {}", error.trim()));
            return;
        }
    }
    for (format, _) in FORMATS.iter().chain(&[("zip", "")]) {
        let archive = read(&folder.path().join(format!("archive.{format}")));
        host.put(&format!("/srv/archive.{format}"), archive);
    }
    host.story(UNARCHIVE, &[]);
    for (format, _) in FORMATS.iter().chain(&[("zip", "")]) {
        let script_of_archive = format!(
            "cd /srv/{format} && wc -l <numbers && cat {long}/{long} && stat -c %a bin bin/tool && readlink bin/link"
        );
        assert_eq!(host.ok(&script_of_archive).stdout, "50000\nhello\n750\n755\n../numbers\n", "{format}");
    }

    host.ok("rm /srv/zip/empty && chmod 0 /srv/tar.xz/numbers");
    let mended = host.converge("apply", UNARCHIVE, &[]);
    let expect = ["unarchive.all[\"tar.xz\"]", "unarchive.all[\"zip\"]"];
    assert_eq!(mended.with_outcome("changed"), expect, "{}", mended.everything());
    host.nothing_to_do(UNARCHIVE, &[]);
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Creates an entry of a tar archive with any name.
fn entry(name: &str, kind: u8, link: &str, content: &str) -> Vec<u8> {
    let mut block = vec![0; 512];
    let mut put_text = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put_text(0, name);
    put_text(100, "0000644\0");
    put_text(124, &format!("{:011o}\0", content.len()));
    put_text(136, "00000000000\0");
    put_text(148, "        ");
    put_text(157, link);
    put_text(257, "ustar\x0000");
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.extend(content.as_bytes());
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

const HOSTILE: &str = r#"
unarchive "trap" {
  source      = "/srv/trap.tar"
  destination = "/srv/out"
  force       = true
}
"#;

#[test]
fn hostile_archives_write_nothing() {
    let Some(host) = Host::plain("hostile_archives_write_nothing") else { return };
    host.ok("mkdir /srv/out /srv/elsewhere && touch /srv/began");
    let check = |entries: &[Vec<u8>], expect: &str| {
        let harmless = entry("harmless", b'0', "", "x");
        host.put("/srv/trap.tar", [&[harmless], entries, &[vec![0; 1024]]].concat().concat());
        for command in ["plan", "apply"] {
            let output = host.converge(command, HOSTILE, &[]);
            assert_eq!(output.code, Some(1), "{}", output.everything());
            assert_eq!(output.failure("unarchive.trap"), expect);
        }
        let changed_files =
            host.ok("find /srv/out /srv/elsewhere /etc -newer /srv/began -not -path '/srv/out' | sort");
        assert_eq!(changed_files.stdout, "", "{expect}");
    };
    let cannot = |reason: &str| format!("cannot unpack /srv/trap.tar: {reason}");
    check(&[entry("/etc/evil", b'0', "", "x")], &cannot("\"/etc/evil\" is an absolute path"));
    check(
        &[entry("../evil", b'0', "", "x")],
        &cannot("\"../evil\" leads out of the destination through `..`"),
    );
    check(
        &[entry("out", b'2', "/etc", ""), entry("out/evil", b'0', "", "x")],
        &cannot("\"out\" is a symbolic link to \"/etc\", which is outside of the destination"),
    );
    check(
        &[entry("in", b'2', "harmless", ""), entry("in/evil", b'0', "", "x")],
        &cannot("\"in/evil\" would be written through the symbolic link \"in\""),
    );
    check(
        &[entry("evil", b'1', "../../etc/passwd", "")],
        &cannot("\"evil\" leads out of the destination through `..`"),
    );
    check(&[entry("evil", b'3', "", "")], &cannot("\"evil\" is a character device"));
    check(&[entry("evil", b'6', "", "")], &cannot("\"evil\" is a pipe"));
    check(&[entry("harmless", b'0', "", "y")], &cannot("\"harmless\" is there twice"));
    host.ok("ln -s ../elsewhere /srv/out/sub && touch -h -d 2000-01-01 /srv/out/sub && touch /srv/began");
    check(
        &[entry("sub/evil", b'0', "", "x")],
        "/srv/out/sub is a symbolic link out of the destination: nothing is written through it",
    );
}

const WAIT: &str = r#"
task "service" {
  check = "test -e /srv/started"
  apply = "touch /srv/started; setsid sh -c 'sleep 5; exec perl /srv/server.pl 8080 /srv/started' </dev/null >/dev/null 2>&1 &"
}

wait.port "service" {
  host      = "127.0.0.1"
  port      = 8080
  interval  = "100ms"
  max_retry = 300
  depends   = ["task.service"]
}

wait.query "ready" {
  check     = "test -e /srv/started"
  interval  = "100ms"
  depends   = ["wait.port.service"]
}
"#;

#[test]
fn a_service_that_starts_slowly_is_waited_for() {
    let Some(host) = Host::plain("a_service_that_starts_slowly_is_waited_for") else { return };
    host.put("/srv/server.pl", SERVER);
    let story = host.story(WAIT, &[]);
    assert_eq!(story.plan.with_outcome("may-change"), ["wait.port.service", "wait.query.ready"]);
    let message = story.apply.report("wait.port.service")["messages"].to_string();
    assert!(message.contains("127.0.0.1:8080 is open after "), "{message}");

    let unreachable = WAIT
        .replace("8080", "8081")
        .replace("max_retry = 300", "max_retry = 3")
        .replace("/srv/started", "/srv/again");
    let gave_up = host.converge("apply", &unreachable.replace("sleep 5", "sleep 1000"), &[]);
    let failure = gave_up.failure("wait.port.service");
    assert!(
        failure.starts_with("127.0.0.1:8081 does not accept connections after 3 attempts in "),
        "{failure}"
    );
    assert!(failure.ends_with("s: connection refused"), "{failure}");
}

/// A server in the host that stores uploads.
const PAGES: &str = r#"
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 8080, Listen => 5, ReuseAddr => 1) or die;
my %pages;
while (my $client = $socket->accept) {
    my ($method, $path) = split / /, scalar <$client>;
    my $length = 0;
    while (defined(my $line = <$client>)) {
        $length = $1 if $line =~ /^content-length: (\d+)/i;
        last if $line =~ /^\r?\n$/;
    }
    my ($status, $body) = ("404 Not Found", "none\n");
    if ($method eq "PUT") {
        read($client, $pages{$path}, $length);
        ($status, $body) = ("201 Created", "");
        open(my $log, ">>", "/srv/made") or die;
        print $log "$path\n";
    } elsif (exists $pages{$path}) {
        ($status, $body) = ("200 OK", $pages{$path});
    }
    print $client "HTTP/1.1 $status\r\nConnection: close\r\nContent-Length: " . length($body) . "\r\n\r\n" . $body;
    close $client;
}
"#;

const BUSYBOX: &str = r#"
http.request "page" {
  url = "http://127.0.0.1:8081/page"

  check {
    status       = 200
    body_matches = "^hello"
  }
}

http.request "none" {
  url = "http://127.0.0.1:8081/none"

  check {
    status = [404, 410]
  }
}
"#;

#[test]
fn servers_are_asked_and_told() {
    let Some(host) = Host::plain("servers_are_asked_and_told") else { return };
    host.put("/srv/pages.pl", PAGES);
    host.ok("setsid perl /srv/pages.pl </dev/null >/dev/null 2>&1 &");
    let example = include_str!("../../../converge-resources/src/net/request/example.hcl");
    host.story(example, &[]);
    host.file("/srv/health").is("the service answers 200\n");
    assert_eq!(host.ok("cat /srv/made").stdout, "/pages/welcome\n", "it is made once");

    host.ok("mkdir /srv/www && echo hello >/srv/www/page && busybox httpd -p 8081 -h /srv/www");
    host.nothing_to_do(BUSYBOX, &[]);
    host.ok("echo bye >/srv/www/page");
    let second_apply = host.converge("apply", BUSYBOX, &[]);
    let failure = second_apply.failure("http.request.page");
    let expect = "http://127.0.0.1:8081/page answers 200, and `^hello` matches nothing in it";
    assert!(failure.starts_with(expect), "{failure}");
}
