use converge_core::Export;

#[derive(Export)]
struct Status {
    /// The user.
    #[export("user")]
    user: String,
}

fn main() {}
