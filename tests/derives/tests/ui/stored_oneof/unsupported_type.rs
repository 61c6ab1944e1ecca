use converge_controller::StoredOneof;

struct Own;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1)]
    Size(u8),
}

#[derive(StoredOneof)]
enum Other {
    #[stored(tag = 1)]
    Own(Own),
}

fn main() {}
