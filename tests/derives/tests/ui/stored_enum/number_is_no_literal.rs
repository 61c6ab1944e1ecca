use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Unspecified = 0,
    Rock = ROCK,
    Jazz = 1 + 1,
}

const ROCK: isize = 1;

fn main() {}
