use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2", scope = namespace)]
enum Genre {
    #[stored(tag = 0)]
    Unspecified = 0,
    #[stored(name = "ROCK")]
    Rock = 1,
}

fn main() {}
