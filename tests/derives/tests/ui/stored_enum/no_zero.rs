use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Rock = 1,
    Jazz = 2,
}

fn main() {}
