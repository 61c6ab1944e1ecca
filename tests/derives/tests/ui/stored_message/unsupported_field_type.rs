use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: (String, u32),
    #[stored(tag = 2)]
    b: [u32; 4],
    #[stored(tag = 3)]
    c: Option<std::path::PathBuf>,
    #[stored(tag = 4)]
    d: Vec<std::time::SystemTime>,
    #[stored(tag = 5)]
    e: std::sync::Arc<String>,
    #[stored(tag = 6)]
    f: &'static str,
}

fn main() {}
