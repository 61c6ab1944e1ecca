//! Tests of repositories over HTTPS, for `git.checkout` and for modules.

use converge_tests::host::Host;

/// A host name with its own certificate authority, and a web server with the repositories.
///
/// `/git` is public, and `/private` needs a password. `/moved` redirects there, `/plain` redirects to HTTP,
/// and `/slow` never ends.
const SERVER: &str = r#"
mkdir -p /etc/app /srv/git /srv/web && cd /etc/app
echo '127.0.0.1 git.example.com' >> /etc/hosts
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=An authority' -keyout ca.key -out ca.pem
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=git.example.com -keyout server.key -out server.csr
echo 'subjectAltName = DNS:git.example.com' > names
openssl x509 -req -days 2 -in server.csr -CA ca.pem -CAkey ca.key -extfile names -out server.pem
cat server.key >> server.pem
echo 'deploy:correct-horse' > users
printf '#!/bin/sh\nexec sleep 600\n' > slow && chmod 0755 slow
cat > web.conf <<'CONF'
server.document-root = "/srv/web"
server.port = 443
server.modules = ("mod_openssl", "mod_redirect", "mod_alias", "mod_auth", "mod_authn_file", "mod_setenv", "mod_cgi")
ssl.engine = "enable"
ssl.pemfile = "/etc/app/server.pem"
$SERVER["socket"] == ":80" { ssl.engine = "disable" }
url.redirect = ("^/moved/(.*)" => "/git/$1", "^/plain/(.*)" => "http://git.example.com/git/$1")
$HTTP["url"] =~ "^/(git|private)/" {
    alias.url = ("/git" => "/usr/lib/git-core/git-http-backend", "/private" => "/usr/lib/git-core/git-http-backend")
    setenv.set-environment = ("GIT_PROJECT_ROOT" => "/srv/git", "GIT_HTTP_EXPORT_ALL" => "1")
    cgi.assign = ("" => "")
}
$HTTP["url"] =~ "^/slow/" {
    alias.url = ("/slow" => "/etc/app/slow")
    cgi.assign = ("" => "")
}
$HTTP["url"] =~ "^/private/" {
    auth.backend = "plain"
    auth.backend.plain.userfile = "/etc/app/users"
    auth.require = ("" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
}
CONF
lighttpd -f web.conf
"#;

/// A repository with a submodule under an HTTP URL.
const REPOSITORY: &str = "\
git config --global user.name t && git config --global user.email t@example.com
git init -q -b main /root/part && cd /root/part && echo part > p && git add . && git commit -q -m part
git clone -q --bare . /srv/git/part.git
git init -q -b main /root/work && cd /root/work && echo 1 > a && git add . && git commit -q -m one && git tag v1
git clone -q --bare . /srv/git/app.git && git remote add origin /srv/git/app.git
git clone -q http://git.example.com/git/app.git /root/whole && cd /root/whole
git submodule --quiet add http://git.example.com/git/part.git part && git commit -q -m whole
git clone -q --bare . /srv/git/whole.git
useradd --create-home app && install -d -o app -g app /srv/app
";

fn host(test: &str) -> Option<Host> {
    let host = Host::plain(test)?;
    host.ok(SERVER);
    host.ok(REPOSITORY);
    Some(host)
}

/// Returns a checkout from `path` on the server, as a user, with further fields.
fn module(path: &str, extra: &str) -> String {
    format!(
        "git.checkout \"app\" {{\n  repository = \"https://git.example.com/{path}\"\n  destination = \"/srv/app\"\n  \
         revision = \"main\"\n  user = \"app\"\n{extra}\n}}\n"
    )
}

const TRUSTED: &str = "environment = { GIT_SSL_CAINFO = \"/etc/app/ca.pem\" }";

#[test]
fn a_branch_is_followed_over_https() {
    let Some(host) = host("a_branch_is_followed_over_https") else { return };
    let refuses = |module: &str, expect: &str| {
        let error = host.converge("apply", module, &[]).failure("git.checkout.app");
        assert!(error.contains(expect), "{error}");
        assert_ne!(host.run("test -e /srv/app/a").code, Some(0));
    };
    refuses(
        &module("git/app.git", ""),
        "add the authority that signed its certificate to those of this machine",
    );
    refuses(&module("plain/app.git", TRUSTED), "the server redirects to `http://`");
    refuses(
        &module("slow/app.git", &format!("timeout = \"3s\"\n{TRUSTED}")),
        "took longer than its timeout of 3s",
    );

    host.story(&module("git/app.git", TRUSTED), &[]);
    assert_eq!(host.ok("stat -c %U:%G /srv/app/a").stdout, "app:app\n");
    host.ok("cd /root/work && echo 2 > a && git commit -q -a -m two && git push -q origin main");
    host.story(&module("git/app.git", TRUSTED), &[]);
    assert_eq!(host.get("/srv/app/a"), b"2\n");
    // A redirect within HTTPS does not count as a different repository.
    host.story(&module("moved/app.git", TRUSTED), &[]);

    // A shallow checkout with a submodule, whose content is verified by its commit.
    host.ok("rm -rf /srv/app && install -d -o app -g app /srv/app");
    host.story(&module("git/whole.git", &format!("depth = 1\nsubmodules = true\n{TRUSTED}")), &[]);
    assert_eq!(host.get("/srv/app/part/p"), b"part\n");
    assert_eq!(host.ok("cd / && su app -c 'git -C /srv/app rev-list --count HEAD'").stdout, "1\n");
}

#[test]
fn who_may_have_a_repository_says_who_that_is() {
    let Some(host) = host("who_may_have_a_repository_says_who_that_is") else { return };
    let private = module("private/app.git", TRUSTED);
    let refused = |expect: &str| {
        let output = host.converge("apply", &private, &[]);
        let error = output.failure("git.checkout.app");
        assert!(error.contains(expect), "{error}");
        assert!(!output.everything().contains("horse"), "{}", output.everything());
    };
    refused("set a `credential.helper` in git's config of the user");
    let credentials = |password: &str| {
        host.ok(&format!(
            "echo 'https://deploy:{password}@git.example.com' > /home/app/.git-credentials
             chown app:app /home/app/.git-credentials && chmod 0600 /home/app/.git-credentials
             cd / && su app -c 'git config --global credential.helper store'"
        ));
    };
    credentials("wrong-horse");
    refused("the password or the token may be wrong");
    credentials("correct-horse");
    host.story(&private, &[]);
    assert_eq!(host.get("/srv/app/a"), b"1\n");
    // The repository does not contain the password.
    assert_ne!(host.run("grep -r horse /srv/app").code, Some(0));
}

#[test]
fn modules_come_over_https_from_who_is_trusted() {
    let Some(host) = host("modules_come_over_https_from_who_is_trusted") else { return };
    host.ok("cd /root/work && mkdir web && echo 'from a repository' > web/motd.txt
             printf 'file.content \"motd\" {\\n  destination = \"/etc/motd\"\\n  content     = file(\"motd.txt\")\\n}\\n' > web/module.hcl
             git add . && git commit -q -m web && git tag v2 && git push -q --tags origin main");
    let lock = |path: &str, environment: &str| {
        host.put(
            "/srv/site/main.hcl",
            format!("module \"git::https://git.example.com/{path}//web?ref=v2\" \"web\" {{}}\n"),
        );
        host.run(&format!("{environment} converge modules lock /srv/site/main.hcl"))
    };
    let refused = lock("git/app.git", "");
    assert!(
        refused.code == Some(1) && refused.stderr.contains("in GIT_SSL_CAINFO"),
        "{}",
        refused.everything()
    );
    let trusted = "GIT_SSL_CAINFO=/etc/app/ca.pem";
    let refused = lock("plain/app.git", trusted);
    assert!(
        refused.code == Some(1) && refused.stderr.contains("the server redirects to `http://`"),
        "{}",
        refused.everything()
    );
    let refused = lock("private/app.git", trusted);
    assert!(
        refused.code == Some(1) && refused.stderr.contains("git.example.com"),
        "{}",
        refused.everything()
    );
    let locked = lock("git/app.git", trusted);
    assert_eq!(locked.code, Some(0), "{}", locked.everything());
    host.ok("pkill lighttpd");
    host.converge_file("apply", "/srv/site/main.hcl", &["--offline"]).success();
    assert_eq!(host.get("/etc/motd"), b"from a repository\n");
}
