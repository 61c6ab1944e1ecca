//! Tests of special files wherever the command takes a file.
//!
//! The error names the kind of file, and nothing waits.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use converge_tests::{Said, converge, is_root, skip};
use tempfile::TempDir;

use crate::run::private;

/// The timeout of the test in seconds.
///
/// It does not affect the result: a wait for a pipe would last forever.
const GUARD: &str = "60";

/// A file that would block or never ends.
struct Special {
    folder: TempDir,
    is: &'static str,
    /// The socket, which is closed at the end of the test.
    _listener: Option<UnixListener>,
}

impl Special {
    fn new(is: &'static str) -> Option<Self> {
        let folder = private();
        let path = folder.path().join("special.hcl");
        let mut listener = None;
        let succeeds = |command: &mut Command| command.status().unwrap().success();
        match is {
            "a named pipe" => assert!(succeeds(Command::new("mkfifo").arg(&path))),
            "a socket" => listener = Some(UnixListener::bind(&path).unwrap()),
            // A device with endless zeros.
            _ if !is_root() || !succeeds(Command::new("mknod").arg(&path).args(["c", "1", "5"])) => {
                skip("devices are no files", "a device cannot be made here");
                return None;
            }
            _ => {}
        }
        Some(Self { folder, is, _listener: listener })
    }

    fn path(&self) -> String {
        self.folder.path().join("special.hcl").display().to_string()
    }

    /// Runs `converge` in the folder.
    fn run(&self, arguments: &[&str]) -> Said {
        let converge = converge(arguments);
        let mut guarded = Command::new("timeout");
        guarded.arg(GUARD).arg(converge.get_program()).args(converge.get_args());
        for (name, value) in converge.get_envs() {
            match value {
                Some(value) => guarded.env(name, value),
                None => guarded.env_remove(name),
            };
        }
        guarded.current_dir(self.folder.path()).stdin(std::process::Stdio::null());
        guarded.output().unwrap().into()
    }

    /// Asserts that a command fails and names the path and the kind of file.
    fn refuses(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        let everything = output.everything();
        assert!(output.code == Some(1), "{} {arguments:?}: {:?} {everything}", self.is, output.code);
        assert!(
            everything.contains(self.is) && everything.contains("special.hcl"),
            "{arguments:?}: {everything}"
        );
    }

    /// Asserts that a plan and an apply of a module refuse the file.
    fn refuses_in(&self, module: &str) {
        let path = self.folder.path().join("module.hcl");
        fs::write(&path, module.replace("SPECIAL", &self.path())).unwrap();
        let path = path.display().to_string();
        for command in ["plan", "apply"] {
            self.refuses(&[command, &path]);
        }
    }

    fn is_untouched(&self) {
        use std::os::unix::fs::FileTypeExt as _;

        let file_type = fs::symlink_metadata(self.folder.path().join("special.hcl")).unwrap().file_type();
        assert!(file_type.is_fifo() || file_type.is_socket() || file_type.is_char_device(), "{file_type:?}");
    }
}

fn each(check: impl Fn(&Special)) {
    for is in ["a named pipe", "a socket", "a character device"] {
        if let Some(special) = Special::new(is) {
            check(&special);
            special.is_untouched();
        }
    }
}

#[test]
fn as_a_destination() {
    each(|special| {
        for extra in ["", "mode = \"0644\"", "backup = true", "validate = \"true {}\""] {
            let module = "file.content \"c\" {\n  destination = \"SPECIAL\"\n  content = \"x\"\n  MORE\n}\n";
            special.refuses_in(&module.replace("MORE", extra));
        }
        fs::write(special.folder.path().join("source"), "x").unwrap();
        let source = special.folder.path().join("source").display().to_string();
        special.refuses_in(&format!(
            "file.fetch \"f\" {{\n  destination = \"SPECIAL\"\n  source = {source:?}\n  force = true\n}}\n"
        ));
    });
}

#[test]
fn as_a_directory() {
    each(|special| {
        let path = special.folder.path().join("module.hcl");
        let check = |module: &str| {
            fs::write(&path, module.replace("SPECIAL", &special.path())).unwrap();
            for command in ["plan", "apply"] {
                let output = special.run(&[command, &path.display().to_string()]);
                let everything = output.everything();
                assert_eq!(output.code, Some(1), "{everything}");
                assert!(
                    everything.contains("directory") && everything.contains("special.hcl"),
                    "{everything}"
                );
            }
        };
        check("file.directory \"d\" {\n  destination = \"SPECIAL\"\n}\n");
        check("file.content \"c\" {\n  destination = \"SPECIAL/file\"\n}\n");
        check("unarchive \"u\" {\n  destination = \"SPECIAL\"\n  source = \"/nowhere\"\n}\n");
    });
}

#[test]
fn as_a_source() {
    each(|special| {
        let folder = special.folder.path();
        fs::create_dir(folder.join("directory")).unwrap();
        fs::write(folder.join("there"), "x").unwrap();
        for (resource, destination) in
            [("file.fetch", "new"), ("file.fetch", "there"), ("unarchive", "directory")]
        {
            let destination = folder.join(destination).display().to_string();
            special.refuses_in(&format!(
                "{resource} \"r\" {{\n  destination = {destination:?}\n  source = \"SPECIAL\"\n  force = true\n}}\n"
            ));
        }
        assert_eq!(fs::read(folder.join("there")).unwrap(), b"x");
        assert!(!folder.join("new").exists());
    });
}

#[test]
fn as_a_module() {
    each(|special| {
        let path = special.path();
        for command in ["plan", "apply", "validate", "graph", "healthcheck", "fmt"] {
            special.refuses(&[command, &path]);
        }
        special.refuses(&["fmt", "--check", &path]);
        special.refuses(&["explain", "task.a", &path]);
        // A symbolic link and a URL give the same error.
        let link = special.folder.path().join("link.hcl");
        std::os::unix::fs::symlink("special.hcl", &link).unwrap();
        let output = special.run(&["plan", &link.display().to_string()]);
        assert!(
            output.code == Some(1) && output.everything().contains(special.is),
            "{}",
            output.everything()
        );
        special.refuses(&["plan", &format!("file://{path}")]);
        special.refuses_in("module \"SPECIAL\" \"m\" {}\n");
    });
}

/// Special files in a folder of modules are ignored without waiting.
#[test]
fn in_a_folder_of_modules() {
    each(|special| {
        let folder = special.folder.path();
        fs::write(folder.join("good.hcl"), "param \"p\" { default = 1 }\n").unwrap();
        for command in [&["validate"][..], &["fmt"], &["fmt", "--check"]] {
            let output = special.run(&[command, &[&*folder.display().to_string()]].concat());
            assert!(output.code == Some(0), "{command:?}: {:?} {}", output.code, output.everything());
        }
    });
}

#[test]
fn as_a_file_of_parameters() {
    each(|special| {
        let module = special.folder.path().join("module.hcl");
        fs::write(&module, "param \"p\" { default = 1 }\n").unwrap();
        let module = module.display().to_string();
        for command in ["plan", "apply", "validate", "graph"] {
            special.refuses(&[command, "--params-file", &special.path(), &module]);
        }
    });
}

#[test]
fn as_what_a_function_reads() {
    each(|special| {
        for call in ["file(\"SPECIAL\")", "templatefile(\"SPECIAL\", {})"] {
            special.refuses_in(&format!("param \"p\" {{\n  default = {call}\n}}\n"));
        }
    });
}

#[test]
fn as_a_state_or_a_cache() {
    each(|special| {
        let module = special.folder.path().join("module.hcl");
        fs::write(&module, "task \"t\" {\n  check = \"true\"\n  apply = \"true\"\n}\n").unwrap();
        let module = module.display().to_string();
        let output = special.run(&["apply", "--state-dir", &special.path(), &module]);
        assert!(
            output.code == Some(1) && output.everything().contains("special.hcl"),
            "{}",
            output.everything()
        );
        let output = special.run(&["plan", "--cache-dir", &special.path(), &module]);
        assert!(
            output.code == Some(0) && output.everything().contains("special.hcl"),
            "{}",
            output.everything()
        );
    });
}

/// The owner and mode of a special file can be managed like those of any file.
#[test]
fn its_attributes_are_managed() {
    each(|special| {
        let path = special.folder.path().join("module.hcl");
        let module = "file.mode \"m\" {\n  destination = \"SPECIAL\"\n  mode = \"0640\"\n}\n";
        fs::write(&path, module.replace("SPECIAL", &special.path())).unwrap();
        let path = path.display().to_string();
        special.run(&["apply", &path]).success();
        assert_eq!(mode(Path::new(&special.path())), 0o640);
    });
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::MetadataExt as _;

    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}
