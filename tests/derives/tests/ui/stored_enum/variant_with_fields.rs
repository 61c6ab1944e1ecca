use converge_controller::StoredEnum;

#[derive(Clone, Copy, Debug, StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Unspecified(u8),
    Rock { loud: bool },
}

fn main() {}
