//! The encoding of messages.
//!
//! Bytes that cannot be decoded are an error of the client.

use std::marker::PhantomData;

use prost::Message;
use tonic::Status;
use tonic::codec::{DecodeBuf, Decoder, EncodeBuf, Encoder};

use crate::listeners::Refusal;

/// An encoder of answers.
#[derive(Debug)]
pub(super) struct Writer<A>(PhantomData<fn(A)>);

impl<A> Default for Writer<A> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<A: Message> Encoder for Writer<A> {
    type Item = A;
    type Error = Status;

    fn encode(&mut self, message: A, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

/// A decoder of requests.
#[derive(Debug)]
pub(super) struct Reader<Q>(PhantomData<fn() -> Q>);

impl<Q> Default for Reader<Q> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<Q: Message + Default> Decoder for Reader<Q> {
    type Item = Q;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Q>, Status> {
        Q::decode(buffer).map(Some).map_err(|error| Refusal::wrong(error).into())
    }
}
