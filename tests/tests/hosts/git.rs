//! Tests of `git.checkout` with repositories over SSH, as a user.

use converge_tests::host::{Host, Kind};

/// A server with a known host key that accepts the key `deploy`, and a user with this key.
const SERVER: &str = "\
mkdir -p /run/sshd /etc/app
useradd --create-home app
install -d -m 0700 /root/.ssh
install -d -m 0700 -o app -g app /home/app/.ssh
ssh-keygen -q -t ed25519 -N '' -f /home/app/.ssh/deploy
cp /home/app/.ssh/deploy.pub /root/.ssh/authorized_keys
chown app:app /home/app/.ssh/deploy
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
/usr/sbin/sshd -f /dev/null -h /etc/ssh/ssh_host_ed25519_key
install -d -o app -g app /srv/app
";

const REPOSITORY: &str = "\
git config --global user.name t && git config --global user.email t@example.com
git init -q -b main /root/work && cd /root/work && echo 1 > a && git add . && git commit -q -m one && git tag v1.0
git clone -q --bare . /srv/git/app.git && git remote add origin /srv/git/app.git
";

/// Returns a module with the key field and further fields.
fn module(extra: &str) -> String {
    format!(
        "git.checkout \"app\" {{\n  repository = \"ssh://root@localhost/srv/git/app.git\"\n  destination = \"/srv/app\"\n  user = \"app\"\n{extra}\n}}\n"
    )
}

const KEYS: &str = "key = \"/home/app/.ssh/deploy\"\nknown_hosts = \"/etc/app/known_hosts\"\n";

fn host(test: &str) -> Option<Host> {
    let host = Host::plain(test)?;
    host.ok(SERVER);
    host.ok(REPOSITORY);
    // The server becomes a daemon before it listens.
    host.eventually(
        "ssh-keyscan -t ed25519 localhost > /etc/app/known_hosts && test -s /etc/app/known_hosts",
    );
    Some(host)
}

fn push(host: &Host, script: &str) -> String {
    let command = format!(
        "cd /root/work && {script} && git commit -q -a -m more && git push -q --force --tags origin main && git rev-parse HEAD"
    );
    host.ok(&command).stdout.trim().to_owned()
}

#[test]
fn a_branch_is_followed_over_ssh() {
    let Some(host) = host("a_branch_is_followed_over_ssh") else { return };
    let follow = module(&format!("{KEYS}revision = \"main\""));
    let force = module(&format!("{KEYS}revision = \"main\"\nforce = true"));
    let refuses = |module: &str, expect: &str| {
        let error = host.converge("plan", module, &[]).failure("git.checkout.app");
        assert!(error.contains(expect), "{error}");
    };
    // An unknown host key is refused without a prompt.
    refuses(&module("revision = \"main\""), "add it with a `user.known_host`");
    refuses(&module("revision = \"main\"\nknown_hosts = \"/etc/app/known_hosts\""), "name one with `key`");
    host.story(&follow, &[]);
    assert_eq!(host.ok("stat -c %U:%G /srv/app/a /srv/app/.git/HEAD").stdout, "app:app\napp:app\n");
    assert_eq!(host.run("ls /home/app/.ssh/known_hosts").code, Some(2));

    let second = push(&host, "echo 2 > a");
    host.put("/srv/app/own", "mine");
    host.ok("printf '#!/bin/sh\\ntouch /tmp/ran\\n' > /srv/app/.git/hooks-post && mkdir -p /srv/app/.git/hooks && \
             install -m 0755 -o app /srv/app/.git/hooks-post /srv/app/.git/hooks/post-checkout");
    let story = host.story(&follow, &[]);
    let differences = story.plan.differences("git.checkout.app");
    assert!(
        matches!(&differences[..], [(name, _, to)] if name == "commit" && *to == second),
        "{differences:?}"
    );
    assert_eq!((host.get("/srv/app/a"), host.get("/srv/app/own")), (b"2\n".to_vec(), b"mine".to_vec()));
    assert_ne!(host.run("test -e /tmp/ran").code, Some(0));

    host.ok("echo mine >> /srv/app/a");
    refuses(&follow, "/srv/app has changes of a: `force = true` discards that");
    let story = host.story(&force, &[]);
    let expect = [("own changes".to_owned(), "changes of a".to_owned(), "thrown away".to_owned())];
    assert_eq!(story.plan.differences("git.checkout.app"), expect);
    assert_eq!((host.get("/srv/app/a"), host.get("/srv/app/own")), (b"2\n".to_vec(), b"mine".to_vec()));

    // A user who does not own the checkout is told to name the owner.
    let others = follow.replace("user = \"app\"\n", "");
    refuses(&others, "name the owner with `user`");
    host.ok("mv \"$(command -v git)\" /root/git.away");
    refuses(&follow, "there is no `git`: install the package `git`");
}

#[test]
fn only_what_is_signed_is_checked_out() {
    let Some(host) = host("only_what_is_signed_is_checked_out") else { return };
    let verify = module(&format!("{KEYS}revision = \"main\"\nverify = true"));
    host.ok("ssh-keygen -q -t ed25519 -N '' -f /root/signer && echo \"t@example.com $(cat /root/signer.pub)\" > /etc/app/signers
             git config --global gpg.format ssh && git config --global user.signingKey /root/signer
             cd / && su app -c 'git config --global gpg.ssh.allowedSignersFile /etc/app/signers'");
    let error = host.converge("apply", &verify, &[]).failure("git.checkout.app");
    assert!(error.contains("has no good signature, so it is not checked out"), "{error}");
    assert_ne!(host.run("test -e /srv/app/a").code, Some(0));
    push(&host, "git config commit.gpgSign true && echo 2 > a");
    host.story(&verify, &[]);
    push(&host, "git config commit.gpgSign false && echo 3 > a");
    host.converge("apply", &verify, &[]).failure("git.checkout.app");
    assert_eq!(host.get("/srv/app/a"), b"2\n");
}

/// A failed fetch leaves no partial result: first nothing, and later the previous checkout.
#[test]
fn a_repository_is_fetched_where_the_disk_was_full() {
    let name = "a_repository_is_fetched_where_the_disk_was_full";
    let Some(host) = Host::with(name, Kind::Plain, &["--tmpfs", "/small:size=3m"]) else { return };
    host.ok(REPOSITORY);
    let large = "head -c 700000 /dev/urandom > large && git add large";
    push(&host, large);
    let module = "git.checkout \"app\" {\n  repository = \"/srv/git/app.git\"\n  destination = \"/small/app\"\n  revision = \"main\"\n}\n";
    let fill = |kilobytes: u32| host.ok(&format!("head -c {kilobytes}k /dev/zero > /small/filler"));
    let refused = || {
        let error = host.converge("apply", module, &[]).failure("git.checkout.app");
        assert!(error.to_lowercase().contains("no space left on device"), "{error}");
    };
    // First neither the fetch nor the checkout fits, and then only the fetch.
    for kilobytes in [2600, 2050] {
        fill(kilobytes);
        refused();
        assert_ne!(host.run("test -e /small/app/large").code, Some(0), "{kilobytes}");
        host.ok("rm /small/filler");
    }
    host.story(module, &[]);
    assert_eq!(host.ok("cd /small/app && git status --porcelain").stdout, "");

    // An update that does not fit is repeated once there is space.
    host.ok("rm -rf /small/app");
    host.story(module, &[]);
    push(&host, "head -c 300000 /dev/urandom > large");
    fill(1400);
    refused();
    host.ok("rm /small/filler");
    host.story(module, &[]);
    assert_eq!(host.ok("cd /small/app && git status --porcelain").stdout, "");
    host.ok("cmp /root/work/large /small/app/large");
}

#[test]
fn the_example_of_git_checkout_works() {
    let Some(host) = host("the_example_of_git_checkout_works") else { return };
    // git refuses repositories in folders of other users.
    host.ok("chown -R app:app /srv/git");
    host.story(include_str!("../../../converge-resources/src/git/checkout/example.hcl"), &[]);
    assert_eq!(host.get("/srv/app/a"), b"1\n");
}
