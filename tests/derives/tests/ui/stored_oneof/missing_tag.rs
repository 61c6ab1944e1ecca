use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 4)]
    Text(String),
    Url(String),
}

fn main() {}
