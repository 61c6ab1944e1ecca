#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The name.
    #[hcl(required, deprecated = "use path")]
    name: String,
    /// The path.
    #[hcl(required, required_one_of = "path,name")]
    path: String,
    /// The first.
    #[hcl(required, required_if = "name=a")]
    first: String,
    /// The second.
    #[hcl(default, required_unless = "name=a")]
    second: String,
    /// The word.
    #[hcl(valid_values = "a,b", pattern = "^[ab]$")]
    word: String,
    /// The number.
    #[hcl(valid_values = "1,2", min = 1)]
    number: u8,
    /// The flag.
    #[hcl(nonempty)]
    flag: bool,
    /// The own.
    #[hcl(pattern = "a", min = 1)]
    own: Ensure,
}

resource!(Test);

fn main() {}
