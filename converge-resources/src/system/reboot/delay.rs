use std::fmt;
use std::str::FromStr;

use converge_sdk::prelude::*;

/// The longest delay, in minutes: a week.
const MOST: u32 = 7 * 24 * 60;

/// A delay of `shutdown`, in whole minutes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, HclText)]
pub(super) struct Delay(u32);

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let error =
            || format!("{text:?} is not a number of whole minutes, such as `5m` or `1h`, up to a week");
        let (number, unit) = match (text.strip_suffix('m'), text.strip_suffix('h')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 60),
            _ if text == "0" || text == "0s" => ("0", 1),
            _ => return Err(error()),
        };
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse::<u32>().ok().filter(|_| is_number);
        let minutes = number.and_then(|number| number.checked_mul(unit)).filter(|minutes| *minutes <= MOST);
        minutes.map(Self).ok_or_else(error)
    }
}

impl fmt::Display for Delay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}m", self.0)
    }
}

impl Delay {
    /// Returns the delay in the syntax of `shutdown`.
    pub(super) fn when(self) -> String {
        if self.0 == 0 { "now".to_owned() } else { format!("+{}", self.0) }
    }

    /// Describes the delay in words.
    pub(super) fn description(self) -> String {
        if self.0 == 0 { "at once".to_owned() } else { format!("in {} min", self.0) }
    }
}
