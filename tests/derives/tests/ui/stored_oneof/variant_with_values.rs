use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1)]
    Text(String, u32),
    #[stored(tag = 2)]
    Url { host: String },
}

fn main() {}
