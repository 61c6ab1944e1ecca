//! The requests for calls of the table of system calls.

use std::sync::Arc;

use super::super::super::protocol::{Argument, OpenDirectory, OpenFile, Outcome, PlainOutcome};
use super::super::handles::{Handle, Staged, exclusive};
use super::{Machine, Perform};
use crate::system::call_prelude::*;
use crate::system::system_calls;
use crate::types::json_forms::{Bytes, WirePath};

/// A result of a call that can be sent, whose open files stay open on the host.
trait Keep: Outcome {
    fn keep(self, machine: &Machine<'_>) -> Result<Self::Wire, SystemError>;
}

impl<T: PlainOutcome> Keep for T {
    fn keep(self, _: &Machine<'_>) -> Result<T, SystemError> {
        Ok(self)
    }
}

impl<T: Keep> Keep for Option<T> {
    fn keep(self, machine: &Machine<'_>) -> Result<Option<T::Wire>, SystemError> {
        self.map(|outcome| outcome.keep(machine)).transpose()
    }
}

impl<T: Keep> Keep for Result<T, SystemError> {
    fn keep(self, machine: &Machine<'_>) -> Result<T::Wire, SystemError> {
        self?.keep(machine)
    }
}

impl Keep for PathBuf {
    fn keep(self, _: &Machine<'_>) -> Result<WirePath, SystemError> {
        Ok(WirePath(self))
    }
}

impl Keep for Vec<u8> {
    fn keep(self, _: &Machine<'_>) -> Result<Bytes, SystemError> {
        Ok(Bytes(self))
    }
}

impl Keep for Box<dyn ReadAt> {
    fn keep(self, machine: &Machine<'_>) -> Result<OpenFile, SystemError> {
        machine.keep_file(self)
    }
}

impl Keep for Box<dyn Directory> {
    fn keep(self, machine: &Machine<'_>) -> Result<OpenDirectory, SystemError> {
        let path = WirePath(self.path().to_owned());
        Ok(OpenDirectory { handle: machine.handles.keep(Handle::Directory(Arc::from(self)))?, path })
    }
}

impl Keep for Box<dyn TempDir> {
    fn keep(self, machine: &Machine<'_>) -> Result<OpenDirectory, SystemError> {
        let path = self.path().to_owned();
        let handle = machine.handles.keep(Handle::TempDir(exclusive(self), path.as_path().into()))?;
        Ok(OpenDirectory { handle, path: WirePath(path) })
    }
}

impl Keep for Box<dyn StagedFile> {
    fn keep(self, machine: &Machine<'_>) -> Result<u64, SystemError> {
        machine.handles.keep(Handle::Staged(Staged { file: exclusive(self), temporary: machine.temporary }))
    }
}

impl Keep for Box<dyn ScratchFile> {
    fn keep(self, machine: &Machine<'_>) -> Result<u64, SystemError> {
        machine.handles.keep(Handle::Scratch(exclusive(self)))
    }
}

/// Implements the questions of the table by the calls that they are for.
macro_rules! perform_calls {
    (
        {}
        $(
            $(#[$doc:meta])*
            trait $Trait:ident $(: $Bound:ident)?,
            $(#[$wrap_doc:meta])*
            trait $Wrap:ident($wrapped:ident) {
                $(plain $plain:tt)?
                $(calls { $(
                    $(#[$call_doc:meta])*
                    async fn $call:ident $args:tt -> $out:ty $(=> $effect:ident $name:literal $Question:ident)?;
                )* })?
                $(provided $provided:tt)?
                $(fixed $fixed:tt)?
            }
        )*
    ) => { $($($($(perform_call! { $Trait $call $args $Question })?)*)?)* };
}

macro_rules! perform_call {
    ($Trait:ident $call:ident (&$self:ident $(, $arg:ident: $type:ty)*) $Question:ident) => {
        impl Perform for crate::protocol::$Question {
            async fn perform(self, machine: Machine<'_>) -> Result<Self::Answer, SystemError> {
                let part = part!($Trait, machine, self);
                part.$call($(<fn($type) as Argument>::given(&self.$arg)),*).await.keep(&machine)
            }
        }
    };
}

/// Returns the part of the system that has the calls of a trait.
macro_rules! part {
    (Files, $machine:ident, $question:ident) => {
        $machine.cx.system().files()
    };
    (Directory, $machine:ident, $question:ident) => {
        $machine.handles.directory($question.handle)?
    };
    (Users, $machine:ident, $question:ident) => {
        $machine.cx.system().users()
    };
    (Random, $machine:ident, $question:ident) => {
        $machine.cx.system().random()
    };
}

system_calls!(perform_calls {});
