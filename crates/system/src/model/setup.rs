//! How a test sets up a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chance::Chance;
use super::http::Service;
use super::peer::{Speaker, Speaks};
use super::script::Script;
use super::{Disk, HostState, HttpCall, HttpReply, Machine, ModelSystem, Page, machine};
use crate::types::limits::Limits;
use crate::{Address, Command, Group, Method, Output, Platform, Url};

impl ModelSystem {
    /// Changes the machine by hand. No effect is recorded.
    pub fn with(self, change: impl FnOnce(&mut Machine)) -> Self {
        change(&mut self.lock().machine);
        self
    }

    /// With a file of mode `0644` that belongs to root; missing directories are made.
    pub fn with_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.with(|machine| machine.put_file(path, content))
    }

    /// With a directory of mode `0755` that belongs to root; missing ones above it are made.
    pub fn with_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| machine.put_dir(path))
    }

    /// With a symbolic link; missing directories are made.
    pub fn with_symlink(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.with(|machine| machine.put_symlink(path, target))
    }

    /// With another name of the file at `existing`; missing directories are made.
    pub fn with_hard_link(self, path: impl AsRef<Path>, existing: impl AsRef<Path>) -> Self {
        self.with(|machine| machine.put_hard_link(path, existing))
    }

    /// With other permission bits for what is at `path`.
    pub fn with_mode(self, path: impl AsRef<Path>, mode: u32) -> Self {
        self.with(|machine| machine.put_mode(path, mode))
    }

    /// With another owner and group for what is at `path`.
    pub fn with_owner(self, path: impl AsRef<Path>, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_owner(path, uid, gid))
    }

    /// With a user whose home is in `/home` and whose shell is `/bin/sh`.
    pub fn with_user(self, name: &str, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_user(machine::user(name, uid, gid)))
    }

    /// With a group that has no members.
    pub fn with_group(self, name: &str, gid: u32) -> Self {
        self.with(|machine| machine.put_group(Group { name: name.to_owned(), gid, members: Vec::new() }))
    }

    /// With a listener at an address.
    pub fn with_listener(self, address: Address) -> Self {
        self.with(|machine| machine.put_listener(address))
    }

    /// With something that can be fetched from a URL, of which the server says no more than what it is.
    pub fn with_url(self, url: &str, content: impl Into<Vec<u8>>) -> Self {
        self.with_page(url, Page::new(content))
    }

    /// With an answer to whoever asks for a URL.
    pub fn with_page(self, url: &str, page: Page) -> Self {
        self.with(|machine| machine.put_page(url, page))
    }

    /// Answers whoever asks this of exactly this URL. Each request is an effect, unless the method [only looks](Method::is_safe).
    ///
    /// # Panics
    ///
    /// When that is no URL.
    pub fn with_reply(self, method: Method, url: &str, reply: HttpReply) -> Self {
        let url = parsed(url);
        self.with_http(Service::Fixed { method, url, reply })
    }

    /// Answers by a function whatever is asked below a URL, for services that have a state: what they know is in the machine, as
    /// [facts](Machine::put_fact) for instance. A request is an effect when the machine is another one after it. What the function
    /// says `None` to is not found. It must not use the model itself, which waits for it.
    ///
    /// ```
    /// use converge_core::system::{HttpReply, Method, ModelSystem};
    ///
    /// ModelSystem::new().with_service("https://music.test/albums/", |asked, machine| {
    ///     let album = asked.url.to_string();
    ///     Some(match asked.method {
    ///         Method::Get => HttpReply::new(200).with_body(machine.fact(&album)?),
    ///         Method::Put if asked.header("authorization") != Some("Bearer let me in") => HttpReply::new(401),
    ///         Method::Put => {
    ///             machine.put_fact(&album, String::from_utf8_lossy(&asked.body));
    ///             HttpReply::new(204)
    ///         }
    ///         _ => HttpReply::new(405),
    ///     })
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// When that is no URL.
    pub fn with_service(
        self,
        below: &str,
        answer: impl Fn(&HttpCall, &mut Machine) -> Option<HttpReply> + Send + Sync + 'static,
    ) -> Self {
        let base = parsed(below);
        self.with_http(Service::Below { base, answer: Box::new(answer) })
    }

    fn with_http(mut self, service: Service) -> Self {
        self.services.push(Arc::new(service));
        self
    }

    /// With a listener that speaks HTTP, for clients that bring their own over a [connection](crate::Network::connect), as that of the Docker
    /// engine does: what it is asked is asked of the services and pages below `base`.
    ///
    /// # Panics
    ///
    /// When that is no URL.
    pub fn with_http_listener(mut self, address: Address, base: &str) -> Self {
        self.speakers.push((address.clone(), parsed(base)));
        self.with_listener(address)
    }

    /// With a listener that speaks a protocol of its own: see [`Speaker`]. `begin` makes one for each connection.
    pub fn with_speaker(
        mut self,
        address: Address,
        begin: impl Fn() -> Box<dyn Speaker> + Send + Sync + 'static,
    ) -> Self {
        self.talkers.push(Speaks { at: address.clone(), begin: Arc::new(begin) });
        self.with_listener(address)
    }

    /// With a host of the network that does something else than to answer: see [`Machine::put_host`].
    pub fn with_host(self, host: &str, state: HostState) -> Self {
        self.with(|machine| machine.put_host(host, state))
    }

    /// With a disk that is full, or cannot be written to, for all below a path: see [`Machine::put_disk`].
    pub fn with_disk(self, path: impl AsRef<Path>, disk: Disk) -> Self {
        self.with(|machine| machine.put_disk(path, disk))
    }

    /// With a file that cannot be replaced: see [`Machine::put_mounted_file`].
    pub fn with_mounted_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.with(|machine| machine.put_mounted_file(path, content))
    }

    /// With other numbers than those that follow from the seed 0 in the place of random ones. They are the same after a
    /// [`restart`](Self::restart).
    pub fn with_seed(self, seed: u64) -> Self {
        self.lock().chance = Chance::new(seed);
        self
    }

    /// With a directory in which relative paths begin, which is made when it is not there: as
    /// [`LocalSystemBuilder::working_dir`](crate::LocalSystemBuilder::working_dir).
    pub fn with_working_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| {
            machine.put_dir(&path);
            machine.tree.work_in(Path::new("/").join(&path));
        })
    }

    /// With a limit for the size of each file that is written from now on: as
    /// [`LocalSystemBuilder::file_size_limit`](crate::LocalSystemBuilder::file_size_limit).
    pub fn with_file_size_limit(self, bytes: u64) -> Self {
        self.lock().file_size_limit = Some(bytes);
        self
    }

    /// With a limit for what is kept of what a program prints, of each of its streams: as
    /// [`LocalSystemBuilder::output_limit`](crate::LocalSystemBuilder::output_limit), with the same refusals.
    pub fn with_output_limit(self, bytes: usize) -> Self {
        self.lock().output_limit = Some(bytes);
        self
    }

    /// With the limits of output and of files that a local system would have: as
    /// [`LocalSystemBuilder::limits`](crate::LocalSystemBuilder::limits).
    pub fn with_limits(self, limits: &Limits) -> Self {
        self.with_output_limit(limits.output).with_file_size_limit(limits.file)
    }

    /// With an environment variable.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With another platform.
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Answers a program with exactly these arguments, and counts each run as an effect.
    pub fn with_command<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, true))
    }

    /// Answers a program with exactly these arguments that only looks: no run of it is an effect.
    pub fn with_query<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, false))
    }

    /// Answers by a function, for programs that change the machine. It says `None` to what is not its
    /// own. A run is an effect when the machine is another one after it. The function must not use the
    /// model itself, which waits for it.
    ///
    /// ```
    /// use converge_core::system::{ModelSystem, Output};
    ///
    /// ModelSystem::new().with_program(|command, machine| {
    ///     let package = command.args.last()?;
    ///     match command.program.as_str() {
    ///         "dpkg" if machine.fact(package).is_some() => Some(Output::success("installed")),
    ///         "dpkg" => Some(Output::failure(1, "not installed")),
    ///         "apt-get" => {
    ///             machine.put_fact(package, "installed");
    ///             Some(Output::success(""))
    ///         }
    ///         _ => None,
    ///     }
    /// });
    /// ```
    pub fn with_program(
        self,
        program: impl Fn(&Command, &mut Machine) -> Option<Output> + Send + Sync + 'static,
    ) -> Self {
        self.with_script(Script::Program(Box::new(program)))
    }

    fn with_script(mut self, script: Script) -> Self {
        self.scripts.push(script);
        self
    }
}

/// The URL that a test wrote.
#[expect(clippy::expect_used, reason = "that is how a test fails")]
fn parsed(url: &str) -> Url {
    url.parse().expect("a URL")
}
