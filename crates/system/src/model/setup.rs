//! Methods to set up a model host in a test.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::chance::Chance;
use super::http::Service;
use super::peer::{Speaker, SpeakerListener};
use super::script::Script;
use super::{Disk, HostState, HttpCall, HttpReply, Machine, ModelSystem, Page, machine};
use crate::types::limits::Limits;
use crate::{Address, Command, Group, Method, Output, Platform, Url};

impl ModelSystem {
    /// Changes the machine directly.
    ///
    /// No effect is recorded.
    pub fn with(self, change: impl FnOnce(&mut Machine)) -> Self {
        change(&mut self.lock().machine);
        self
    }

    /// Adds a file with mode `0644`, owned by root.
    ///
    /// Missing directories are created.
    pub fn with_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.with(|machine| machine.put_file(path, content))
    }

    /// Adds a directory with mode `0755`, owned by root.
    ///
    /// Missing parents are created.
    pub fn with_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| machine.put_dir(path))
    }

    /// Adds a symbolic link.
    ///
    /// Missing directories are created.
    pub fn with_symlink(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.with(|machine| machine.put_symlink(path, target))
    }

    /// Adds a further name of the file at `existing`.
    ///
    /// Missing directories are created.
    pub fn with_hard_link(self, path: impl AsRef<Path>, existing: impl AsRef<Path>) -> Self {
        self.with(|machine| machine.put_hard_link(path, existing))
    }

    /// Sets the permission bits of the file at `path`.
    pub fn with_mode(self, path: impl AsRef<Path>, mode: u32) -> Self {
        self.with(|machine| machine.put_mode(path, mode))
    }

    /// Sets the owner and group of the file at `path`.
    pub fn with_owner(self, path: impl AsRef<Path>, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_owner(path, uid, gid))
    }

    /// Adds a user with a home in `/home` and the shell `/bin/sh`.
    pub fn with_user(self, name: &str, uid: u32, gid: u32) -> Self {
        self.with(|machine| machine.put_user(machine::user(name, uid, gid)))
    }

    /// Adds a group without members.
    pub fn with_group(self, name: &str, gid: u32) -> Self {
        self.with(|machine| machine.put_group(Group { name: name.to_owned(), gid, members: Vec::new() }))
    }

    /// Adds a listener at an address.
    pub fn with_listener(self, address: Address) -> Self {
        self.with(|machine| machine.put_listener(address))
    }

    /// Adds a page at a URL, without further headers.
    pub fn with_url(self, url: &str, content: impl Into<Vec<u8>>) -> Self {
        self.with_page(url, Page::new(content))
    }

    /// Adds a page at a URL.
    pub fn with_page(self, url: &str, page: Page) -> Self {
        self.with(|machine| machine.put_page(url, page))
    }

    /// Adds a fixed reply to a method at exactly this URL.
    ///
    /// Each request is an effect, unless the method [is safe](Method::is_safe).
    ///
    /// # Panics
    ///
    /// If the URL is invalid.
    pub fn with_reply(self, method: Method, url: &str, reply: HttpReply) -> Self {
        let url = parsed(url);
        self.with_http(Service::Fixed { method, url, reply })
    }

    /// Adds a service that answers all requests below a URL with a function.
    ///
    /// The state of the service is part of the machine, for instance as [facts](Machine::put_fact). A request
    /// is an effect if it changes the machine. `None` is a 404. The function must not use the model itself,
    /// which is locked meanwhile.
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
    /// If the URL is invalid.
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

    /// Adds a listener that speaks HTTP over a [connection](crate::Network::connect).
    ///
    /// The listener is for clients with their own HTTP implementation, such as that of the Docker engine. The
    /// services and pages below `base` answer the requests.
    ///
    /// # Panics
    ///
    /// If the URL is invalid.
    pub fn with_http_listener(mut self, address: Address, base: &str) -> Self {
        self.http_listeners.push((address.clone(), parsed(base)));
        self.with_listener(address)
    }

    /// Adds a listener with a protocol of its own; see [`Speaker`].
    ///
    /// `begin` creates one for each connection.
    pub fn with_speaker(
        mut self,
        address: Address,
        begin: impl Fn() -> Box<dyn Speaker> + Send + Sync + 'static,
    ) -> Self {
        self.speaker_listeners.push(SpeakerListener { at: address.clone(), begin: Arc::new(begin) });
        self.with_listener(address)
    }

    /// Makes a host of the network fail; see [`Machine::put_host`].
    pub fn with_host(self, host: &str, state: HostState) -> Self {
        self.with(|machine| machine.put_host(host, state))
    }

    /// Adds a full or read-only disk for all files below a path; see [`Machine::put_disk`].
    pub fn with_disk(self, path: impl AsRef<Path>, disk: Disk) -> Self {
        self.with(|machine| machine.put_disk(path, disk))
    }

    /// Adds a file that cannot be replaced; see [`Machine::put_mounted_file`].
    pub fn with_mounted_file(self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) -> Self {
        self.with(|machine| machine.put_mounted_file(path, content))
    }

    /// Sets the seed of the random numbers.
    ///
    /// The default is 0.
    ///
    /// The sequence starts again after a [`restart`](Self::restart).
    pub fn with_seed(self, seed: u64) -> Self {
        self.lock().chance = Chance::new(seed);
        self
    }

    /// Sets the start of relative paths, and creates the directory if it is missing.
    ///
    /// See [`LocalSystemBuilder::working_dir`](crate::LocalSystemBuilder::working_dir).
    pub fn with_working_dir(self, path: impl AsRef<Path>) -> Self {
        self.with(|machine| {
            machine.put_dir(&path);
            machine.tree.work_in(Path::new("/").join(&path));
        })
    }

    /// Limits the size of each file that is written from now on.
    ///
    /// See [`LocalSystemBuilder::file_size_limit`](crate::LocalSystemBuilder::file_size_limit).
    pub fn with_file_size_limit(self, bytes: u64) -> Self {
        self.lock().file_size_limit = Some(bytes);
        self
    }

    /// Limits the output that is kept of each stream of a program.
    ///
    /// See [`LocalSystemBuilder::output_limit`](crate::LocalSystemBuilder::output_limit). The errors
    /// are the same.
    pub fn with_output_limit(self, bytes: usize) -> Self {
        self.lock().output_limit = Some(bytes);
        self
    }

    /// Sets the limits on output and file size.
    ///
    /// See [`LocalSystemBuilder::limits`](crate::LocalSystemBuilder::limits).
    pub fn with_limits(self, limits: &Limits) -> Self {
        self.with_output_limit(limits.output).with_file_size_limit(limits.file)
    }

    /// Sets an environment variable.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Replaces the platform.
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Adds a fixed result for a program with exactly these arguments.
    ///
    /// Each run is an effect.
    pub fn with_command<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, true))
    }

    /// Adds a fixed result for a program with exactly these arguments that only reads.
    ///
    /// No run is an effect.
    pub fn with_query<S: Into<String>>(self, line: impl IntoIterator<Item = S>, output: Output) -> Self {
        self.with_script(Script::line(line, output, false))
    }

    /// Adds a function that simulates programs which change the machine.
    ///
    /// The function returns `None` for programs that it does not know. A run is an effect if it changes the
    /// machine. The function must not use the model itself, which is locked meanwhile.
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

#[expect(clippy::expect_used, reason = "that is how a test fails")]
fn parsed(url: &str) -> Url {
    url.parse().expect("a URL")
}
