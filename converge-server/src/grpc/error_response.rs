//! Error responses in gRPC.

use tonic::{Code, Status};

use crate::listeners::{Kind, Refusal};

/// The maximum length of an error message in bytes.
///
/// It is sent in a header, for which clients accept a few thousand bytes, and may quote the request.
const LONGEST: usize = 4096;

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.kind {
            Kind::InvalidArgument | Kind::UnsupportedMediaType => Code::InvalidArgument,
            Kind::Unauthenticated => Code::Unauthenticated,
            Kind::PermissionDenied => Code::PermissionDenied,
            Kind::NotFound => Code::NotFound,
            Kind::NoSuchMethod => Code::Unimplemented,
            Kind::DeadlineExceeded => Code::DeadlineExceeded,
            Kind::Aborted => Code::Aborted,
            Kind::FailedPrecondition | Kind::Misdirected => Code::FailedPrecondition,
            Kind::TooLarge | Kind::TooMany => Code::ResourceExhausted,
            Kind::Internal => Code::Internal,
            Kind::Unavailable => Code::Unavailable,
        };
        Self::new(code, shortened(refusal.message))
    }
}

fn shortened(mut message: String) -> String {
    if message.len() > LONGEST {
        message.truncate(message.floor_char_boundary(LONGEST));
        message.push_str("..");
    }
    message
}
