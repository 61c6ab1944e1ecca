//! The password of a user, as the hash in `/etc/shadow`.

use converge_sdk::value::{REDACTED, Secret};

use crate::user::change::{AccountChange, Options};
use crate::user::tool::{AccountTool, ToolRun};

#[derive(Debug)]
pub(super) struct Password {
    pub(super) hash: Option<Secret<String>>,
    /// Whether a user with a password keeps it.
    pub(super) on_create: bool,
    pub(super) lock: Option<bool>,
}

/// The second field of a line of `/etc/shadow`.
#[derive(Clone, Copy)]
pub(super) struct Field<'a>(pub(super) &'a str);

impl Field<'_> {
    /// The field of a user that `useradd` creates.
    pub(super) const NEW: Self = Self("!");

    fn is_locked(self) -> bool {
        self.0.starts_with('!')
    }
}

/// Whether the hash is one that some password matches.
fn is_password(hash: &str) -> bool {
    hash.starts_with('$') || hash.len() >= 13
}

/// The outcome for the declared password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No password is declared, or the user keeps another one.
    Other,
    /// The user already has the declared password.
    There,
    /// The user gets the declared password.
    Set,
}

impl Password {
    pub(super) fn outcome(&self, current: Field<'_>) -> Outcome {
        let is = current.0.trim_start_matches('!');
        match &self.hash {
            Some(hash) if hash.expose() == is => Outcome::There,
            Some(_) if !(self.on_create && is_password(is)) => Outcome::Set,
            _ => Outcome::Other,
        }
    }

    pub(super) fn is_managed(&self) -> bool {
        self.hash.is_some() || self.lock.is_some()
    }

    pub(super) fn plan(
        &self,
        current: Field<'_>,
        name: &str,
        usermod: &mut Options,
        change: &mut AccountChange,
    ) {
        let is = current.0.trim_start_matches('!');
        let has_password = is_password(is);
        if let Some(hash) = self.hash.as_ref().filter(|_| self.outcome(current) == Outcome::Set) {
            let locked = self.lock.unwrap_or(current.is_locked() && has_password);
            let mark = if locked { "!" } else { "" };
            change.differs("password_hash", if has_password { "another" } else { "none" }, REDACTED);
            self.plan_lock(current, locked, has_password, change);
            let line = format!("{name}:{mark}{}\n", hash.expose());
            change.runs.push(ToolRun {
                tool: AccountTool::ChangePasswords,
                args: vec!["--encrypted".to_owned()],
                input: Secret::new(line),
            });
            return;
        }
        match self.lock {
            Some(true) if !current.is_locked() => {
                self.plan_lock(current, true, has_password, change);
                usermod.flag("--lock");
            }
            // A field with only the lock mark has no password that could be unlocked.
            Some(false) if current.is_locked() && !is.is_empty() => {
                self.plan_lock(current, false, has_password, change);
                usermod.flag("--unlock");
            }
            _ => {}
        }
    }

    fn plan_lock(&self, current: Field<'_>, locked: bool, has_password: bool, change: &mut AccountChange) {
        if self.lock.is_some() && current.is_locked() != locked && (has_password || locked) {
            change.differs("lock", current.is_locked().to_string(), locked.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the options of `usermod` and the line for `chpasswd`.
    #[test]
    fn plans() {
        const HASH: &str = "$1$salt$qJH7.N4xYta3aEG/dfqo/0";
        let check = |has: &str, hash: Option<&str>, on_create: bool, lock: Option<bool>, expect: &str| {
            let password = Password { hash: hash.map(|hash| Secret::new(hash.to_owned())), on_create, lock };
            let (mut usermod, mut change) = (Options::default(), AccountChange::default());
            password.plan(Field(has), "ada", &mut usermod, &mut change);
            let lines = change.runs.iter().map(|run| run.input.expose().trim_end().to_owned());
            let run = usermod.run(AccountTool::UserMod, "ada");
            let flags = run.args.into_iter().take_while(|arg| arg != "--");
            let actual: Vec<String> = flags.chain(lines).collect();
            assert_eq!(actual.join(" ").replace(HASH, "HASH"), expect, "{has} {hash:?} {on_create} {lock:?}");
        };
        let (new, old) = (Some(HASH), "$1$salt$AJH7.N4xYta3aEG/dfqo/0");
        let locked = format!("!{old}");
        check("!", new, false, None, "ada:HASH");
        check("!!", new, true, None, "ada:HASH");
        check("!", new, false, Some(true), "ada:!HASH");
        check(HASH, new, false, None, "");
        check(HASH, new, false, Some(true), "--lock");
        check(old, new, false, None, "ada:HASH");
        check(old, new, true, None, "");
        check(old, new, true, Some(true), "--lock");
        check(&locked, new, false, None, "ada:!HASH");
        check(&locked, new, false, Some(false), "ada:HASH");
        check(&locked, new, true, Some(false), "--unlock");
        check(&locked, None, false, Some(false), "--unlock");
        check("!", None, false, Some(false), "");
        check("*", None, false, Some(true), "--lock");
        check("", None, false, Some(true), "--lock");
        check("", new, true, None, "ada:HASH");
        check(old, Some("*"), false, None, "ada:*");
    }
}
