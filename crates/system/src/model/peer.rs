//! Listeners of the model host with a protocol of their own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Machine;
use crate::Address;

/// The server side of a connection with its own protocol, such as a bus.
///
/// The connection belongs to a [`ModelSystem`](super::ModelSystem). There is one value per connection, which
/// may hold the state of the connection. State of the machine belongs in the machine, for instance as
/// [facts](Machine::put_fact).
///
/// ```
/// use converge_core::system::{Address, Machine, ModelSystem, Speaker, Speech, System};
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
///
/// /// Keeps what it is told, a line each.
/// struct Diary;
///
/// impl Speaker for Diary {
///     fn whole(&self, written: &[u8]) -> Option<usize> {
///         written.iter().position(|byte| *byte == b'\n').map(|end| end + 1)
///     }
///
///     fn answer(&mut self, message: &[u8], machine: &mut Machine) -> Speech {
///         let line = String::from_utf8_lossy(message);
///         machine.put_fact("diary", line.trim());
///         Speech::new("ok\n").named(format!("write down {}", line.trim()))
///     }
///
///     fn refuse(&mut self, _message: &[u8], reason: &str) -> Vec<u8> {
///         format!("{reason}\n").into()
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let address = Address::tcp("diary.test", 79);
/// let model = ModelSystem::new().with_speaker(address.clone(), || Box::new(Diary));
/// let mut stream = BufReader::new(model.network().connect(&address).await?);
/// stream.write_all(b"rain\n").await?;
/// let mut answer = String::new();
/// stream.read_line(&mut answer).await?;
/// assert_eq!(answer, "ok\n");
/// assert_eq!(model.machine().fact("diary"), Some("rain"));
/// assert_eq!(model.effects().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Speaker: Send + Sync {
    /// Returns the length of the first message in the received bytes; `None` if it is incomplete.
    fn whole(&self, bytes: &[u8]) -> Option<usize>;

    /// Answers a message.
    ///
    /// It is an effect if it changes the machine.
    fn answer(&mut self, message: &[u8], machine: &mut Machine) -> Speech;

    /// Returns the answer to a message that a test lets fail.
    ///
    /// The machine is unchanged. `reason` is a message for people.
    fn refuse(&mut self, message: &[u8], reason: &str) -> Vec<u8>;
}

/// The answer of a [`Speaker`] to a message.
#[must_use]
pub struct Speech {
    pub(super) bytes: Vec<u8>,
    pub(super) name: Option<String>,
    pub(super) later: Option<(Duration, Later)>,
}

/// A delayed action on the machine, which returns bytes to send.
pub(super) type Later = Box<dyn FnOnce(&mut Machine) -> Vec<u8> + Send + Sync>;

impl Speech {
    /// Creates an answer of these bytes, possibly none, to a message that only concerns the protocol.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), name: None, later: None }
    }

    /// Describes the message as one that reads or changes the machine.
    ///
    /// Only such messages can fail in a test.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Adds a delayed action, by the clock of the model.
    ///
    /// The action changes the machine and sends bytes if the connection still exists. It is not an effect, as
    /// nobody causes it at that time.
    pub fn later(
        self,
        delay: Duration,
        then: impl FnOnce(&mut Machine) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        Self { later: Some((delay, Box::new(then))), ..self }
    }
}

impl fmt::Debug for Speech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Speech").field("name", &self.name).finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub(super) struct SpeakerListener {
    pub(super) at: Address,
    pub(super) begin: Arc<dyn Fn() -> Box<dyn Speaker> + Send + Sync>,
}
