//! Tests of access to a machine: SSH keys, known hosts, sudo rules.

use converge_tests::host::Host;

const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB";
const OTHER: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC";

#[test]
fn keys_with_which_users_log_in() {
    let Some(host) = Host::plain("keys_with_which_users_log_in") else { return };
    let module = format!(
        r#"
user.user "ada" {{
  username    = "ada"
  create_home = true
}}

user.authorized_key "one" {{
  user    = user.user.ada.username
  key     = "{KEY} ada@example.com"
  options = ["no-pty", "from=\"10.0.0.0/8\""]
}}

user.authorized_key "other" {{
  user = user.user.ada.username
  key  = "{OTHER}"
}}
"#
    );
    host.story(&module, &[]);
    let file = "/home/ada/.ssh/authorized_keys";
    host.file("/home/ada/.ssh").has_owner("ada:ada").has_mode("0700");
    host.file(file).has_owner("ada:ada").has_mode("0600");
    let text = String::from_utf8(host.get(file)).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [&format!("no-pty,from=\"10.0.0.0/8\" {KEY} ada@example.com"), OTHER]);
    // The tools that use such files can read it.
    host.ok(&format!("ssh-keygen -l -f {file}"));

    // Lines of others stay unchanged, whatever their form.
    host.put(file, format!("# mine\r\n{OTHER} laptop\r\nnonsense"));
    let key_module = |fields: &str| {
        format!("user.authorized_key \"it\" {{\nuser = \"ada\"\nkey = \"{KEY}\"\n{fields}\n}}\n")
    };
    host.story(&key_module(""), &[]);
    host.file(file).is(&format!("# mine\r\n{OTHER} laptop\r\nnonsense\r\n{KEY}\r\n")).has_owner("ada:ada");
    host.story(&key_module("exact = true"), &[]);
    host.file(file).is(&format!("# mine\r\nnonsense\r\n{KEY}\r\n"));
    host.story(&key_module("state = \"absent\""), &[]);
    host.file(file).is("# mine\r\nnonsense\r\n");

    // Links that the user creates must not redirect writes.
    host.put("/etc/kept", "root's\n");
    for hostile in [
        "ln -sf /etc/kept authorized_keys",
        "rm authorized_keys && ln /etc/kept authorized_keys",
        "cd .. && rm -r .ssh && ln -s /etc .ssh && chown -h ada:ada .ssh",
    ] {
        host.ok(&format!("cd /home/ada/.ssh && {hostile}"));
        let output = host.converge("apply", &key_module(""), &[]);
        assert_eq!(output.code, Some(1), "{hostile}: {}", output.everything());
        host.file("/etc/kept").is("root's\n").has_owner("root:root");
        host.file("/etc/authorized_keys").is_absent();
    }
}

#[test]
fn machines_that_ssh_knows() {
    let Some(host) = Host::plain("machines_that_ssh_knows") else { return };
    let file = "/etc/ssh/ssh_known_hosts";
    let module = |host: &str, fields: &str| {
        format!("user.known_host \"it\" {{\nhost = \"{host}\"\nkey = \"{KEY}\"\n{fields}\n}}\n")
    };
    host.story(&module("Git.example.com", ""), &[]);
    host.story(&module("[git.example.com]:2222", ""), &[]);
    host.file(file).is(&format!("git.example.com {KEY}\n[git.example.com]:2222 {KEY}\n")).has_mode("0644");
    host.ok(&format!("ssh-keygen -F git.example.com -f {file}"));

    // A name that ssh-keygen has hashed is found, and a changed key is replaced.
    host.put(file, format!("git.example.com {OTHER}\nother.example.com {OTHER}\n"));
    host.ok(&format!("ssh-keygen -q -H -f {file} && rm {file}.old && ! grep git {file}"));
    host.story(&module("git.example.com", ""), &[]);
    let output = host.ok(&format!("ssh-keygen -F git.example.com -f {file} | grep -v '^#'"));
    assert_eq!(output.stdout, format!("git.example.com {KEY}\n"));
    host.ok(&format!("ssh-keygen -q -H -f {file}"));
    host.nothing_to_do(&module("git.example.com", ""), &[]);
    host.story(&module("git.example.com", "state = \"absent\""), &[]);
    assert_eq!(host.run(&format!("ssh-keygen -F git.example.com -f {file}")).code, Some(1));
    host.ok(&format!("ssh-keygen -F other.example.com -f {file}"));

    host.ok("useradd --create-home ada");
    host.story(&module("git.example.com", "user = \"ada\""), &[]);
    host.file("/home/ada/.ssh/known_hosts").has_owner("ada:ada").has_mode("0600");
}

#[test]
fn rules_of_sudo() {
    let Some(host) = Host::plain("rules_of_sudo") else { return };
    host.ok("useradd ada");
    let module =
        |content: &str| format!("user.sudoers \"it\" {{\nname = \"ada\"\ncontent = \"{content}\"\n}}\n");
    let file = "/etc/sudoers.d/ada";
    host.story(&module("ada ALL=(root) NOPASSWD: /usr/bin/id"), &[]);
    host.file(file).is("ada ALL=(root) NOPASSWD: /usr/bin/id\n").has_mode("0440").has_owner("root:root");
    assert_eq!(host.ok("setpriv --reuid ada --clear-groups sudo -n id -u").stdout, "0\n");
    host.ok(&format!("chmod 0666 {file}"));
    host.story(&module("ada ALL=(root) NOPASSWD: /usr/bin/id"), &[]);

    for command in ["plan", "apply"] {
        let output = host.converge(command, &module("ada ALL=(root NOPASSWD"), &[]);
        assert_eq!(output.code, Some(1), "{}", output.everything());
        assert!(output.everything().contains("`visudo` ended with exit code 1"), "{}", output.everything());
        host.file(file).is("ada ALL=(root) NOPASSWD: /usr/bin/id\n");
    }
    host.story("user.sudoers \"it\" {\nname = \"ada\"\nstate = \"absent\"\n}\n", &[]);
    host.file(file).is_absent();
    host.ok("visudo -c");
}
