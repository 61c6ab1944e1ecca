use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
struct Genre {
    rock: bool,
}

fn main() {}
