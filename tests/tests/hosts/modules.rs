//! Tests of modules from a repository over SSH.

use converge_tests::host::Host;

const SITE: &str = "module \"git::ssh://root@localhost/srv/modules.git//web?ref=v1\" \"web\" {}\n";

/// A server with a known host key, and the key of an authorized user.
const SERVER: &str = "\
mkdir -p /run/sshd
install -d -m 0700 /root/.ssh
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
/usr/sbin/sshd -f /dev/null -h /etc/ssh/ssh_host_ed25519_key
";

const REPOSITORY: &str = "\
mkdir -p /tmp/work/web && cd /tmp/work && git init -q
printf 'file.content \"motd\" {\\n  destination = \"/etc/motd\"\\n  content     = file(\"motd.txt\")\\n}\\n' > web/module.hcl
echo 'from a repository' > web/motd.txt
git add . && git -c user.name=t -c user.email=t@example.com commit -q -m m && git tag v1
git clone -q --bare . /srv/modules.git
";

/// An unknown host is refused without a prompt.
#[test]
fn modules_come_over_ssh_from_who_is_known() {
    let Some(host) = Host::plain("modules_come_over_ssh_from_who_is_known") else { return };
    host.ok(SERVER);
    host.ok(REPOSITORY);
    host.put("/srv/site/main.hcl", SITE);
    // The server becomes a daemon before it listens.
    host.eventually("test -n \"$(ssh-keyscan -t ed25519 localhost 2> /dev/null)\"");
    let refused = host.run("converge modules lock /srv/site/main.hcl");
    let reason = "git says: Host key verification failed; Could not read from remote repository";
    assert!(refused.code == Some(1) && refused.stderr.contains(reason), "{}", refused.everything());
    assert!(refused.stderr.contains("help: the host key of the server is unknown"), "{}", refused.stderr);
    host.ok("ssh-keyscan -t ed25519 localhost > /root/.ssh/known_hosts");
    host.ok("converge modules lock /srv/site/main.hcl");
    host.converge_file("apply", "/srv/site/main.hcl", &[]).success();
    assert_eq!(host.get("/etc/motd"), b"from a repository\n");
    // A fetched module no longer needs the server.
    host.ok("rm -r /srv/modules.git");
    host.converge_file("plan", "/srv/site/main.hcl", &["--offline"]).success();
}
