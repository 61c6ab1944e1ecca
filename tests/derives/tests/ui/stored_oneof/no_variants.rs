use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {}

fn main() {}
