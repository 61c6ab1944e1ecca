use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2", reserved_names("GENRE_ROCK"))]
enum Genre {
    Unspecified = 0,
    Rock = 2,
}

fn main() {}
