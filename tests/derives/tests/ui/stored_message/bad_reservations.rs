use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2", reserved(0, 5..=3, 4..6, 8, 7..=9, "a"), reserved_names("old", "old", 5))]
struct Track {
    #[stored(tag = 1)]
    name: String,
}

fn main() {}
