//! Editor latency: a real client of `converge lsp` with a large module.

use std::fmt::{self, Write as _};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{BenchError, at};
use crate::table::median;

/// The number of lines of one block in the module.
const LINES: usize = 5;

/// The number of measurements of each request.
const ROUNDS: usize = 21;

/// The target for an answer.
const AIM: Duration = Duration::from_millis(50);

const STEP: &str = "editor";

/// The column of the parameter name in the line that requests refer to.
const NAME: usize = "  content     = param.us".len();

const URI: &str = "file:///converge-bench/main.hcl";

/// The median and maximum times of the answers, each after a keystroke.
#[derive(Debug)]
pub(crate) struct Editor {
    lines: usize,
    rows: Vec<(&'static str, Duration, Duration)>,
}

/// A client of a language server.
struct Client {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: i64,
}

/// Types into the middle of a module with the given number of lines and sends requests after each key.
pub(crate) fn measure(lines: usize, converge: &Path) -> Result<Editor, BenchError> {
    let (text, line) = module(lines);
    let mut client = Client::start(converge)?;
    let initialize = json!({ "capabilities": {} });
    client.request("initialize", &initialize)?;
    client.notify("initialized", &json!({}))?;
    let document = json!({ "uri": URI, "languageId": "hcl", "version": 0, "text": text });
    client.notify("textDocument/didOpen", &json!({ "textDocument": document }))?;
    client.problems(0)?;
    let position = |character: usize| json!({ "line": line, "character": character });
    let document = || json!({ "uri": URI });
    let requests: [(&'static str, &str, Value); 7] = [
        (
            "completion",
            "textDocument/completion",
            json!({ "textDocument": document(), "position": position(13) }),
        ),
        ("hover", "textDocument/hover", json!({ "textDocument": document(), "position": position(4) })),
        (
            "definition",
            "textDocument/definition",
            json!({ "textDocument": document(), "position": position(NAME) }),
        ),
        (
            "references",
            "textDocument/references",
            json!({ "textDocument": document(), "position": position(NAME), "context": { "includeDeclaration": true } }),
        ),
        (
            "rename",
            "textDocument/rename",
            json!({ "textDocument": document(), "position": position(NAME), "newName": "person" }),
        ),
        ("formatting", "textDocument/formatting", json!({ "textDocument": document(), "options": {} })),
        ("symbols", "textDocument/documentSymbol", json!({ "textDocument": document() })),
    ];
    let mut version = 0;
    let mut rows = Vec::new();
    for (name, method, params) in requests {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            version += 1;
            let start = Instant::now();
            client.key(version, line)?;
            client.request(method, &params)?;
            times.push(start.elapsed());
            // The next key is sent when the server is idle.
            client.problems(version)?;
        }
        rows.push((name, median(times.clone()), times.into_iter().max().unwrap_or_default()));
    }
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        version += 1;
        let start = Instant::now();
        client.key(version, line)?;
        client.problems(version)?;
        times.push(start.elapsed());
    }
    rows.push(("diagnostics", median(times.clone()), times.into_iter().max().unwrap_or_default()));
    client.request("shutdown", &Value::Null)?;
    client.notify("exit", &Value::Null)?;
    client.server.wait().map_err(at_server)?;
    Ok(Editor { lines: text.lines().count(), rows })
}

fn at_server(error: std::io::Error) -> BenchError {
    at(Path::new("converge lsp"))(error)
}

/// Returns a module of the given length, and the index of a middle line that uses a parameter.
fn module(lines: usize) -> (String, usize) {
    let mut text = "param \"user\" {\n  default = \"ada\"\n}\n".to_owned();
    let mut used = 0;
    for number in 0..lines / LINES {
        used = if number == lines / LINES / 2 { text.lines().count() + 2 } else { used };
        let _ = write!(
            text,
            "file.content \"f{number}\" {{\n  destination = \"/srv/{{{{param `user`}}}}/f{number}\"\n  content     = \
             param.user\n}}\n\n"
        );
    }
    (text, used)
}

impl Client {
    fn start(converge: &Path) -> Result<Self, BenchError> {
        let mut server = Command::new(converge)
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(at(converge))?;
        let streams = server.stdin.take().zip(server.stdout.take());
        let (input, output) = streams.ok_or_else(|| BenchError::wrong(STEP, "two streams", "none"))?;
        Ok(Self { server, input, output: BufReader::new(output), last: 0 })
    }

    fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).map_err(at_server)?;
        self.input.flush().map_err(at_server)
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<(), BenchError> {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Types one character into a comment at the end of a line.
    fn key(&mut self, version: i64, line: usize) -> Result<(), BenchError> {
        let end = json!({ "line": line, "character": 1000 });
        let text = if version == 1 { " # x" } else { "x" };
        let change = json!({ "range": { "start": end, "end": end }, "text": text });
        let document = json!({ "uri": URI, "version": version });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [change] }),
        )
    }

    fn read(&mut self) -> Result<Value, BenchError> {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if self.output.read_line(&mut header).map_err(at_server)? == 0 {
                return Err(BenchError::wrong(STEP, "an answer", "the end"));
            }
            match header.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap_or_default(),
                None if header.trim_end().is_empty() => break,
                None => {}
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).map_err(at_server)?;
        serde_json::from_slice(&text).map_err(|error| BenchError::wrong(STEP, "JSON", error.to_string()))
    }

    /// Sends a request and waits for an answer that must not be empty.
    fn request(&mut self, method: &str, params: &Value) -> Result<(), BenchError> {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let message = self.read()?;
            if message["id"] == id {
                let is_empty = message["result"].as_array().is_some_and(Vec::is_empty)
                    && method != "textDocument/formatting";
                let failed = message.get("error").is_some() || (is_empty && method != "shutdown");
                return if failed {
                    Err(BenchError::wrong(STEP, method, message.to_string()))
                } else {
                    Ok(())
                };
            }
        }
    }

    /// Waits for the diagnostics of a version, which must be empty.
    fn problems(&mut self, version: i64) -> Result<(), BenchError> {
        loop {
            let message = self.read()?;
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["version"] == version
            {
                let problems = &message["params"]["diagnostics"];
                let is_good = problems.as_array().is_some_and(Vec::is_empty);
                return if is_good {
                    Ok(())
                } else {
                    Err(BenchError::wrong(STEP, "no mistake", problems.to_string()))
                };
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // After a failed measurement the server would wait for more messages.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

impl fmt::Display for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "after a key in a module of {} lines, in ms: the middle of {ROUNDS}, and the longest",
            self.lines
        )?;
        for (name, middle, longest) in &self.rows {
            let ms = |time: &Duration| time.as_secs_f64() * 1000.0;
            let reached = if *middle <= AIM { "reached" } else { "missed" };
            writeln!(
                f,
                "{name:<12} {:>8.1} {:>8.1}  aim <= {} ms {reached}",
                ms(middle),
                ms(longest),
                AIM.as_millis()
            )?;
        }
        Ok(())
    }
}
