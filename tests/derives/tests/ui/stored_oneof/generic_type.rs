use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source<T> {
    #[stored(tag = 1)]
    Text(T),
}

fn main() {}
