//! Answers to commands and options of other tools: the original Converge, Ansible and Terraform.
//!
//! clap finds what is wrong with a command line. This module has the table of words that other tools use, and
//! rewrites the command line to one that works.

mod table;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use self::table::{COMMANDS, FILE_OF_OPTIONS, ForeignCommand, ForeignOption, Help, OPTIONS, Value};
use crate::console::{Console, ERROR, print_error};

pub(crate) use self::table::SERVER;

/// The answer to a command line with words of other tools.
struct Answer {
    /// The code and the message of each mistake.
    mistakes: Vec<(&'static str, String)>,
    help: String,
}

/// Reports words of other tools in these arguments, and returns whether there are any.
pub(crate) fn report(parser: &clap::Command, arguments: &[OsString], console: Console) -> bool {
    let Some(answer) = answer(parser, arguments) else { return false };
    for (code, message) in answer.mistakes {
        let severity = console.stderr.paint(ERROR, format_args!("error[{code}]"));
        print_error(&format!("{severity}: {message}\n"));
    }
    print_error(&format!("help: {}\n", answer.help));
    true
}

fn answer(parser: &clap::Command, arguments: &[OsString]) -> Option<Answer> {
    let mut line = arguments.to_vec();
    let mut mistakes = Vec::new();
    let mut last = None;
    // Each turn replaces one word of the user.
    for _ in arguments {
        let error = parser.clone().try_get_matches_from(&line).err();
        if let Some((index, command)) = error.as_ref().and_then(|error| find_command(&line, error)) {
            let name = command.words.join(" ");
            mistakes.push(("foreign-command", format!("there is no command `{name}`: {}", command.reason)));
            match command.help {
                Help::Text(text) => return Some(Answer { mistakes, help: text.to_owned() }),
                Help::Renamed(name) => line[index] = name.into(),
            }
        } else if let Some((index, option)) = find_option(parser, &line, error.as_ref()) {
            let name = split_value(&line[index]).0;
            let message = format!("there is no option `{name}`: {}", option.reason);
            mistakes.push(("foreign-option", message));
            let command = command_index(parser, &line);
            option.rewrite(&mut line, index, command);
            last = Some(option);
        } else {
            break;
        }
    }
    let is_valid = parser.clone().try_get_matches_from(&line).is_ok();
    let help = match last {
        // Another mistake is left, which the next call reports.
        Some(option) if !is_valid && option.instead.is_empty() => "leave it out".to_owned(),
        Some(option) if !is_valid => format!("`{}`", option.instead),
        _ => format!("`{}`", shown(parser.get_name(), &line)),
    };
    (!mistakes.is_empty()).then_some(Answer { mistakes, help })
}

/// Finds the unknown command that clap complains about, with its position.
fn find_command(line: &[OsString], error: &clap::Error) -> Option<(usize, &'static ForeignCommand)> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    let index = line.iter().position(|argument| argument == OsStr::new(unknown))?;
    let follows = |command: &&ForeignCommand| {
        command
            .words
            .iter()
            .enumerate()
            .all(|(offset, word)| line.get(index + offset).is_some_and(|a| a == word))
    };
    Some((index, COMMANDS.iter().find(follows)?))
}

/// Finds an option of another tool, with its position.
///
/// The option of most commands is the one that clap complains about. Another program reads the options of the
/// server, so any of them counts.
fn find_option(
    parser: &clap::Command,
    line: &[OsString],
    error: Option<&clap::Error>,
) -> Option<(usize, &'static ForeignOption)> {
    let unknown = error.filter(|error| error.kind() == ErrorKind::UnknownArgument);
    let unknown = match unknown.and_then(|error| error.get(ContextKind::InvalidArg)) {
        Some(ContextValue::String(unknown)) => Some(unknown.as_str()),
        _ => None,
    };
    let command = command_index(parser, line).and_then(|index| line[index].to_str());
    let is_server = command == Some(SERVER);
    let is_meant = |name: &str| match unknown {
        Some(unknown) => {
            // clap takes `-target` for the options `-t`, `-a` and so on.
            let is_cluster = !name.starts_with("--") && unknown.len() == 2;
            name == unknown
                || is_cluster && unknown.chars().nth(1).is_some_and(|letter| name.contains(letter))
        }
        None => is_server,
    };
    let is_of_command = |option: &&ForeignOption| match option.commands {
        [] => !is_server,
        commands => command.is_some_and(|command| commands.contains(&command)),
    };
    let words = line.iter().enumerate().skip(1).take_while(|(_, argument)| *argument != "--");
    words.filter(|(_, argument)| is_meant(&split_value(argument).0)).find_map(|(index, argument)| {
        let name = split_value(argument).0;
        let mut options = OPTIONS.iter().filter(is_of_command);
        Some((index, options.find(|option| option.names.contains(&&*name))?))
    })
}

/// Returns the position of the command.
fn command_index(parser: &clap::Command, line: &[OsString]) -> Option<usize> {
    let is_command = |argument: &OsString| parser.find_subcommand(argument).is_some();
    line.iter().skip(1).position(is_command).map(|index| index + 1)
}

/// Splits `--name=value`.
fn split_value(argument: &OsStr) -> (Cow<'_, str>, Option<String>) {
    match argument.to_string_lossy() {
        Cow::Borrowed(text) => match text.split_once('=') {
            Some((name, value)) => (name.into(), Some(value.to_owned())),
            None => (text.into(), None),
        },
        text @ Cow::Owned(_) => (text, None),
    }
}

impl ForeignOption {
    /// Replaces the option at this position by what this program has.
    fn rewrite(&self, line: &mut Vec<OsString>, index: usize, command: Option<usize>) {
        let mut value = split_value(&line.remove(index)).1;
        if value.is_none() && !matches!(self.value, Value::None) && index < line.len() {
            value = Some(line.remove(index).to_string_lossy().into_owned());
        }
        if !self.instead.is_empty() && !self.instead.starts_with('-') {
            if let Some(command) = command {
                line[command] = self.instead.into();
            }
            return;
        }
        let kept = match (self.value, &value) {
            (Value::Kept(convert), Some(value)) => Some(OsString::from(&*convert(value))),
            _ => None,
        };
        let words = self.instead.split_whitespace().map(OsString::from).chain(kept);
        line.splice(index..index, words);
    }
}

/// Formats a command line for a shell, without the values of parameters, which may be secrets.
fn shown(program: &str, line: &[OsString]) -> String {
    let mut text = program.to_owned();
    let mut before: &OsStr = OsStr::new("");
    for argument in line.iter().skip(1) {
        text.push(' ');
        text.push_str(&quoted(&without_secret(before, &argument.to_string_lossy())));
        before = argument;
    }
    text
}

/// Replaces the value of a parameter by a word that stands for it.
fn without_secret(before: &OsStr, argument: &str) -> String {
    let (option, value) = match before.to_str() {
        Some("-p" | "--param") => ("", argument),
        Some("--params-json" | "--paramsJSON") => return "JSON".to_owned(),
        _ => {
            if argument.starts_with("--params-json=") || argument.starts_with("--paramsJSON=") {
                return "--params-json=JSON".to_owned();
            }
            let options = ["--param=", "-p=", "-p"];
            let Some(option) = options.into_iter().find(|option| argument.starts_with(option)) else {
                return argument.to_owned();
            };
            (option, &argument[option.len()..])
        }
    };
    match value.split_once('=') {
        Some((name, _)) => format!("{option}{name}=VALUE"),
        None => argument.to_owned(),
    }
}

/// Quotes an argument for a POSIX shell, if needed.
fn quoted(argument: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.into();
    }
    format!("'{}'", argument.replace('\'', r"'\''")).into()
}

/// Warns about a file of options that the original Converge would read.
pub(super) fn warn_unread_options(console: Console) {
    if let Some(file) = unread_options(Path::new("/etc/converge")) {
        console.warning(format_args!("{} is not read: {FILE_OF_OPTIONS}", file.display()));
    }
}

/// Returns the file of options that the original Converge would read from this folder.
#[expect(clippy::disallowed_methods, reason = "the file is one of the user who runs the command")]
fn unread_options(folder: &Path) -> Option<PathBuf> {
    let extensions = ["yaml", "yml", "json", "toml", "hcl", "properties", "props", "prop"];
    let mut files = extensions.into_iter().map(|extension| folder.join("config").with_extension(extension));
    files.find(|file| file.exists())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files of this test")]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_options_has_any_format_of_the_original() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("agent.env"), "").unwrap();
        assert_eq!(unread_options(folder.path()), None);
        std::fs::write(folder.path().join("config.toml"), "").unwrap();
        assert_eq!(unread_options(folder.path()), Some(folder.path().join("config.toml")));
    }
}
