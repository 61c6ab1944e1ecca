use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Unspecified = 0,
    HTTPRock = 1,
    HttpRock = 2,
}

fn main() {}
