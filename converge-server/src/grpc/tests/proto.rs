//! Tests that the `.proto` file of the service agrees with the methods, messages and reference.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use converge_controller::protobuf::{Declaration, Files, PROTO_FILES};
use converge_controller::registry::TypeRegistry;
use prost_reflect::ServiceDescriptor;

use crate::grpc::Pool;
use crate::grpc::methods::{PROTO, SERVICE, methods};

fn service() -> ServiceDescriptor {
    let file = Pool::new(&TypeRegistry::new()).unwrap().file(PROTO.0).unwrap();
    file.services().next().unwrap()
}

#[test]
fn every_method_is_answered_with_its_messages() {
    let service = service();
    assert_eq!(service.full_name(), SERVICE);
    let declared = service.methods().map(|method| {
        let messages = [method.input(), method.output()].map(|message| message.full_name().to_owned());
        (method.name().to_owned(), messages)
    });
    let name = |declaration| match declaration {
        Declaration::Message(message) => format!("{}.{}", message.package, message.name),
        Declaration::Enum(it) => panic!("{it:?}"),
    };
    let answered = methods().map(|method| (method.name.to_owned(), method.messages.map(name)));
    assert_eq!(declared.collect::<Vec<_>>(), answered);
}

#[test]
fn the_committed_messages_are_current() {
    let update = env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always");
    let files = Files::from_types(methods().into_iter().flat_map(|method| method.messages)).unwrap();
    let of_controller = |path: &str| PROTO_FILES.iter().any(|(other, _)| *other == path);
    for file in files.iter().filter(|file| !of_controller(&file.path)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto").join(&file.path);
        if update {
            fs::write(&path, file.to_string()).unwrap();
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(committed, file.to_string(), "write {} with INSTA_UPDATE=always", path.display());
    }
}

#[test]
fn the_reference_describes_each_method() {
    let service = service();
    let file = service.parent_file();
    let source = file.file_descriptor_proto().source_code_info.as_ref().unwrap();
    let comments: BTreeMap<&[i32], &str> = source
        .location
        .iter()
        .map(|location| (location.path.as_slice(), location.leading_comments().trim()))
        .collect();
    let rows = service.methods().map(|method| {
        let comment = comments[method.path()];
        let (first, rest) = comment.split_at(1);
        format!("| `{}` | {}{} |", method.name(), first.to_lowercase(), rest.trim_end_matches('.'))
    });
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/grpc.md");
    let reference = fs::read_to_string(path).unwrap();
    let table = reference.lines().skip_while(|line| *line != "| method | does |").skip(2);
    let table: Vec<_> = table.take_while(|line| !line.is_empty()).collect();
    assert_eq!(table, rows.collect::<Vec<_>>());
}
