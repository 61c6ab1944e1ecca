//! Tests of a local system that is restricted to a part of the machine.
//!
//! The tests cover its files and the rights of its programs.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test, which looks at the real machine"
)]

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::{env, fs};

use converge_core::system::{
    Address, Command, CommitFile, Exit, Follow, KeepOutput, LocalSystem, LocalSystemBuilder, Output, RunAs,
    System, SystemErrorKind, WriteFile,
};

/// The environment variable that is set in a separate process for one test.
const CANARY: &str = "TENANT_CANARY";

fn is_root(test: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root && let Some(report) = env::var_os("CONVERGE_TEST_SKIP_REPORT") {
        let mut report = fs::File::options().append(true).create(true).open(report).unwrap();
        writeln!(report, "{test}: not root").unwrap();
    }
    root
}

fn sh(script: &str) -> Command {
    Command::new("sh").args(["-c", script])
}

async fn run(system: &dyn System, command: Command) -> Output {
    system.processes().run(command).await.unwrap()
}

async fn said(system: &dyn System, script: &str) -> String {
    let output = run(system, sh(script)).await;
    assert_eq!(output.exit, Exit::Code(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A directory that is the root of a system, beside a file outside that root.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        fs::set_permissions(place.0.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(place.root().join("home/app")).unwrap();
        fs::write(place.outside(), "outside").unwrap();
        fs::write(place.root().join("inside"), "inside").unwrap();
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.0.path().join("outside")
    }

    fn tenant(&self) -> LocalSystemBuilder {
        LocalSystem::builder().root(self.root())
    }

    fn link(&self, target: impl AsRef<Path>, path: &str) {
        symlink(target, self.root().join(path)).unwrap();
    }
}

#[tokio::test]
async fn no_path_leads_out_of_the_root() {
    let place = Place::new();
    place.link(place.outside(), "absolute");
    place.link("../outside", "above");
    place.link("/inside", "in");
    place.link("../../../../inside", "home/app/in");
    place.link("../../..", "home/app/top");
    place.link("/proc/self/root", "magic");
    let tenant = place.tenant().build().unwrap();
    let files = tenant.files();
    for path in ["/inside", "inside", "/in", "/home/app/in", "/../inside", "home/app/top/inside", "//inside"]
    {
        let read = files.read(path.as_ref()).await.unwrap();
        assert_eq!(read.map(|file| file.bytes), Some(b"inside".to_vec()), "{path}");
    }
    let outside = place.outside();
    let paths = ["/absolute", "/above", "/../outside", "home/app/top/outside", "magic/inside"];
    for path in paths.iter().map(Path::new).chain([&*outside]) {
        assert_eq!(files.read(path).await, Ok(None), "{path:?}");
        assert_eq!(files.metadata(path, Follow::Links).await, Ok(None), "{path:?}");
        assert!(files.open(path).await.unwrap().is_none(), "{path:?}");
    }
    let app = files.open_dir("/home/app".as_ref()).await.unwrap().unwrap();
    assert_eq!(
        app.open_dir("top".as_ref()).await.err().map(|error| error.kind),
        Some(SystemErrorKind::NotADirectory)
    );
    // A write through a link ends at the target below the root.
    files.write("/above".as_ref(), WriteFile::new(b"mine")).await.unwrap();
    assert_eq!(fs::read_to_string(place.root().join("outside")).unwrap(), "mine");
    files.create_dir("/../new".as_ref(), 0o755).await.unwrap();
    files.rename("/outside".as_ref(), "/new/../../new/file".as_ref()).await.unwrap();
    files.remove_file("/new/file".as_ref()).await.unwrap();
    files.remove_dir("/new".as_ref()).await.unwrap();
    assert_eq!(fs::read_to_string(place.outside()).unwrap(), "outside");
    let names: Vec<_> =
        files.read_dir("/".as_ref()).await.unwrap().into_iter().map(|entry| entry.path).collect();
    let expect = ["/above", "/absolute", "/home", "/in", "/inside", "/magic"];
    assert_eq!(names, expect.map(PathBuf::from));
}

/// Links made by the kernel have no path and could lead anywhere.
#[tokio::test]
async fn what_the_kernel_knows_of_processes_leads_nowhere() {
    let tenant = LocalSystem::builder().root("/proc").build().unwrap();
    for path in ["/self/root/etc/passwd", "/self/cwd", "/self/exe"] {
        let refused = tenant.files().metadata(path.as_ref(), Follow::Links).await.unwrap_err();
        assert_eq!(refused.kind, SystemErrorKind::LinkLoop, "{path}");
    }
}

#[tokio::test]
async fn the_root_stays_the_root_when_its_name_changes() {
    let place = Place::new();
    let tenant = place.tenant().build().unwrap();
    fs::rename(place.root(), place.0.path().join("moved")).unwrap();
    fs::create_dir(place.root()).unwrap();
    let read = tenant.files().read("/inside".as_ref()).await.unwrap();
    assert_eq!(read.map(|file| file.bytes), Some(b"inside".to_vec()));
    let missing = LocalSystem::builder().root("/no/such/directory").build().unwrap_err();
    assert_eq!(missing.to_string(), "cannot use the directory /no/such/directory: it does not exist");
}

#[tokio::test]
async fn relative_paths_and_programs_begin_in_the_working_directory() {
    let place = Place::new();
    let app = place.root().join("home/app");
    let check = async |system: LocalSystem| {
        system.files().write("file".as_ref(), WriteFile::new(b"x")).await.unwrap();
        assert_eq!(fs::read(app.join("file")).unwrap(), b"x");
        assert_eq!(said(&system, "pwd -P; cat file").await, format!("{}\nx", app.display()));
        let mut command = sh("pwd -P");
        command.dir = Some("..".into());
        let parent = String::from_utf8(run(&system, command).await.stdout).unwrap();
        assert_eq!(parent.trim(), app.parent().unwrap().to_str().unwrap());
        let mut command = Command::new("true");
        command.dir = Some("none".into());
        let missing = system.processes().run(command).await.unwrap_err();
        assert_eq!(missing.to_string(), "cannot run a program in none: it does not exist");
        system.files().remove_file("../app/file".as_ref()).await.unwrap();
    };
    check(place.tenant().working_dir("home/app").build().unwrap()).await;
    check(place.tenant().working_dir("/home/../home/app").build().unwrap()).await;
    check(LocalSystem::builder().working_dir(&app).build().unwrap()).await;
}

#[tokio::test]
async fn sockets_are_below_the_root() {
    let place = Place::new();
    let _inside = tokio::net::UnixListener::bind(place.root().join("socket")).unwrap();
    let _outside = tokio::net::UnixListener::bind(place.0.path().join("other")).unwrap();
    place.link(place.0.path().join("other"), "link");
    let tenant = place.tenant().build().unwrap();
    tenant.network().connect(&Address::Unix("/socket".into())).await.map(drop).unwrap();
    let missing = tenant.network().connect(&Address::Unix("/link".into())).await.map(drop).unwrap_err();
    assert_eq!(missing.kind, SystemErrorKind::NotFound);
}

#[tokio::test]
async fn a_tenant_sees_no_variable_of_the_host() {
    let inner = env::var(CANARY).is_ok();
    if !inner {
        let mut child = std::process::Command::new(env::current_exe().unwrap());
        child.args(["--exact", "a_tenant_sees_no_variable_of_the_host"]).env(CANARY, "hunter2");
        assert!(child.status().unwrap().success());
        return;
    }
    let host_system = LocalSystem::new();
    assert_eq!(host_system.env(CANARY).as_deref(), Some("hunter2"));
    assert!(said(&host_system, "env").await.contains("hunter2"), "otherwise this shows nothing");
    let tenants = [
        LocalSystem::builder().clear_env(),
        LocalSystem::builder().clear_env().umask(0o22).file_size_limit(1 << 20),
    ];
    for tenant in tenants {
        let tenant = tenant.env("PATH", "/usr/bin:/bin").env("CHOSEN", "yes").build().unwrap();
        assert_eq!((tenant.env(CANARY), tenant.env("HOME")), (None, None));
        assert_eq!(tenant.env("CHOSEN").as_deref(), Some("yes"));
        let mut command = Command::new("env");
        command.env.insert("GIVEN".into(), "also".into());
        let printed = String::from_utf8(run(&tenant, command).await.stdout).unwrap();
        let mut lines: Vec<_> = printed.lines().filter(|line| !line.starts_with("PWD=")).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["CHOSEN=yes", "GIVEN=also", "PATH=/usr/bin:/bin"]);
    }
    // An explicit variable hides the one of the process.
    let second_system = LocalSystem::builder().env(CANARY, "other").build().unwrap();
    assert_eq!(said(&second_system, &format!("echo ${CANARY}")).await, "other\n");
}

#[tokio::test]
async fn programs_run_as_the_user_and_files_do_not() {
    if !is_root("programs of another user") {
        return;
    }
    let place = Place::new();
    fs::set_permissions(place.root().join("home/app"), fs::Permissions::from_mode(0o777)).unwrap();
    let groups = |pid: &str| {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let lines = status
            .lines()
            .filter(|line| ["Uid:", "Gid:", "Groups:"].contains(&line.split('\t').next().unwrap()));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = groups("self");
    for limits in [LocalSystem::builder(), LocalSystem::builder().umask(0o77)] {
        let nobody = limits.run_as("nobody").working_dir(place.root().join("home/app")).build().unwrap();
        let ids = said(
            &nobody,
            "id -u; id -ru; id -g; id -G; echo $HOME $USER $LOGNAME; touch made; cat /proc/self/status",
        )
        .await;
        let user = nix::unistd::User::from_name("nobody").unwrap().unwrap();
        let (uid, gid) = (user.uid, user.gid);
        let expect = format!("{uid}\n{uid}\n{gid}\n{gid}\n{} nobody nobody\n", user.dir.display());
        assert!(ids.starts_with(&expect), "{ids}");
        assert!(ids.contains(&format!("\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n")), "{ids}");
        assert!(ids.contains(&format!("\nGid:\t{gid}\t{gid}\t{gid}\t{gid}\n")), "{ids}");
        assert!(ids.contains("\nCapEff:\t0000000000000000\n"), "{ids}");
        let refused = run(&nobody, sh("cat /etc/shadow")).await;
        assert_eq!((refused.exit, refused.stdout), (Exit::Code(1), Vec::new()));
        // The program cannot become root again.
        assert_ne!(
            run(&nobody, Command::new("setpriv").args(["--reuid", "0", "true"])).await.exit,
            Exit::Code(0)
        );
        nobody.files().write("written".as_ref(), WriteFile::new(b"")).await.unwrap();
        let owner = async |name: &str| {
            nobody.files().metadata(name.as_ref(), Follow::Links).await.unwrap().unwrap().uid
        };
        assert_eq!((owner("made").await, owner("written").await), (uid.as_raw(), 0));
        nobody.files().remove_file("made".as_ref()).await.unwrap();
    }
    assert_eq!(groups("self"), before, "this process is who it was");
    let missing = LocalSystem::builder().run_as("no such user").build().unwrap_err();
    assert_eq!(missing.to_string(), "cannot run programs as no such user: it does not exist");
    // A program that cannot be started reports an error and leaves nothing behind.
    let nobody = LocalSystem::builder().run_as("nobody").env("PATH", "/usr/bin:/bin").build().unwrap();
    let error = nobody.processes().run(Command::new("no-such-program")).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot run no-such-program: it does not exist");
}

fn as_user(name: &str, groups: &[u32], script: &str) -> Command {
    let user = nix::unistd::User::from_name(name).unwrap().unwrap();
    let (uid, gid) = (user.uid.as_raw(), user.gid.as_raw());
    let mut command = sh(script);
    command.clear_env = true;
    command.dir = Some("/".into());
    command.run_as = Some(RunAs { name: name.to_owned(), uid, gid, groups: groups.to_vec() });
    command
}

#[tokio::test]
async fn one_program_runs_as_another_user() {
    if !is_root("one program of another user") {
        return;
    }
    let place = Place::new();
    let local = LocalSystem::new();
    let read = async |command: Command| String::from_utf8(run(&local, command).await.stdout).unwrap();
    let user = nix::unistd::User::from_name("nobody").unwrap().unwrap();
    let (uid, gid) = (user.uid.as_raw(), user.gid.as_raw());
    let script = "id -u; id -ru; id -g; id -G; env | cut -d= -f1 | sort | tr '\n' ' '";
    let expect = format!("{uid}\n{uid}\n{gid}\n{gid} 53225\nPWD ");
    let output = read(as_user("nobody", &[53_225], script)).await;
    assert!(output.starts_with(&expect), "{output}");
    assert!(!output.contains("CARGO"), "{output}");
    let mut as_nobody = as_user("nobody", &[], "echo $A $HOME");
    as_nobody.env.insert("A".to_owned(), "b".to_owned());
    assert_eq!(read(as_nobody).await, "b\n");
    // Files opened by this process are not open in the program; all programs inherit what this process was
    // started with.
    let _held = fs::File::open("/etc/shadow").unwrap();
    let open = "for fd in /proc/self/fd/*; do readlink $fd; done | grep -c shadow";
    assert_eq!(read(as_user("nobody", &[], open)).await, "0\n");
    let count = "ls /proc/self/fd";
    assert_eq!(read(as_user("nobody", &[], count)).await, read(sh(count)).await);
    let refused = run(&local, as_user("nobody", &[], "cat /etc/shadow; kill -0 $PPID")).await;
    assert_ne!(refused.exit, Exit::Code(0));
    // The next program runs as the original user again.
    assert_eq!(read(sh("id -u")).await, "0\n");
    let dir = place.0.path().join("closed");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).unwrap();
    let mut outside = as_user("nobody", &[], "true");
    outside.dir = Some(dir.clone());
    assert_eq!(
        local.processes().run(outside).await.unwrap_err().to_string(),
        format!("cannot run sh: nobody may not run it, or may not enter {}", dir.display())
    );
}

#[tokio::test]
async fn a_tenant_runs_programs_as_nobody_else() {
    if !is_root("a tenant that asks for another user") {
        return;
    }
    let tenant = LocalSystem::builder().run_as("nobody").build().unwrap();
    for name in ["root", "daemon"] {
        let error = tenant.processes().run(as_user(name, &[0], "true")).await.unwrap_err();
        let expect =
            format!("cannot run sh: programs run as the user nobody here, and as no other, such as {name}");
        assert_eq!(error.to_string(), expect);
    }
}

/// The program would change its user, but its process lacks the privilege.
#[tokio::test]
async fn without_the_privilege_it_is_refused() {
    const INSIDE: &str = "TENANT_UNPRIVILEGED";
    if env::var_os(INSIDE).is_some() {
        let uid = nix::unistd::geteuid().as_raw();
        let gid = nix::unistd::getegid().as_raw();
        let groups: Vec<u32> =
            nix::unistd::getgroups().unwrap().into_iter().map(nix::unistd::Gid::as_raw).collect();
        let mut command = sh("id -u");
        command.run_as = Some(RunAs { name: "me".to_owned(), uid, gid, groups });
        // Switching to the current user is allowed.
        assert_eq!(run(&LocalSystem::new(), command.clone()).await.stdout, format!("{uid}\n").as_bytes());
        command.run_as = Some(RunAs { name: "root".to_owned(), uid: 0, gid: 0, groups: vec![] });
        let error = LocalSystem::new().processes().run(command).await.unwrap_err().to_string();
        let expect = "cannot run sh: only root, or a process with CAP_SETUID and CAP_SETGID, may run it as the user root";
        assert_eq!(error, expect);
        return;
    }
    if !is_root("a program that may not become another user") {
        return;
    }
    let place = Place::new();
    let copy = place.0.path().join("tests");
    fs::copy(env::current_exe().unwrap(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = sh(&format!("exec {} --exact without_the_privilege_it_is_refused", copy.display()));
    command.env.insert(INSIDE.to_owned(), "1".to_owned());
    let nobody = LocalSystem::builder().run_as("nobody").working_dir("/").build().unwrap();
    let output = run(&nobody, command).await;
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.exit, Exit::Code(0), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("1 passed"), "{stdout}");
}

/// A program of another user could otherwise open the terminal of this process as `/dev/tty`.
#[tokio::test]
async fn a_program_of_another_user_has_no_terminal_of_ours() {
    const INSIDE: &str = "TENANT_TERMINAL";
    let script = "if (: </dev/tty) 2>/dev/null; then echo open; else echo none; fi";
    if env::var_os(INSIDE).is_some() {
        let local = LocalSystem::new();
        assert_eq!(said(&local, script).await, "open\n", "there is one");
        let output = run(&local, as_user("nobody", &[], script)).await;
        assert_eq!(String::from_utf8_lossy(&output.stdout), "none\n");
        // The program is killed with its children, although it has its own session.
        let mut slow = as_user("nobody", &[], "sleep 543217 & sleep 543217");
        slow.timeout = Some(std::time::Duration::from_millis(300));
        assert_eq!(run(&local, slow).await.exit, Exit::TimedOut);
        // A killed process stays visible for a moment.
        let began = std::time::Instant::now();
        loop {
            let left = said(&local, "pgrep -f '[s]leep 543217' || true").await;
            if left.is_empty() {
                return;
            }
            assert!(began.elapsed() < std::time::Duration::from_mins(1), "left: {left}");
        }
    }
    if !is_root("a program of another user without a terminal") {
        return;
    }
    let line = format!(
        "{} --exact a_program_of_another_user_has_no_terminal_of_ours",
        env::current_exe().unwrap().display()
    );
    // `script` gives a program a terminal.
    let mut command = Command::new("script").args(["-qec", &line, "/dev/null"]);
    command.env.insert(INSIDE.to_owned(), "1".to_owned());
    let output = run(&LocalSystem::new(), command).await;
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.exit, Exit::Code(0), "{stdout}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}

#[tokio::test]
async fn the_umask_is_that_of_programs() {
    let place = Place::new();
    let tenant = place.tenant().umask(0o027).build().unwrap();
    assert_eq!(said(&tenant, "umask; touch made").await, "0027\n");
    let write = WriteFile { mode: Some(0o666), ..WriteFile::new(b"") };
    tenant.files().write("written".as_ref(), write).await.unwrap();
    let mode = |name: &str| fs::metadata(place.root().join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("made"), mode("written")), (0o640, 0o666));
}

#[tokio::test]
async fn output_is_limited() {
    let tenant = LocalSystem::builder().output_limit(8).build().unwrap();
    let run_limited = async |script: &str| {
        let mut command = sh(script);
        command.keep = KeepOutput::Ends;
        String::from_utf8(run(&tenant, command).await.stdout).unwrap()
    };
    assert_eq!(run_limited("printf 12345678").await, "12345678");
    assert_eq!(run_limited("printf 123456789").await, "1234\n[.. 1 bytes are left out here ..]\n6789");
    assert_eq!(said(&tenant, "printf 12345678").await, "12345678");
    let refused = tenant.processes().run(sh("printf 123456789")).await.unwrap_err();
    assert_eq!(refused.kind, SystemErrorKind::TooMuchOutput(8));
}

#[tokio::test]
async fn files_are_limited() {
    let place = Place::new();
    let tenant = place.tenant().file_size_limit(1024).build().unwrap();
    let files = tenant.files();
    let refused = format!("cannot write /file: {}", SystemErrorKind::FileTooLarge(1024));
    let write = files.write("/file".as_ref(), WriteFile::new(&[b'x'; 1025])).await;
    assert_eq!(write.unwrap_err().to_string(), refused);
    let mut staged = files.stage("/file".as_ref()).await.unwrap();
    staged.write(&[b'x'; 1024]).await.unwrap();
    assert_eq!(staged.write(b"x").await.unwrap_err().to_string(), refused);
    staged.commit(CommitFile::default()).await.unwrap_err();
    assert_eq!(files.metadata("/file".as_ref(), Follow::Never).await, Ok(None));
    files.write("/file".as_ref(), WriteFile::new(&[b'x'; 1024])).await.unwrap();
    // The limit also holds for programs and for their children.
    let script = "head -c 1025 /dev/zero > made";
    assert_eq!(
        run(&tenant, Command::new("dd").args(["if=/dev/zero", "of=made", "bs=1025", "count=1"])).await.exit,
        Exit::Signal(25)
    );
    assert_ne!(run(&tenant, sh(&format!("({script})"))).await.exit, Exit::Code(0));
    assert_ne!(run(&tenant, sh(&format!("ulimit -f unlimited; {script}"))).await.exit, Exit::Code(0));
    assert_eq!(fs::metadata(place.root().join("made")).unwrap().len(), 1024);
    said(&tenant, "head -c 1024 /dev/zero > made").await;
}

#[tokio::test]
async fn a_program_behind_limits_is_started_as_any_other() {
    let tenant = LocalSystem::builder().umask(0o22).build().unwrap();
    let words = ["a b", "$HOME", "'", "-c", ""];
    let printed = run(&tenant, Command::new("printf").arg("<%s>").args(words)).await;
    assert_eq!(printed, Output::success("<a b><$HOME><'><-c><>"));
    for (program, message) in [
        ("no-such-program", "cannot run no-such-program: it does not exist"),
        ("/no/such/program", "cannot run /no/such/program: it does not exist"),
        ("/etc/passwd", "cannot run /etc/passwd: permission denied"),
    ] {
        let refused = tenant.processes().run(Command::new(program)).await.unwrap_err();
        assert_eq!(refused.to_string(), message);
    }
    let mut loads = Command::new("true");
    loads.env.insert("LD_PRELOAD".into(), "/tmp/mine.so".into());
    assert_eq!(
        tenant.processes().run(loads).await.unwrap_err().to_string(),
        "cannot run true: with a umask or a limit of file sizes it cannot be given the variable LD_PRELOAD"
    );
}
