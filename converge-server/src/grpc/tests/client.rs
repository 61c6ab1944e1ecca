//! A client that only has an address and learns everything else by reflection.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use axum::http::uri::PathAndQuery;
use futures_util::stream;
use prost::Message;
use prost_reflect::prost_types::FileDescriptorProto;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, SerializeOptions};
use serde_json::Value;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status, Streaming};

use crate::grpc::codec::{Reader, Writer};
use crate::grpc::methods::SERVICE;
use crate::grpc::reflection::{Answer, Asked, Descriptors, Found, Question};
use crate::server::Running;

/// A client with the descriptors that it has learned.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) channel: Channel,
    pub(super) pool: DescriptorPool,
}

pub(super) async fn connect(running: &Running) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", running.grpc().unwrap())).unwrap();
    endpoint.connect().await.unwrap()
}

/// Sends reflection requests in one of the protocol versions.
pub(super) async fn reflect(channel: &Channel, version: &str, questions: Vec<Question>) -> Vec<Found> {
    let path = format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
    let requests =
        questions.into_iter().map(|question| Asked { host: String::new(), question: Some(question) });
    let request = Request::new(stream::iter(requests.collect::<Vec<_>>()));
    let mut client = ready(channel).await;
    let answers = client.streaming(request, path.parse().unwrap(), Plain::<Asked, Answer>::default());
    let mut answers = answers.await.unwrap().into_inner();
    let mut answers_found = Vec::new();
    while let Some(answer) = answers.message().await.unwrap() {
        answers_found.push(answer.found.unwrap());
    }
    answers_found
}

async fn ready(channel: &Channel) -> Grpc<Channel> {
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    client
}

impl Client {
    /// Creates a client that has learned the service, these types and all their imports.
    pub(super) async fn learn(channel: Channel, types: &[&str]) -> Self {
        let symbols = types.iter().chain([&SERVICE]);
        let mut questions: Vec<_> =
            symbols.map(|symbol| Question::FileContainingSymbol((*symbol).to_owned())).collect();
        let mut files = BTreeMap::new();
        while !questions.is_empty() {
            for answer in reflect(&channel, "v1", std::mem::take(&mut questions)).await {
                let Found::Files(Descriptors { files: found }) = answer else {
                    panic!("no file: {answer:?}")
                };
                for bytes in found {
                    let file = FileDescriptorProto::decode(bytes.as_slice()).unwrap();
                    let imports = file.dependency.iter().filter(|name| !files.contains_key(*name));
                    questions.extend(imports.map(|name| Question::FileByFilename(name.clone())));
                    files.insert(file.name().to_owned(), file);
                }
            }
            questions.retain(
                |question| !matches!(question, Question::FileByFilename(name) if files.contains_key(name)),
            );
        }
        let mut pool = DescriptorPool::new();
        pool.add_file_descriptor_protos(files.into_values()).unwrap();
        Self { channel, pool }
    }

    fn method(&self, name: &str) -> (MethodDescriptor, PathAndQuery) {
        let service = self.pool.get_service_by_name(SERVICE).unwrap();
        let method = service.methods().find(|method| method.name() == name).unwrap();
        (method, format!("/{SERVICE}/{name}").parse().unwrap())
    }

    /// Creates a request from JSON, to which metadata can be added.
    pub(super) fn request(&self, name: &str, json: Value) -> Request<DynamicMessage> {
        Request::new(DynamicMessage::deserialize(self.method(name).0.input(), json).unwrap())
    }

    pub(super) async fn ask(&self, name: &str, json: Value) -> Result<Value, Status> {
        self.call(name, self.request(name, json)).await
    }

    pub(super) async fn call(&self, name: &str, request: Request<DynamicMessage>) -> Result<Value, Status> {
        let (method, path) = self.method(name);
        assert!(!method.is_server_streaming(), "{name}");
        let answer = ready(&self.channel).await.unary(request, path, Dynamic(method.output())).await?;
        Ok(shown(answer.get_ref()))
    }

    pub(super) async fn watch(
        &self,
        request: Request<DynamicMessage>,
    ) -> Result<Streaming<DynamicMessage>, Status> {
        let (method, path) = self.method("WatchList");
        assert!(method.is_server_streaming());
        let client = &mut ready(&self.channel).await;
        Ok(client.server_streaming(request, path, Dynamic(method.output())).await?.into_inner())
    }

    /// Sends arbitrary bytes as the message, and accepts any first answer.
    pub(super) async fn send(&self, method: &str, bytes: Vec<u8>) -> Result<(), Status> {
        self.bytes(method, bytes).await?.message().await.map(drop)
    }

    /// Starts a call whose answers are returned as raw bytes.
    pub(super) async fn open(&self, method: &str, json: Value) -> Result<Streaming<Vec<u8>>, Status> {
        self.bytes(method, self.request(method, json).into_inner().encode_to_vec()).await
    }

    async fn bytes(&self, method: &str, bytes: Vec<u8>) -> Result<Streaming<Vec<u8>>, Status> {
        let path = format!("/{SERVICE}/{method}").parse().unwrap();
        let client = &mut ready(&self.channel).await;
        Ok(client.server_streaming(Request::new(bytes), path, Raw).await?.into_inner())
    }
}

pub(super) fn shown(message: &DynamicMessage) -> Value {
    let options = SerializeOptions::new().use_proto_field_name(true);
    message.serialize_with_options(serde_json::value::Serializer, &options).unwrap()
}

#[track_caller]
pub(super) fn refused<T: std::fmt::Debug>(result: Result<T, Status>, code: Code, message: &str) {
    let status = result.unwrap_err();
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().contains(message), "no {message:?} in {status}");
}

/// A codec of messages that are Rust types.
struct Plain<E, D>(PhantomData<(E, D)>);

impl<E, D> Default for Plain<E, D> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<E: Message + 'static, D: Message + Default + 'static> Codec for Plain<E, D> {
    type Encode = E;
    type Decode = D;
    type Encoder = Writer<E>;
    type Decoder = Reader<D>;

    fn encoder(&mut self) -> Writer<E> {
        Writer::default()
    }

    fn decoder(&mut self) -> Reader<D> {
        Reader::default()
    }
}

/// A codec of messages that are only known by a descriptor.
struct Dynamic(MessageDescriptor);

struct DynamicReader(MessageDescriptor);

impl Codec for Dynamic {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = Writer<DynamicMessage>;
    type Decoder = DynamicReader;

    fn encoder(&mut self) -> Writer<DynamicMessage> {
        Writer::default()
    }

    fn decoder(&mut self) -> DynamicReader {
        DynamicReader(self.0.clone())
    }
}

impl Decoder for DynamicReader {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let decoded = DynamicMessage::decode(self.0.clone(), buffer);
        decoded.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}

/// A codec of raw bytes.
pub(super) struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, bytes: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        prost::bytes::BufMut::put_slice(buffer, &bytes);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        use prost::bytes::Buf as _;
        Ok(Some(buffer.copy_to_bytes(buffer.remaining()).to_vec()))
    }
}
