use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre<const LOUD: bool> {
    Unspecified = 0,
}

fn main() {}
