use converge_controller::StoredOneof;

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 1)]
    Maybe(Option<String>),
    #[stored(tag = 2)]
    List(Vec<String>),
    #[stored(tag = 3)]
    Map(std::collections::BTreeMap<String, u32>),
}

fn main() {}
