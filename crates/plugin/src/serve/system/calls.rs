//! The calls of the table of system calls, which ask the host.

use async_trait::async_trait;

use super::super::super::protocol::{Argument, OpenDirectory, OpenFile, Outcome, PlainOutcome, Question};
use super::files::{Scratch, TempFolder};
use super::open::{OpenFolder, Opened, Staged};
use super::{Handle, HostSystem, Requester};
use crate::system::call_prelude::*;
use crate::system::system_calls;
use crate::types::json_forms::{Bytes, WirePath};

/// A result of a call that can be received, whose open files are open on the host.
trait Open: Outcome {
    fn open(answer: Self::Wire, asks: &Requester) -> Self;
}

impl<T: PlainOutcome> Open for T {
    fn open(answer: T, _: &Requester) -> T {
        answer
    }
}

impl<T: Open> Open for Option<T> {
    fn open(answer: Option<T::Wire>, asks: &Requester) -> Option<T> {
        answer.map(|answer| T::open(answer, asks))
    }
}

impl Open for PathBuf {
    fn open(WirePath(path): WirePath, _: &Requester) -> Self {
        path
    }
}

impl Open for Vec<u8> {
    fn open(Bytes(bytes): Bytes, _: &Requester) -> Self {
        bytes
    }
}

impl Open for Box<dyn ReadAt> {
    fn open(open: OpenFile, asks: &Requester) -> Self {
        Box::new(Opened::new(asks, open))
    }
}

impl Open for Box<dyn Directory> {
    fn open(open: OpenDirectory, asks: &Requester) -> Self {
        Box::new(OpenFolder { handle: asks.handle(open.handle), path: open.path.0 })
    }
}

impl Open for Box<dyn TempDir> {
    fn open(open: OpenDirectory, asks: &Requester) -> Self {
        Box::new(TempFolder { handle: asks.handle(open.handle), path: open.path.0 })
    }
}

impl Open for Box<dyn StagedFile> {
    fn open(id: u64, asks: &Requester) -> Self {
        Box::new(Staged(asks.handle(id)))
    }
}

impl Open for Box<dyn ScratchFile> {
    fn open(id: u64, asks: &Requester) -> Self {
        Box::new(Scratch(asks.handle(id)))
    }
}

impl Requester {
    /// Asks, and opens the answer.
    async fn open<Q: Question, T: Open<Wire = Q::Answer>>(&self, question: Q) -> Result<T, SystemError> {
        Ok(T::open(self.ask(question).await?, self))
    }
}

/// Implements the parts of a system whose calls have questions in the table.
macro_rules! ask_calls {
    (
        {}
        $(
            $(#[$doc:meta])*
            trait $Trait:ident $(: $Bound:ident)?,
            $(#[$wrap_doc:meta])*
            trait $Wrap:ident($wrapped:ident) { $($group:ident $rows:tt)* }
        )*
    ) => { $($(ask_part! { $Trait $group $rows })*)* };
}

macro_rules! ask_part {
    (Files calls $rows:tt) => {
        ask_rows! { Files for HostSystem {} $rows }
    };
    (Directory calls $rows:tt) => {
        ask_rows! { Directory for OpenFolder { fn path(&self) -> &Path { &self.path } } $rows }
    };
    (Users calls $rows:tt) => {
        ask_rows! { Users for HostSystem {} $rows }
    };
    (Random calls $rows:tt) => {
        ask_rows! { Random for HostSystem {} $rows }
    };
    ($Trait:ident $group:ident $rows:tt) => {};
}

macro_rules! ask_rows {
    (
        $Trait:ident for $Asker:ident { $($plain:tt)* } { $(
            $(#[$doc:meta])*
            async fn $call:ident $args:tt -> $out:ty $(=> $effect:ident $name:literal $Question:ident)?;
        )* }
    ) => {
        #[async_trait]
        impl $Trait for $Asker {
            $($plain)*
            $(
                async fn $call $args -> $out {
                    ask_call!($Trait $call $args $($Question)?)
                }
            )*
        }
    };
}

/// Asks the question of a call, or calls the function of this name in `files`.
macro_rules! ask_call {
    ($Trait:ident $call:ident (&$self:ident $(, $arg:ident: $type:ty)*)) => {
        super::files::$call($self $(, $arg)*).await
    };
    (Directory $call:ident (&$self:ident $(, $arg:ident: $type:ty)*) $Question:ident) => {{
        let Handle { asks, id } = &$self.handle;
        asks.open(crate::protocol::$Question {
            handle: *id,
            $($arg: <fn($type) as Argument>::to_wire($arg)),*
        }).await
    }};
    ($Trait:ident $call:ident (&$self:ident $(, $arg:ident: $type:ty)*) $Question:ident) => {
        $self.asks.open(crate::protocol::$Question { $($arg: <fn($type) as Argument>::to_wire($arg)),* }).await
    };
}

system_calls!(ask_calls {});
