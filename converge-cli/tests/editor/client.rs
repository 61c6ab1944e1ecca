//! A test client of the Language Server Protocol.

use std::collections::VecDeque;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// The timeout of the server, which only a hang exceeds.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Client {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that arrived while another one was awaited.
    kept: VecDeque<Value>,
    folder: TempDir,
    last_id: i64,
}

impl Client {
    /// Starts a server in a folder with these files, without initializing it.
    pub(crate) fn start(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_converge"))
            .args(["lsp", "--stdio"])
            .current_dir(folder.path())
            .env("CONVERGE_CACHE_DIR", folder.path().join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = server.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = server.stdin.take();
        Self { server, input, messages, kept: VecDeque::new(), folder, last_id: 0 }
    }

    /// Starts a server and initializes the session.
    pub(crate) fn begin(files: &[(&str, &str)]) -> Self {
        Self::begin_with(files, &json!({}))
    }

    pub(crate) fn begin_with(files: &[(&str, &str)], capabilities: &Value) -> Self {
        let mut client = Self::start(files);
        let folder = json!([{ "uri": client.uri(""), "name": "modules" }]);
        client.request("initialize", &json!({ "capabilities": capabilities, "workspaceFolders": folder }));
        client.notify("initialized", &json!({}));
        client
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    /// Sends raw bytes.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        // A server that has ended reads nothing.
        drop(self.input.as_mut().unwrap().write_all(bytes));
        drop(self.input.as_mut().unwrap().flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> i64 {
        self.last_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }));
        self.last_id
    }

    /// Returns the next message that matches; the others are kept.
    pub(crate) fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(position) = self.kept.iter().position(&is_it) {
            return self.kept.remove(position).unwrap();
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server answers");
            if is_it(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    pub(crate) fn answer(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// Sends a request and waits for the result.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method} {params}: {answer}");
        answer["result"].clone()
    }

    pub(crate) fn open(&mut self, name: &str, text: &str) {
        let document = json!({ "uri": self.uri(name), "languageId": "hcl", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    /// Opens a text that marks a position by `$0`, and returns the request parameters for it.
    pub(crate) fn open_at(&mut self, name: &str, fixture: &str) -> Value {
        let offset = fixture.find("$0").expect("a fixture has a place");
        self.open(name, &fixture.replacen("$0", "", 1));
        let before = &fixture[..offset];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let character = before[start..].encode_utf16().count();
        json!({
            "textDocument": { "uri": self.uri(name) },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true },
        })
    }

    /// Replaces a range of a document.
    pub(crate) fn change(&mut self, name: &str, version: i64, range: &Value, text: &str) {
        let change = json!({ "range": range, "text": text });
        let document = json!({ "uri": self.uri(name), "version": version });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [change] }),
        );
    }

    /// Waits for the problems of a version of a document.
    pub(crate) fn problems(&mut self, name: &str, version: i64) -> Vec<Value> {
        let uri = self.uri(name);
        let message = self.wait(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Closes the input, as an editor that crashes does, and returns the exit code and standard error.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let mut output = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut output).unwrap();
        (self.server.wait().unwrap().code(), output)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// Reads the next message of the server.
fn read(output: &mut impl std::io::BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.by_ref().read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => length = header.strip_prefix("Content-Length: ")?.parse().ok()?,
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).unwrap())
}

/// Returns the range between two positions, given by line and column.
pub(crate) fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let place = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": place(start), "end": place(end) })
}

/// Applies edits that do not overlap; columns are counted in UTF-16.
pub(crate) fn edited(text: &str, edits: &Value) -> String {
    let offset = |place: &Value| {
        let line = usize::try_from(place["line"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut left = place["character"].as_u64().unwrap();
        let position = text[start..].char_indices().find(|(_, c)| {
            let is_there = left == 0;
            left = left.saturating_sub(c.len_utf16() as u64);
            is_there
        });
        position.map_or(text.len(), |(at, _)| start + at)
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

impl Client {
    /// Returns the oldest problems that arrived while another message was awaited.
    pub(crate) fn kept_problems(&mut self) -> Option<Value> {
        let position =
            self.kept.iter().position(|message| message["method"] == "textDocument/publishDiagnostics")?;
        self.kept.remove(position)
    }
}
