//! Commands with commands of their own, which are described only when they are used.

use clap::{ArgMatches, Args, Command, Error, FromArgMatches};

/// The arguments of a command whose only arguments are commands of its own.
///
/// A command line has one command, so the others need no description. Options of the command itself would come
/// after the global ones in its help, so a command with options is described at once.
#[derive(Debug)]
pub(super) struct Deferred<T>(pub(super) T);

impl<T: Args> Args for Deferred<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(describe::<T>)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(T::augment_args_for_update)
    }
}

impl<T: FromArgMatches> FromArgMatches for Deferred<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Adds the arguments to a command, and keeps its own description.
fn describe<T: Args>(command: Command) -> Command {
    let (about, long_about) = (command.get_about().cloned(), command.get_long_about().cloned());
    let described = T::augment_args(command);
    let described = about.into_iter().fold(described, Command::about);
    long_about.into_iter().fold(described, Command::long_about)
}
