use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 0)]
    Text(String),
    #[stored(tag = 19000)]
    Url(String),
}

fn main() {}
