//! Somebody at an address of the model who speaks a protocol of their own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::Machine;
use crate::Address;

/// One end of a connection to a [`ModelSystem`](super::ModelSystem) that speaks a protocol of its own, as a bus does; there is one for
/// each connection. What it knows of the machine is in the machine, as [facts](Machine::put_fact) for instance, and what it
/// knows of the connection is its own.
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
    /// How many bytes the first message has of those that were written; `None` while it is not whole.
    fn whole(&self, written: &[u8]) -> Option<usize>;

    /// Answers a message. It is an effect when the machine is another one after it.
    fn answer(&mut self, message: &[u8], machine: &mut Machine) -> Speech;

    /// What is answered to a message that was to fail: the machine is as it was before. The reason is in words.
    fn refuse(&mut self, message: &[u8], reason: &str) -> Vec<u8>;
}

/// What a [`Speaker`] says to a message.
#[must_use]
pub struct Speech {
    pub(super) bytes: Vec<u8>,
    pub(super) name: Option<String>,
    pub(super) later: Option<(Duration, Later)>,
}

/// What happens when time has passed, and what is said then.
pub(super) type Later = Box<dyn FnOnce(&mut Machine) -> Vec<u8> + Send + Sync>;

impl Speech {
    /// An answer with these bytes, which may be none, to a message that is only of the protocol.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), name: None, later: None }
    }

    /// To a message that asks something of the machine, or has it do something: what that is. Only such messages fail where a test says
    /// that something does.
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// After so much time, by the clock of the model, something happens on the machine by itself and is told, if the connection lasts so
    /// long. It is no effect: nobody does it then.
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

/// Who is at an address.
#[derive(Clone)]
pub(super) struct Speaks {
    pub(super) at: Address,
    pub(super) begin: Arc<dyn Fn() -> Box<dyn Speaker> + Send + Sync>,
}
