//! Password ages of a user, which are the days in `/etc/shadow`.

use converge_sdk::prelude::*;

use super::password::Outcome;
use crate::user::change::{AccountChange, Options};
use crate::user::shadow;
use crate::user::tool::AccountTool;

/// The declared password ages in days; -1 means no limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ages {
    pub(super) min: Option<i32>,
    pub(super) max: Option<i32>,
    pub(super) warn: Option<i32>,
    pub(super) inactive: Option<i32>,
    /// Whether the declared password has to be changed at the next login, as long as it is the user's.
    pub(super) must_change: bool,
}

/// The days in `/etc/shadow`; a missing value means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Days {
    /// The day of the last password change, from 1970-01-01; 0 means that the password has to be changed.
    changed: Option<i32>,
    min: Option<i32>,
    max: Option<i32>,
    warn: Option<i32>,
    inactive: Option<i32>,
}

/// The value of `chage` for no limit.
const NONE: i32 = -1;

impl Days {
    pub(super) async fn of_user(cx: &Context, name: &str) -> Result<Self> {
        let shadow = shadow::read(cx, &format!("how long the password of {name:?} lasts")).await?;
        Ok(Self::find(&shadow, name))
    }

    fn find(shadow: &str, name: &str) -> Self {
        let Some(fields) = shadow::user_fields(shadow, name) else { return Self::default() };
        let mut days = fields.skip(2).map(|field| field.trim().parse().ok().filter(|days| *days >= 0));
        let mut next = || days.next().flatten();
        Self { changed: next(), min: next(), max: next(), warn: next(), inactive: next() }
    }
}

impl Ages {
    pub(super) fn is_managed(&self) -> bool {
        self.must_change || [self.min, self.max, self.warn, self.inactive].iter().any(Option::is_some)
    }

    /// Plans the changes of the password ages of the user `name`.
    ///
    /// `password` is the outcome for the declared password. A new user has no ages to compare:
    /// `/etc/login.defs` determines those that `useradd` sets.
    pub(super) fn plan(
        &self,
        current: Option<Days>,
        password: Outcome,
        name: &str,
        change: &mut AccountChange,
    ) {
        let mut options = Options::default();
        let days = current.unwrap_or_default();
        for (field, option, target, has_days) in [
            ("password_min_days", "--mindays", self.min, days.min),
            ("password_max_days", "--maxdays", self.max, days.max),
            ("password_warn_days", "--warndays", self.warn, days.warn),
            ("password_inactive_days", "--inactive", self.inactive, days.inactive),
        ] {
            let Some(wanted) =
                target.filter(|target| current.is_none() || *target != has_days.unwrap_or(NONE))
            else {
                continue;
            };
            let text = |days: i32| if days == NONE { "none".to_owned() } else { days.to_string() };
            let is = current.map(|_| text(has_days.unwrap_or(NONE))).unwrap_or_default();
            change.differs(field, is, text(wanted));
            options.value(option, &wanted);
        }
        let must_change = self.must_change
            && match password {
                // The new password gets today as the day of its change.
                Outcome::Set => true,
                Outcome::There => days.changed != Some(0),
                Outcome::Other => false,
            };
        if must_change {
            change.differs("change_password", "false", "true");
            options.value("--lastday", &0);
        }
        if !options.is_empty() {
            change.runs.push(options.run(AccountTool::ChangeAges, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_file() {
        let check = |line: &str, expect: [Option<i32>; 5]| {
            let [changed, min, max, warn, inactive] = expect;
            let shadow = format!("root:*:18262:0:99999:7:::\n{line}\n");
            assert_eq!(Days::find(&shadow, "ada"), Days { changed, min, max, warn, inactive }, "{line}");
        };
        check("ada:!:18262:0:99999:7:::", [Some(18262), Some(0), Some(99999), Some(7), None]);
        check("ada:!:0:1:90:7:30::", [Some(0), Some(1), Some(90), Some(7), Some(30)]);
        check("ada:!::-1:-1:-1:-1::", [None; 5]);
        check("ada:!", [None; 5]);
        check("adam:!:0:1:90:7:30::", [None; 5]);
        check("ada:!:99999999999:x:90:::", [None, None, Some(90), None, None]);
    }

    #[test]
    fn plans() {
        let check = |has: Option<&str>, ages: Ages, password: Outcome, expect: &str| {
            let days = has.map(|days| Days::find(&format!("ada:!:{days}\n"), "ada"));
            let mut change = AccountChange::default();
            ages.plan(days, password, "ada", &mut change);
            let runs: Vec<String> = change.runs.iter().map(|run| run.args.join(" ")).collect();
            assert_eq!(runs.join("; "), expect, "{has:?} {ages:?} {password:?}");
        };
        let unset = Ages { min: None, max: None, warn: None, inactive: None, must_change: false };
        let max = |days| Ages { max: Some(days), ..unset };
        check(Some("18262:0:99999:7:::"), unset, Outcome::Set, "");
        check(Some("18262:0:99999:7:::"), max(99999), Outcome::Other, "");
        check(Some("18262:0:99999:7:::"), max(90), Outcome::Other, "--maxdays 90 -- ada");
        check(Some("18262:0:90:7:::"), max(NONE), Outcome::Other, "--maxdays -1 -- ada");
        check(Some("18262:0::7:::"), max(NONE), Outcome::Other, "");
        check(None, max(NONE), Outcome::Other, "--maxdays -1 -- ada");
        let complete =
            Ages { min: Some(1), max: Some(90), warn: Some(14), inactive: Some(30), must_change: true };
        check(
            None,
            complete,
            Outcome::Set,
            "--mindays 1 --maxdays 90 --warndays 14 --inactive 30 --lastday 0 -- ada",
        );
        check(Some("18262:1:90:14:30::"), complete, Outcome::There, "--lastday 0 -- ada");
        check(Some("18262:1:90:14:30::"), complete, Outcome::Other, "");
        check(Some("0:1:90:14:30::"), complete, Outcome::There, "");
        check(Some("0:1:90:14:30::"), complete, Outcome::Set, "--lastday 0 -- ada");
    }
}
