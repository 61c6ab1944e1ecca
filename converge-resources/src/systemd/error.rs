use std::time::Duration;

use converge_sdk::system::SystemErrorKind;
use zbus::fdo;

#[derive(Debug, thiserror::Error)]
pub(super) enum BusError {
    #[error(
        "the system bus cannot be reached at {address}: {reason}; start it with `systemctl start dbus.socket`, or \
         install the package `dbus`"
    )]
    Away { address: String, reason: SystemErrorKind },
    #[error("{variable} is {address:?}: {reason}")]
    Address { variable: &'static str, address: String, reason: String },
    #[error("the system bus at {address} did not accept the connection: {reason}")]
    Greeting { address: String, reason: String },
    #[error("the system bus at {address} did not answer within {after:?}")]
    Silent { address: String, after: Duration },
    #[error("the connection to the system bus ended before it could {operation} {unit}: {reason}")]
    Lost { operation: &'static str, unit: String, reason: String },
    #[error("systemd did not answer when asked to {operation} {unit}: {reason}")]
    NoReply { operation: &'static str, unit: String, reason: String },
    #[error("this user may not {operation} {unit}: run converge as root, or allow it with polkit ({reason})")]
    NotAllowed { operation: &'static str, unit: String, reason: String },
    #[error("systemd did not {operation} {unit}: {reason}")]
    Refused { operation: &'static str, unit: String, name: String, reason: String },
    #[error("systemd sent an invalid answer when asked to {operation} {unit}: {reason}")]
    Answer { operation: &'static str, unit: String, reason: String },
}

impl BusError {
    /// Converts the error of a call, with the operation and the unit.
    pub(super) fn from_call(operation: &'static str, unit: &str, error: zbus::Error) -> Self {
        use fdo::Error as Fdo;
        let unit = unit.to_owned();
        match error {
            zbus::Error::FDO(error) => {
                let reason = error.to_string();
                match *error {
                    Fdo::AccessDenied(_) | Fdo::AuthFailed(_) | Fdo::InteractiveAuthorizationRequired(_) => {
                        Self::NotAllowed { operation, unit, reason }
                    }
                    Fdo::NoReply(_) | Fdo::TimedOut(_) | Fdo::Timeout(_) | Fdo::ServiceUnknown(_) => {
                        Self::NoReply { operation, unit, reason }
                    }
                    Fdo::Disconnected(_) | Fdo::IOError(_) => Self::Lost { operation, unit, reason },
                    Fdo::ZBus(error) => Self::from_call(operation, &unit, error),
                    ref error => {
                        let name = zbus::DBusError::name(error).to_string();
                        let reason = zbus::DBusError::description(error).unwrap_or(&reason).to_owned();
                        Self::Refused { operation, unit, name, reason }
                    }
                }
            }
            zbus::Error::MethodError(name, detail, _) => {
                let reason = detail.unwrap_or_else(|| name.to_string());
                Self::Refused { operation, unit, name: name.to_string(), reason }
            }
            zbus::Error::InputOutput(error) => match error.kind() {
                std::io::ErrorKind::TimedOut => Self::NoReply { operation, unit, reason: error.to_string() },
                _ => Self::Lost { operation, unit, reason: error.to_string() },
            },
            error => Self::Answer { operation, unit, reason: error.to_string() },
        }
    }

    /// Whether systemd refused with this D-Bus error.
    pub(super) fn is_named(&self, error: &str) -> bool {
        matches!(self, Self::Refused { name, .. } if name == error)
    }
}
