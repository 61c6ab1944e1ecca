//! Server [reflection](https://grpc.io/docs/guides/reflection/), which lists services and types.
//!
//! Both versions of the protocol have the same messages under different names.

use axum::extract::Request;
use axum::response::Response;
use futures_util::stream::StreamExt as _;
use prost::{Message, Oneof};
use tonic::Code;

use super::call::{answers, decode_messages, too_large, unanswered};
use super::pool::{Pool, Pools};
use crate::listeners::ListenerState;

/// A reflection request.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Asked {
    #[prost(string, tag = "1")]
    pub(super) host: String,
    #[prost(oneof = "Question", tags = "3, 4, 5, 6, 7")]
    pub(super) question: Option<Question>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Question {
    #[prost(string, tag = "3")]
    FileByFilename(String),
    #[prost(string, tag = "4")]
    FileContainingSymbol(String),
    #[prost(message, tag = "5")]
    FileContainingExtension(Extension),
    #[prost(string, tag = "6")]
    AllExtensionNumbersOfType(String),
    #[prost(string, tag = "7")]
    ListServices(String),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Extension {
    #[prost(string, tag = "1")]
    pub(super) containing_type: String,
    #[prost(int32, tag = "2")]
    pub(super) number: i32,
}

/// A reflection response.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Answer {
    #[prost(string, tag = "1")]
    valid_host: String,
    #[prost(message, optional, tag = "2")]
    original: Option<Asked>,
    #[prost(oneof = "Found", tags = "4, 5, 6, 7")]
    pub(super) found: Option<Found>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Found {
    #[prost(message, tag = "4")]
    Files(Descriptors),
    #[prost(message, tag = "5")]
    Extensions(Extensions),
    #[prost(message, tag = "6")]
    Services(Services),
    #[prost(message, tag = "7")]
    Error(Nothing),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Descriptors {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(super) files: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Extensions {
    #[prost(string, tag = "1")]
    of: String,
    #[prost(int32, repeated, tag = "2")]
    pub(super) numbers: Vec<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Services {
    #[prost(message, repeated, tag = "1")]
    pub(super) services: Vec<Service>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Service {
    #[prost(string, tag = "1")]
    pub(super) name: String,
}

/// The error response for an unknown symbol.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Nothing {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    pub(super) message: String,
}

/// Answers each request, until the client ends the stream or the server stops.
pub(super) fn calls(doors: ListenerState, pools: Pools, request: Request) -> Response {
    let stopping = doors.stopping.clone();
    match decode_messages::<Asked>(request, doors.limits.body) {
        Ok((_, questions)) => answers(
            questions
                .map(move |message| {
                    let message = message.map_err(|status| too_large(&doors, status))?;
                    Ok(pools.now(&doors.types).answer(message))
                })
                .take_until(stopping.cancelled_owned()),
        ),
        Err(status) => unanswered(status),
    }
}

impl Pool {
    /// Answers one request.
    ///
    /// An unknown symbol does not end the stream.
    fn answer(&self, message: Asked) -> Answer {
        let answer =
            message.question.as_ref().map_or_else(|| nothing("nothing was asked"), |asked| self.find(asked));
        Answer { valid_host: message.host.clone(), original: Some(message), found: Some(answer) }
    }

    fn find(&self, question: &Question) -> Found {
        let file = |file: Option<prost_reflect::FileDescriptor>| {
            // The encoded file keeps the options of Converge, which the client may not know.
            file.map(|file| Found::Files(Descriptors { files: vec![file.encode_to_vec()] }))
        };
        let (answer, subject) = match question {
            Question::FileByFilename(name) => (file(self.file(name)), format!("file {name}")),
            Question::FileContainingSymbol(symbol) => (file(self.file_of(symbol)), symbol.clone()),
            Question::FileContainingExtension(Extension { containing_type, number }) => {
                let answer = file(self.file_of_extension(containing_type, *number));
                (answer, format!("extension {number} of {containing_type}"))
            }
            Question::AllExtensionNumbersOfType(of) => {
                let extensions = self.extensions(of);
                (
                    extensions.map(|numbers| Found::Extensions(Extensions { of: of.clone(), numbers })),
                    of.clone(),
                )
            }
            Question::ListServices(_) => {
                let services = self.services().map(|name| Service { name }).collect();
                return Found::Services(Services { services });
            }
        };
        answer.unwrap_or_else(|| nothing(&format!("there is no {subject}")))
    }
}

fn nothing(message: &str) -> Found {
    Found::Error(Nothing { code: Code::NotFound as i32, message: message.to_owned() })
}
