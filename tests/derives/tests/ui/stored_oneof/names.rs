use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1, name = "Text")]
    Text(String),
    #[stored(tag = 2, name = "url")]
    Address(String),
    #[stored(tag = 3)]
    Url(String),
}

fn main() {}
