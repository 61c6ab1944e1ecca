use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
#[stored(group = "demo")]
enum Source {
    #[stored(tag = 1, nmae = "text")]
    Text(String),
}

fn main() {}
