use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1)]
    Text(String),
    #[stored(tag = 1)]
    Url(String),
}

fn main() {}
