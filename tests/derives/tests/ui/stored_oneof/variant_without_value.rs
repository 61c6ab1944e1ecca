use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1)]
    Text(String),
    #[stored(tag = 2)]
    Nowhere,
}

fn main() {}
