use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2", reserved(2))]
enum Genre {
    Unspecified = 0,
    Rock = 2,
}

fn main() {}
