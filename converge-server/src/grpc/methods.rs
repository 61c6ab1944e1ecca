//! The protobuf description of the service and its methods.

use converge_controller::protobuf::{Declaration, Files};
use prost_reflect::prost_types::source_code_info::Location;
use prost_reflect::prost_types::{
    FileDescriptorProto, MethodDescriptorProto, ServiceDescriptorProto, SourceCodeInfo,
};

use super::messages as m;

/// The full name of the resource service.
pub(super) const SERVICE: &str = "converge.resource.ResourceService";
const PACKAGE: &str = "converge.resource";
const NAME: &str = "ResourceService";
const FILE: &str = "converge/resource/resource_service.proto";

pub(super) const NAMES: [&str; 8] =
    ["Read", "Write", "WriteStatus", "List", "ListByOwner", "Delete", "MutateAndValidate", "WatchList"];

/// A method of the service.
pub(super) struct Method {
    name: &'static str,
    doc: &'static str,
    /// The request and the response message.
    messages: [Declaration; 2],
    streams: bool,
}

pub(super) fn methods() -> [Method; 8] {
    use Declaration as D;
    let unary = |name, doc, messages| Method { name, doc, messages, streams: false };
    [
        unary(
            "Read",
            "Reads a resource.",
            [D::for_message::<m::ReadRequest>(), D::for_message::<m::ReadResponse>()],
        ),
        unary(
            "Write",
            "Creates a resource, or replaces its data and metadata.",
            [D::for_message::<m::WriteRequest>(), D::for_message::<m::WriteResponse>()],
        ),
        unary(
            "WriteStatus",
            "Writes the status under one key.",
            [D::for_message::<m::WriteStatusRequest>(), D::for_message::<m::WriteStatusResponse>()],
        ),
        unary(
            "List",
            "Lists resources of a type.",
            [D::for_message::<m::ListRequest>(), D::for_message::<m::ListResponse>()],
        ),
        unary(
            "ListByOwner",
            "Lists what a resource owns, of any type.",
            [D::for_message::<m::ListByOwnerRequest>(), D::for_message::<m::ListByOwnerResponse>()],
        ),
        unary(
            "Delete",
            "Deletes a resource and, later, the resources that it owns. A missing resource is not an error.",
            [D::for_message::<m::DeleteRequest>(), D::for_message::<m::DeleteResponse>()],
        ),
        unary(
            "MutateAndValidate",
            "Checks a write without writing anything.",
            [
                D::for_message::<m::MutateAndValidateRequest>(),
                D::for_message::<m::MutateAndValidateResponse>(),
            ],
        ),
        Method {
            name: "WatchList",
            doc: "Sends the existing resources of a type, and then each change.",
            messages: [D::for_message::<m::WatchListRequest>(), D::for_message::<m::WatchEvent>()],
            streams: true,
        },
    ]
}

impl Method {
    #[cfg(test)]
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the request and the response message.
    pub(super) fn messages(&self) -> impl Iterator<Item = Declaration> + use<> {
        self.messages.clone().into_iter()
    }
}

/// Returns the file descriptor of the service, which imports the files of the messages.
pub(super) fn file(files: &Files) -> FileDescriptorProto {
    let methods = methods();
    let places = methods.iter().zip(0..).map(|(method, at)| Location {
        // Services are field 6 of a file, this is the first service, and methods are field 2 of a service.
        path: vec![6, 0, 2, at],
        span: vec![at, 0, 0],
        leading_comments: Some(format!(" {}\n", method.doc)),
        ..Location::default()
    });
    let location = places.collect();
    let method = methods.iter().map(|method| MethodDescriptorProto {
        name: Some(method.name.to_owned()),
        input_type: Some(name(&method.messages[0])),
        output_type: Some(name(&method.messages[1])),
        server_streaming: method.streams.then_some(true),
        ..MethodDescriptorProto::default()
    });
    let service = ServiceDescriptorProto {
        name: Some(NAME.to_owned()),
        method: method.collect(),
        ..ServiceDescriptorProto::default()
    };
    FileDescriptorProto {
        name: Some(FILE.to_owned()),
        package: Some(PACKAGE.to_owned()),
        syntax: Some("proto3".to_owned()),
        dependency: files
            .iter()
            .filter(|file| file.package == PACKAGE)
            .map(|file| file.path.clone())
            .collect(),
        service: vec![service],
        source_code_info: Some(SourceCodeInfo { location }),
        ..FileDescriptorProto::default()
    }
}

fn name(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Message(message) => format!(".{}.{}", message.package, message.name),
        Declaration::Enum(it) => format!(".{}.{}", it.package, it.name),
    }
}
