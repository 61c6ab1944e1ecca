use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
struct Source {
    text: String,
}

fn main() {}
