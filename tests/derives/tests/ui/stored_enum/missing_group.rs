use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(version = "v2")]
enum Genre {
    Unspecified = 0,
}

fn main() {}
